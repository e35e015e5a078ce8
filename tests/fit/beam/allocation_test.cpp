// SPDX-License-Identifier: MIT
// Scoring allocates nothing, from the first call on for what is fathom's own; every malloc of the process is counted.

#include <fathom/fit/score.hpp>

#include "fit/beam/room.hpp"
#include "support/allocations.hpp"

#if !FATHOM_SANITIZED

namespace fathom::test::allocation_test {
namespace {

TEST(ScanScorerAllocations, TheCounterCounts) {
  void* volatile memory = nullptr;  // an optimizer removes an allocation whose address nothing reads
  EXPECT_GE(allocations_in([&] { memory = std::malloc(1); }), 1U);
  std::free(memory);
  std::string* volatile text = nullptr;
  EXPECT_GE(allocations_in([&] { text = new std::string(100, 'x'); }), 1U);
  delete text;
}

/// Allocations of ten calls, after `calls_before`.
std::size_t steady_state(const ExpectedRanges& expected, const ScoreOptions& options, int calls_before) {
  const RayFan fan = upright_fan(3, 61);
  const std::vector<Pose> poses = poses_in_room(100);
  const std::vector<float> readings(fan.size(), 3.0F);
  std::vector<double> out(poses.size());
  ScanScorer scorer({}, {.max_range_m = 12}, expected, fan, options);
  for (int i = 0; i < calls_before; ++i) scorer.score(poses, readings, out);
  return allocations_in([&] {
    for (int i = 0; i < 10; ++i) scorer.score(poses, readings, out);
  });
}

void expect_none(const ExpectedRanges& expected) {
  for (const bool exact : {false, true}) {
    SCOPED_TRACE(exact ? "exact" : "tables");
    EXPECT_EQ(steady_state(expected, {.compute = {.threads = 1}, .exact = exact}, 0), 0U);
    // The thread library fills its pools of tasks in the first loops.
    EXPECT_EQ(steady_state(expected, {.compute = {.threads = 2}, .exact = exact}, 50), 0U);
  }
}

TEST(ScanScorerAllocations, NoneWithAGrid) {
  for (const GridCasterOptions::Precision precision :
       {GridCasterOptions::Precision::kFast, GridCasterOptions::Precision::kDouble,
        GridCasterOptions::Precision::kOracle}) {
    expect_none(*make_grid_ranges(room_map(), {.precision = precision}));
  }
}

TEST(ScanScorerAllocations, NoneWithAScene) { expect_none(*make_scene_ranges(room_scene())); }

TEST(ScanScorerAllocations, NoneWithRangesAlreadyCast) {
  const auto grid = make_grid_ranges(room_map());
  const RayFan fan = upright_fan(1, 60);
  const std::vector<float> expected(500 * 60, 3.1F), readings(60, 3.0F);
  std::vector<double> out(500);
  ScanScorer scorer({}, {.max_range_m = 12, .step_m = 0.01}, *grid, fan, {.compute = {.threads = 2}});
  for (int i = 0; i < 50; ++i) scorer.score_expected(expected, readings, out);
  EXPECT_EQ(allocations_in([&] { scorer.score_expected(expected, readings, out); }), 0U);
}

}  // namespace
}  // namespace fathom::test::allocation_test

#endif

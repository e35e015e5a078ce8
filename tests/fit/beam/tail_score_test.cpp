// SPDX-License-Identifier: MIT
// Scores of poses where hits are of extended laws: the fast tables against the densities, whichever instruction set.

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/fit/beam.hpp>

#include "support/casters.hpp"

namespace fathom::tail_score_test {
namespace {

struct Scan {
  std::vector<float> expected, readings;  // [poses, rays] and [rays]
};

constexpr std::size_t kPoses = 200, kRays = 37;

/// Ranges that each pose expects anywhere in [0, Z], and none; readings drawn from the model of the first pose.
Scan scan_of(const BeamParameters& p, const BeamSensor& sensor) {
  Scan s;
  for (std::size_t i = 0; i < kPoses * kRays; ++i) {
    const double place = std::fmod(0.618034 * static_cast<double>(i), 1.1);
    s.expected.push_back(static_cast<float>(std::min(1.0, place * place) * sensor.max_range_m));
  }
  s.readings.resize(kRays);
  sample_scan(p, sensor, beam_key(3, 1), std::span(s.expected).first(kRays), s.readings);
  return s;
}

class Nowhere final : public ExpectedRanges {
 public:
  void cast(std::span<const Pose>, const RayFan&, double, std::span<float>) const override {}
  [[nodiscard]] double floor_m() const override { return 0.025; }
};

std::vector<double> score(const BeamParameters& p, const BeamSensor& sensor, const Scan& s,
                          const ScoreOptions& options) {
  const Nowhere nowhere;
  ScanScorer scorer(p, sensor, nowhere, planar_fan(std::vector<double>(kRays)), options);
  std::vector<double> out(kPoses);
  scorer.score_expected(s.expected, s.readings, out);
  return out;
}

std::vector<HitTail> tails() {
  return {{HitLaw::kStudentT, .5, 0},  {HitLaw::kStudentT, 1.3, 0}, {HitLaw::kStudentT, 5, 0},
          {HitLaw::kStudentT, 1e4, 0}, {HitLaw::kGrows, 4, 0},      {HitLaw::kGrows, 4, .003},
          {HitLaw::kGrows, 4, .2}};
}

TEST(TailScores, TablesEqualDensitiesWithEachInstructionSet) {
  for (const HitTail& tail : tails()) {
    for (const double sigma : {0.01, 0.12, 6.0}) {
      for (const MissPolicy miss : {MissPolicy::kBook, MissPolicy::kAtom}) {
        const BeamParameters p = {.6, .2, .05, .15, sigma, .35, .07, tail};
        const BeamSensor sensor = {.max_range_m = 30, .miss = miss};
        const Scan s = scan_of(p, sensor);
        std::vector<double> oracle(kPoses);
        for (std::size_t i = 0; i < s.expected.size(); ++i) {
          oracle[i / kRays] += BeamDensity(p, sensor, s.expected[i]).log_likelihood(s.readings[i % kRays]);
        }
        const std::vector<double> exact = score(p, sensor, s, {.exact = true});
        for (const Isa isa : test::usable_isas()) {
          const std::vector<double> fast = score(p, sensor, s, {.compute = {.isa = isa}});
          for (std::size_t i = 0; i < kPoses; ++i) {
            EXPECT_NEAR(exact[i], oracle[i], 1e-9 * std::abs(oracle[i]));
            EXPECT_NEAR(fast[i], oracle[i], 2e-5 * std::abs(oracle[i]) + 1e-5 * kRays)
                << kChoiceWords<HitLaw>[static_cast<std::size_t>(tail.hit)] << ' ' << tail.nu_hit << ' ' << sigma;
          }
        }
      }
    }
  }
}

TEST(TailScores, SameBitsForAnyThreadsAndAnyInstructionSet) {
  for (const HitTail& tail : tails()) {
    const BeamParameters p = {.6, .2, .05, .15, .04, .35, .07, tail};
    const BeamSensor sensor = {.max_range_m = 30};
    const Scan s = scan_of(p, sensor);
    const std::vector<double> one = score(p, sensor, s, {.compute = {.threads = 1}});
    EXPECT_EQ(one, score(p, sensor, s, {.compute = {.threads = 3}}));
    for (const Isa isa : test::usable_isas()) EXPECT_EQ(one, score(p, sensor, s, {.compute = {.isa = isa}}));
  }
}

TEST(TailScores, WhatTablesCannotHoldIsWorkedOutExactly) {
  const BeamParameters wide = {.6, .2, .05, .15, 1000, .35, 0, {HitLaw::kStudentT, 2, 0}};
  const BeamSensor sensor = {.max_range_m = 30};
  const Scan s = scan_of(wide, sensor);
  EXPECT_EQ(score(wide, sensor, s, {}), score(wide, sensor, s, {.exact = true}));
}

}  // namespace
}  // namespace fathom::tail_score_test

// SPDX-License-Identifier: MIT
// Intervals hold the truth as often as they say: bench/study_chains.cpp in small.

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fit/calibrate/chain_study.hpp"
#include "support/sanitized.hpp"
#include "support/statistics.hpp"

namespace fathom::test::chain_coverage_test {
namespace {

/// The share of intervals that hold the truth is at most three binomial deviations below 95 %. Reported standard errors
/// match the spread of the estimates, to about as many deviations of a mean square.
void expect_covered(const std::vector<ParameterCoverage>& all, std::size_t seeds) {
  const auto n = static_cast<double>(seeds);
  for (const ParameterCoverage& c : all) {
    std::cout << c.name << ": " << c.held << " of " << c.off.size() << ", median " << c.median_off() << '\n';
    ASSERT_EQ(c.off.size(), seeds) << c.name;
    EXPECT_GE(c.share_held(), 0.95 - 3.0 * std::sqrt(0.95 * 0.05 / n)) << c.name;
    EXPECT_NEAR(std::pow(c.spread_over_stated(), 2), 1.0, 3.5 * std::sqrt(2.0 / n) + 0.1) << c.name;
  }
}

/// Few seeds of each: all parameters of all presets are judged together, as if they were independent.
TEST(PresetCoverage, IsWhatIntervalsSay) {
  const std::size_t seeds = repetitions(2);
  ParameterCoverage all;
  for (const char* preset : {"VLP-16", "LMS-111", "real_structured_light"}) {
    for (const ParameterCoverage& c : measure_coverage(preset_study(find_preset(preset)), seeds)) {
      std::cout << preset << ' ' << c.name << ": " << c.held << " of " << c.off.size() << '\n';
      EXPECT_EQ(c.off.size(), seeds) << preset << ' ' << c.name;
      all.add(c);
    }
  }
  std::cout << "all: " << all.held << " of " << all.off.size() << ", squares " << all.squares << '\n';
  EXPECT_TRUE(are_enough_held(all.held, all.off.size())) << all.held << " of " << all.off.size();
  EXPECT_GT(chi_square_p_value(all.squares, static_cast<double>(all.off.size())), kLeastChance) << all.squares;
}

TEST(RingCoverage, IsWhatIntervalsSay) {
  const std::size_t seeds = repetitions(4);
  const std::vector<ParameterCoverage> all = measure_coverage(ring_study(4), seeds);
  ASSERT_EQ(all.size(), 9U);
  expect_covered(all, seeds);
}

/// Many scans see the same misplaced walls of the scene. Only clusters by stretches of the way account for it.
TEST(StretchCoverage, HoldsWhereFramesErrTogether) {
  const std::size_t seeds = repetitions(12);
  ChainStudy study;
  study.truth = {DistanceNoise{0.0F, 0.02F, 0.0F}};
  study.free = chain_parameters(study.truth, "distance.mean_m");
  study.returns = [](std::uint64_t seed) { return uneven_walls(seed, 480, 12); };
  const ParameterCoverage usual = measure_coverage(study, seeds).front();
  study.options.stretches = 0;
  const ParameterCoverage by_frame = measure_coverage(study, seeds).front();
  std::cout << "by stretch " << usual.share_held() << ", by frame " << by_frame.share_held() << '\n';
  EXPECT_GE(usual.share_held(), 0.95 - 3.0 * std::sqrt(0.95 * 0.05 / static_cast<double>(seeds)));
  EXPECT_LT(by_frame.share_held(), 0.7);
  EXPECT_GT(by_frame.median_off(), 2 * usual.median_off());
}

TEST(StretchCoverage, StretchesAreTakenWhereTheSensorMoved) {
  ChainReturns returns = uneven_walls(1, 200, 12);
  const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}};
  const std::vector<ChainParameter> free = chain_parameters(chain, "distance.mean_m");
  const ChainFit moved = fit_chain(chain, free, returns, {.hold_out = 0});
  EXPECT_EQ(moved.blocks, 40U);
  EXPECT_EQ(moved.block, "stretch");
  EXPECT_EQ(fit_chain(chain, free, returns, {.hold_out = 0, .block_frames = 5}).block, "frame");
  const ChainFit few = fit_chain(chain, free, returns, {.hold_out = 0, .stretches = 8});
  EXPECT_EQ(few.blocks, 8U);
  ASSERT_FALSE(few.findings.empty());
  EXPECT_NE(few.findings.back().text.text().find("errors rest on 8 independent stretches of the way"),
            std::string::npos);
  returns.sensor_moved = false;
  const ChainFit stood = fit_chain(chain, free, returns, {.hold_out = 0});
  EXPECT_EQ(stood.blocks, 200U);
  EXPECT_EQ(stood.block, "frame");
  EXPECT_EQ(stood.parameters[0].value, moved.parameters[0].value);
  EXPECT_LT(stood.parameters[0].std_error, moved.parameters[0].std_error);
  // The error of a mean score by stretches, too.
  const std::vector<FrameScore> scores = score_frames(moved.chain, returns);
  EXPECT_EQ(mean_score(scores).nats, mean_score(scores, 40).nats);
  EXPECT_GT(mean_score(scores, 40).std_error, 1.5 * mean_score(scores).std_error);
}

}  // namespace
}  // namespace fathom::test::chain_coverage_test

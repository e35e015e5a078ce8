// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <fathom/fit/calibrate.hpp>
#include <fathom/simulate/simulator.hpp>

#include "render/test_scenes.hpp"
#include "support/error_text.hpp"
#include "support/sanitized.hpp"
#include "support/statistics.hpp"

namespace fathom::test::distance_test {
namespace {

constexpr DistanceNoise kTruth = {.mean_m = 0.013F, .stddev_m = 0.02F, .stddev_per_m = 0.004F};
constexpr const char* kNoScans =
    "nothing tells which pairs are of one scan: standard errors take all as independent, and are too small where "
    "pairs of a scan, or of a place, are correlated";
constexpr ChannelSet kChannels = {Channel::kRange, Channel::kCleanRange, Channel::kReason};

/// Frames of a lidar in a room, ranges of 1 to 8 m.
class Frames {
 public:
  Frames(const DistanceNoise& noise, std::uint32_t rings, std::uint32_t columns)
      : simulator_(make_room_scene(), {.seed = 11, .compute = {.threads = 1}}),
        sensor_(simulator_.add_sensor(
            make_sensor(make_lidar(rings, columns), {Noise(noise), Noise(Dropout{0.1F})}, {{1, 1, 0}, {}}))) {}

  RangePairs pairs(std::uint32_t frame) {
    RangePairs pairs;
    simulator_.render(sensor_, frame, frame_);
    append_pairs(frame_, pairs);
    return pairs;
  }

 private:
  Simulator simulator_;
  SensorId sensor_;
  Frame frame_{kChannels};
};

void expect_within(const Estimate& e, double truth, double std_errors) {
  EXPECT_NEAR(e.value, truth, std_errors * e.std_error);
}

TEST(CalibrateDistance, FindsTheParametersOfASimulatedLidar) {
  Frames frames(kTruth, 64, 720);
  const RangePairs pairs = frames.pairs(0);
  const DistanceCalibration c = calibrate_distance(pairs);
  EXPECT_EQ(c.pairs, pairs.range_m.size());
  EXPECT_NEAR(static_cast<double>(c.pairs), 0.9 * 64 * 720, 500);  // dropouts are no pairs
  expect_within(c.mean_m, kTruth.mean_m, 4);
  expect_within(c.stddev_m, kTruth.stddev_m, 4);
  expect_within(c.stddev_per_m, kTruth.stddev_per_m, 4);
  EXPECT_LT(c.stddev_m.std_error, 0.0005);
  EXPECT_LT(c.stddev_per_m.std_error, 0.0002);
  EXPECT_EQ(texts_of(c.findings), std::vector<std::string>{kNoScans});
  EXPECT_EQ(c.noise().stddev_m, static_cast<float>(c.stddev_m.value));
}

TEST(CalibrateDistance, ReadingsThatAreNotAboveZeroAreNoRanges) {
  Frames frames(kTruth, 16, 360);
  RangePairs pairs = frames.pairs(0);
  const DistanceCalibration clean = calibrate_distance(pairs);
  for (const float lost : {0.0F, -1.0F, -std::numeric_limits<float>::infinity(), std::nanf("")}) {
    pairs.range_m.push_back(lost), pairs.expected_m.push_back(3.0F);
  }
  const DistanceCalibration c = calibrate_distance(pairs);
  EXPECT_EQ(c.skipped, clean.skipped + 4);
  EXPECT_EQ(c.mean_m.value, clean.mean_m.value);
  EXPECT_EQ(c.stddev_per_m.value, clean.stddev_per_m.value);
}

TEST(CalibrateDistance, TheErrorsAreRightAndTheEstimatesUnbiased) {
  Frames frames(kTruth, 4, 360);
  const auto runs = static_cast<std::uint32_t>(repetitions(400));
  double covered[3] = {}, bias[3] = {};
  const double truth[3] = {kTruth.mean_m, kTruth.stddev_m, kTruth.stddev_per_m};
  for (std::uint32_t frame = 0; frame < runs; ++frame) {
    const DistanceCalibration c = calibrate_distance(frames.pairs(frame));
    const Estimate estimates[3] = {c.mean_m, c.stddev_m, c.stddev_per_m};
    for (int k = 0; k < 3; ++k) {
      const double z = (estimates[k].value - truth[k]) / estimates[k].std_error;
      covered[k] += std::abs(z) < 2 ? 1 : 0;
      bias[k] += z / runs;
    }
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(is_binomial(covered[k], runs, 0.9545, 4)) << k << ": " << covered[k] << " of " << runs;
    EXPECT_LT(std::abs(bias[k]), 4.5 / std::sqrt(runs)) << k;
  }
}

TEST(CalibrateDistance, BoundariesAreFoundAndFlagged) {
  // Half of all samples without growth (or without a constant part) lean the other way: the estimate is then at 0.
  std::size_t at_zero = 0;
  Frames constant({.stddev_m = 0.02F}, 4, 360), growing({.stddev_per_m = 0.01F}, 4, 360);
  for (std::uint32_t frame = 0; frame < 40; ++frame) {
    const DistanceCalibration a = calibrate_distance(constant.pairs(frame)),
                              b = calibrate_distance(growing.pairs(frame));
    expect_within(a.mean_m, 0, 5);
    if (a.stddev_per_m.value > 1e-9) {
      expect_within(a.stddev_per_m, 0, 5);
    } else {
      ++at_zero;
      EXPECT_TRUE(std::isnan(a.stddev_per_m.std_error));
      expect_within(a.stddev_m, 0.02, 5);
      EXPECT_EQ(texts_of(a.findings), (std::vector<std::string>{"stddev_per_m is at its boundary 0", kNoScans}));
    }
    if (b.stddev_m.value <= 1e-9) {
      EXPECT_TRUE(std::isnan(b.stddev_m.std_error));
      expect_within(b.stddev_per_m, 0.01, 5);
    }
  }
  EXPECT_GT(at_zero, 8U);
  EXPECT_LT(at_zero, 32U);
}

TEST(CalibrateDistance, NoOtherPointIsMoreLikely) {
  Frames frames(kTruth, 4, 360);
  const RangePairs pairs = frames.pairs(3);
  const auto log_likelihood = [&](double mean, double stddev, double per_m) {
    double sum = 0;
    for (std::size_t i = 0; i < pairs.range_m.size(); ++i) {
      const double s = stddev + per_m * pairs.expected_m[i];
      const double u = (double{pairs.range_m[i]} - pairs.expected_m[i] - mean) / s;
      sum -= 0.5 * u * u + std::log(s) + 0.5 * std::log(2 * std::numbers::pi);
    }
    return sum;
  };
  const DistanceCalibration c = calibrate_distance(pairs);
  const double best = log_likelihood(c.mean_m.value, c.stddev_m.value, c.stddev_per_m.value);
  EXPECT_NEAR(best, c.log_likelihood, 1e-6);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 3000; ++i) {
    const double spread = i % 2 == 0 ? 1.0 : 1e-3;
    const auto around = [&](double v, double most) {
      return v + spread * (unit(random) * most - (i % 2 == 0 ? v : 0.5 * most));
    };
    EXPECT_LE(
        log_likelihood(around(c.mean_m.value, 0.05), around(c.stddev_m.value, 0.1), around(c.stddev_per_m.value, 0.05)),
        best + 1e-7);
  }
}

TEST(CalibrateDistance, OneRangeAndNoSpread) {
  RangePairs same, still;
  for (int i = 0; i < 1000; ++i) {
    same.expected_m.push_back(4.0F), same.range_m.push_back(4.0F + (i % 2 == 0 ? 0.01F : -0.01F));
    still.expected_m.push_back(1.0F + 0.001F * static_cast<float>(i)), still.range_m.push_back(still.expected_m.back());
  }
  const DistanceCalibration a = calibrate_distance(same), b = calibrate_distance(still);
  EXPECT_NEAR(a.stddev_m.value, 0.01, 1e-6);
  EXPECT_EQ(a.stddev_per_m.value, 0);
  EXPECT_TRUE(std::isnan(a.stddev_per_m.std_error));
  EXPECT_EQ(a.findings.size(), 2U);
  EXPECT_EQ(b.mean_m.value, 0);
  EXPECT_EQ(b.stddev_m.value, 0);
  EXPECT_EQ(texts_of(b.findings),
            std::vector<std::string>{"all errors are equal: the deviation is 0 and has no standard error"});
}

TEST(CalibrateDistance, NamesWhatIsWrong) {
  const auto refusal = [](const RangePairs& pairs) { return input_error([&] { (void)calibrate_distance(pairs); }); };
  EXPECT_EQ(refusal({{1, 2}, {1}}), "2 ranges given for 1 expected ranges");
  EXPECT_EQ(refusal({{1, 2, 3}, {1, 0, 3}}), "pair 1: expected range 0 m is not above 0");
  EXPECT_EQ(refusal({{1, NAN, 3, 4}, {1, 2, INFINITY, 4}}),
            "2 pairs with finite ranges above 0: at least 3 are needed");
  EXPECT_EQ(calibrate_distance({{1.1F, NAN, 3.2F, 4, 5}, {1, 2, 3, 4, INFINITY}}).skipped, 2U);
}

}  // namespace
}  // namespace fathom::test::distance_test

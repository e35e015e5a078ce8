// SPDX-License-Identifier: MIT
// Standard errors of `distance` where errors of scans at one place are correlated.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>
#include <fathom/fit/calibrate.hpp>

#include "support/error_text.hpp"
#include "support/sanitized.hpp"

namespace fathom::test::distance_errors_test {
namespace {

constexpr double kOwn_m = 0.02, kOfPlace_m = 0.015;
constexpr std::uint32_t kScans = 280, kRays = 30, kScansOfPlace = 3;

double normal(std::uint32_t seed, std::uint32_t place, std::uint32_t stream) {
  const auto word = keyed_block({.seed = seed, .frame = place, .stream = stream}, 0, 0).word[0];
  return math::normal_quantile((word + 0.5) / 4294967296.0);
}

/// Scans of a drive past places whose walls differ from the map, by the same distance for all readings of a place.
RangePairs drive(std::uint32_t seed) {
  RangePairs pairs;
  for (std::uint32_t scan = 0; scan < kScans; ++scan) {
    const double off_m = kOfPlace_m * normal(seed, scan / kScansOfPlace, 1);
    for (std::uint32_t ray = 0; ray < kRays; ++ray) {
      const auto expected_m = static_cast<float>(2.0 + 0.1 * ray);
      pairs.expected_m.push_back(expected_m);
      pairs.range_m.push_back(
          static_cast<float>(double{expected_m} + off_m + kOwn_m * normal(seed, scan * kRays + ray, 2)));
      pairs.scan.push_back(scan);
    }
  }
  return pairs;
}

RangePairs without_scans(RangePairs pairs) {
  pairs.scan.clear();
  return pairs;
}

bool holds(const IntervalEstimate& e, double truth) { return e.low_95 <= truth && truth <= e.high_95; }

TEST(DistanceErrors, OfStretchesHoldWhereScansOfAPlaceErrTogether) {
  const auto seeds = static_cast<std::uint32_t>(repetitions(200));
  double mean = 0, deviation = 0, of_pairs = 0;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    const RangePairs pairs = drive(seed);
    const DistanceCalibration fit = calibrate_distance(pairs);
    EXPECT_EQ(fit.clusters, 40U);
    mean += holds(fit.mean_m, 0.0) ? 1 : 0;
    const double all_m = std::hypot(kOwn_m, kOfPlace_m);
    if (std::isnan(fit.stddev_per_m.std_error)) deviation += holds(fit.stddev_m, all_m) ? 1 : 0;
    if (!std::isnan(fit.stddev_per_m.std_error)) deviation += holds(fit.stddev_per_m, 0.0) ? 1 : 0;
    of_pairs += holds(calibrate_distance(without_scans(pairs)).mean_m, 0.0) ? 1 : 0;
  }
  EXPECT_GE(mean / seeds, 0.90);
  if (!kSanitized) EXPECT_LE(mean / seeds, 0.99);  // of 25 seeds all may be held
  EXPECT_GE(deviation / seeds, 0.90);
  EXPECT_LT(of_pairs / seeds, 0.6) << "scans must matter in this case";
}

TEST(DistanceErrors, AreNeverBelowThoseOfIndependentPairs) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const RangePairs pairs = drive(seed);
    const DistanceCalibration independent = calibrate_distance(without_scans(pairs));
    for (const std::size_t stretches : {std::size_t{0}, std::size_t{2}, std::size_t{40}, std::size_t{1000}}) {
      const DistanceCalibration fit = calibrate_distance(pairs, {.stretches = stretches});
      EXPECT_EQ(fit.mean_m.value, independent.mean_m.value);
      EXPECT_EQ(fit.mean_m.naive_error, independent.mean_m.std_error);
      EXPECT_GE(fit.mean_m.std_error, fit.mean_m.naive_error);
      EXPECT_EQ(fit.clusters, stretches == 0 ? kScans : std::min<std::size_t>(stretches, kScans));
      EXPECT_LE(fit.mean_m.low_95, fit.mean_m.value - 1.9 * fit.mean_m.std_error);
    }
  }
}

void expect_unknown(const DistanceCalibration& fit) {
  for (const IntervalEstimate* e : {&fit.mean_m, &fit.stddev_m, &fit.stddev_per_m}) {
    EXPECT_TRUE(std::isnan(e->std_error) && std::isnan(e->low_95) && std::isnan(e->naive_error));
  }
  EXPECT_EQ(fit.findings.back().text.text(),
            "standard errors need at least two clusters: the readings of one cluster have correlated errors");
}

TEST(DistanceErrors, OfOneClusterAreNotKnown) { expect_unknown(calibrate_distance(drive(1), {.stretches = 1})); }

// The oracle: the mean of pairs with equal deviations moves with the mean of its clusters.
TEST(DistanceErrors, OfTheMeanAreThoseOfTheMeansOfClusters) {
  RangePairs pairs = drive(7);
  for (std::size_t i = 0; i < pairs.range_m.size(); ++i) {
    pairs.range_m[i] += 4.0F - pairs.expected_m[i], pairs.expected_m[i] = 4.0F;
  }
  constexpr std::uint32_t kClusters = 14;  // of 20 scans; fewer than 20 have no neighbours
  std::vector<double> means(kClusters, 0.0);
  for (std::size_t i = 0; i < pairs.range_m.size(); ++i) {
    means[pairs.scan[i] * kClusters / kScans] += (double{pairs.range_m[i]} - 4.0) * kClusters / (kScans * kRays);
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / kClusters;
  double square = 0;
  for (const double of : means) square += (of - mean) * (of - mean);
  const DistanceCalibration fit = calibrate_distance(pairs, {.stretches = kClusters});
  EXPECT_NEAR(fit.mean_m.value, mean, 1e-9);
  // Shares of the information differ a little from cluster to cluster.
  EXPECT_NEAR(fit.mean_m.std_error, std::sqrt(square / (kClusters * (kClusters - 1.0))), 0.03 * fit.mean_m.std_error);
}

TEST(DistanceErrors, HangOnScansAndNotOnTheirOrder) {
  const RangePairs pairs = drive(3);
  RangePairs shuffled;
  for (std::size_t step = 0; step < 7; ++step) {
    for (std::size_t i = step; i < pairs.range_m.size(); i += 7) {
      shuffled.range_m.push_back(pairs.range_m[i]), shuffled.expected_m.push_back(pairs.expected_m[i]);
      shuffled.scan.push_back(1000 + 3 * pairs.scan[i]);
    }
  }
  const DistanceCalibration fit = calibrate_distance(pairs), again = calibrate_distance(shuffled);
  EXPECT_NEAR(again.mean_m.std_error, fit.mean_m.std_error, 1e-6 * fit.mean_m.std_error);
  EXPECT_NEAR(again.mean_m.high_95, fit.mean_m.high_95, 1e-6 * fit.mean_m.std_error);
}

TEST(DistanceErrors, SayWhatTheyRestOn) {
  RangePairs pairs = drive(1);
  const std::vector<std::string> of_pairs = texts_of(calibrate_distance(without_scans(pairs)).findings);
  ASSERT_EQ(of_pairs.empty(), false);
  EXPECT_EQ(of_pairs.back(),
            "nothing tells which pairs are of one scan: standard errors take all as independent, and are too small "
            "where pairs of a scan, or of a place, are correlated");
  EXPECT_EQ(calibrate_distance(pairs, {.stretches = 5}).findings.back().text.text(),
            "standard errors rest on 5 stretches only: they are rough, take 20 stretches or more");
  std::fill(pairs.scan.begin(), pairs.scan.end(), 4U);
  expect_unknown(calibrate_distance(pairs));
  pairs.scan.pop_back();
  EXPECT_EQ(input_error([&] { (void)calibrate_distance(pairs); }), "8399 scan numbers given for 8400 ranges");
  EXPECT_EQ(input_error([&] { (void)calibrate_distance(drive(1), {.stretches = 1'000'001}); }),
            "stretches = 1000001 is not in [0, 1000000]");
}

}  // namespace
}  // namespace fathom::test::distance_errors_test

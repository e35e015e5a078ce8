// SPDX-License-Identifier: MIT
// Quantiles, and the variance of a parameter by blocks that hold very different shares of the information.

#include "fit/uncertainty.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>

namespace fathom::test::uncertainty_test {
namespace {

// Tables of Student's t: 12.706, 4.303, 2.262, 2.0227 (39), 1.9647 (600); normal beyond.
TEST(StudentsT, QuantilesOfStudentsT) {
  EXPECT_NEAR(student_t_quantile(.975, 1), 12.7062047362, 1e-8);
  EXPECT_NEAR(student_t_quantile(.975, 2), 4.30265272975, 1e-9);
  EXPECT_NEAR(student_t_quantile(.975, 9), 2.26215716280, 1e-9);
  EXPECT_NEAR(student_t_quantile(.975, 39), 2.02269092, 1e-8);
  EXPECT_NEAR(student_t_quantile(.025, 39), -2.02269092, 1e-8);
  EXPECT_NEAR(student_t_quantile(.975, 999) / student_t_quantile(.975, 1000), 1, 3e-6);
  EXPECT_NEAR(student_t_quantile(.975, 1e9), 1.95996398454, 1e-8);
}

/// Of degrees that are not whole, the density holds 95 % within the quantile: a sum of its values.
TEST(StudentsT, QuantilesOfStudentsTBetweenWholeDegrees) {
  for (const double degrees : {1.25, 1.5, 2.5, 3.75, 17.3, 250.5}) {
    const double t = student_t_quantile(.975, degrees);
    EXPECT_LT(t, student_t_quantile(.975, std::floor(degrees)));
    EXPECT_GT(t, student_t_quantile(.975, std::ceil(degrees)));
    constexpr int kSteps = 20'000;
    const double step = t / kSteps;
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double x = (i + 0.5) * step;
      sum += step * std::pow(1 + x * x / degrees, -0.5 * (degrees + 1));
    }
    const double scale = std::exp(std::lgamma(0.5 * (degrees + 1)) - std::lgamma(0.5 * degrees));
    EXPECT_NEAR(2 * sum * scale / std::sqrt(degrees * std::numbers::pi), 0.95, 1e-7) << degrees;
  }
  EXPECT_NEAR(student_t_quantile(.975, 2 + 1e-9), student_t_quantile(.975, 2), 1e-7);
}

double normal(std::uint32_t world, std::uint32_t place) {
  const auto word = keyed_block({.seed = 5, .frame = world, .stream = 3}, place, 0).word[0];
  return math::normal_quantile((word + 0.5) / 4294967296.0);
}

std::vector<double> shares_of(std::vector<double> weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= all;
  return weights;
}

/// Every eighth cluster carries ten times as much information.
std::vector<double> uneven(std::size_t clusters) {
  std::vector<double> weights;
  for (std::size_t g = 0; g < clusters; ++g) weights.push_back(g % 8 == 3 ? 10.0 : 1.0);
  return shares_of(weights);
}

TEST(BlockVariance, IsTheUsualOneWhereAllTellAlike) {
  const std::size_t clusters = 12;
  const std::vector<double> share(clusters, 1.0 / 12);
  std::vector<double> moved;
  double squares = 0;
  for (std::uint32_t g = 0; g < clusters; ++g) moved.push_back(normal(1, g)), squares += moved[g] * moved[g];
  const auto v = block_variance(moved, share, BartlettWeights(clusters, false));
  ASSERT_TRUE(v);
  EXPECT_NEAR(v->variance, squares * 12 / 11, 1e-12);
  EXPECT_NEAR(v->degrees, 11, 1e-9);
}

TEST(BlockVariance, OfTwoClustersHasOneDegreeHoweverTheyShare) {
  for (const double first : {0.5, 0.8, 0.93}) {
    // One estimate of each: the parameter is their mean by shares, and each moves it to its own side.
    const double apart = 0.3, move = first * (1 - first) * apart;
    const auto v = block_variance(std::vector{move, -move}, std::vector{first, 1 - first}, BartlettWeights(2, false));
    ASSERT_TRUE(v);
    // Of two estimates that differ by `apart`, the variance of their mean by shares.
    EXPECT_NEAR(v->variance, first * (1 - first) * apart * apart, 1e-9);
    EXPECT_NEAR(v->degrees, 1, 1e-6);
  }
}

TEST(BlockVariance, OneClusterThatTellsAllTellsNoVariance) {
  EXPECT_FALSE(block_variance(std::vector{0.0, 0.0}, std::vector{1.0, 0.0}, BartlettWeights(2, false)));
  EXPECT_FALSE(block_variance(std::vector{0.0}, std::vector{1.0}, BartlettWeights(1, false)));
  EXPECT_FALSE(block_variance(std::vector{0.01, -0.01}, std::vector{0.96, 0.04}, BartlettWeights(2, false)));
  EXPECT_FALSE(block_variance({}, {}, BartlettWeights(0, false)));
}

/// Many worlds of clusters with independent errors. The variance is right on average, its spread matches its degrees of
/// freedom, and intervals hold the truth.
void expect_law(const std::vector<double>& share, bool are_stretches, double most_held = 0.965) {
  constexpr std::uint32_t kWorlds = 10'000;
  const std::size_t clusters = share.size();
  const BartlettWeights weights(clusters, are_stretches);
  const double degrees = block_variance(share, share, weights)->degrees;
  const double quantile = student_t_quantile(0.975, degrees);
  double mean = 0, square = 0, held = 0;
  std::vector<double> of_cluster(clusters), moved(clusters);
  for (std::uint32_t world = 0; world < kWorlds; ++world) {
    double parameter = 0;
    for (std::uint32_t g = 0; g < clusters; ++g) {
      of_cluster[g] = normal(world, g) / std::sqrt(share[g]);
      parameter += share[g] * of_cluster[g];
    }
    for (std::size_t g = 0; g < clusters; ++g) moved[g] = share[g] * (of_cluster[g] - parameter);
    const auto v = block_variance(moved, share, weights);
    ASSERT_TRUE(v);
    ASSERT_EQ(v->degrees, degrees);
    mean += v->variance / kWorlds, square += v->variance * v->variance / kWorlds;
    held += std::abs(parameter) <= quantile * std::sqrt(v->variance) ? 1.0 / kWorlds : 0;
  }
  const double spread = square - mean * mean;
  EXPECT_NEAR(mean, 1, 5 * std::sqrt(spread / kWorlds)) << clusters;
  // The fourth moments of kWorlds worlds determine the degrees of freedom to a few percent.
  EXPECT_NEAR(2 * mean * mean / spread / degrees, 1, 0.1) << clusters;
  EXPECT_GE(held, 0.935) << clusters;
  EXPECT_LE(held, most_held) << clusters;
}

TEST(BlockVariance, IsRightOnAverageWithItsDegrees) {
  for (const bool are_stretches : {false, true}) {
    expect_law(std::vector<double>(40, 1.0 / 40), are_stretches);
    expect_law(uneven(40), are_stretches);
    expect_law(uneven(24), are_stretches);
    expect_law(shares_of({1, 1, 8, 6, 3, 1, 1, 1}), are_stretches);
  }
  // One tells most: a chi square of little more than one degree is an approximation to the safe side.
  expect_law(shares_of({60, 1, 8, 1, 1, 1}), false, 1.0);
}

}  // namespace
}  // namespace fathom::test::uncertainty_test

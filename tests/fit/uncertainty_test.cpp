// SPDX-License-Identifier: MIT
// Quantiles, and the variance of a parameter by blocks that hold very different shares of the information.

#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>

#include "fit/uncertainty.hpp"
#include "support/expect.hpp"

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

namespace fathom::test {
namespace {

using Eigen::MatrixXd;

/// B B' of normal numbers, with a separate unit for each row: positive definite.
MatrixXd any_positive(Eigen::Index n, std::uint32_t seed) {
  std::mt19937 draws(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(draws); };
  const MatrixXd b = MatrixXd::NullaryExpr(n, n, draw) + 2.0 * MatrixXd::Identity(n, n);
  const Eigen::VectorXd unit = (4.0 * Eigen::VectorXd::NullaryExpr(n, draw)).array().exp();
  return unit.asDiagonal() * b * b.transpose() * unit.asDiagonal();
}

RC_GTEST_PROP(Inverse, TimesItsMatrixIsOne, ()) {
  const MatrixXd a = any_positive(*rc::gen::inRange(1, 9), *rc::gen::arbitrary<std::uint32_t>());
  const auto inverse = inverse_of(a, 1e-12);
  RC_PRE(inverse.has_value());
  // Rounding grows with the inverse of the matrix that is scaled to a unit diagonal.
  const double largest = inverse->diagonal().cwiseProduct(a.diagonal()).maxCoeff();
  const Eigen::VectorXd unit = a.diagonal().cwiseSqrt();
  const MatrixXd one = unit.cwiseInverse().asDiagonal() * a * *inverse * unit.asDiagonal();
  RC_ASSERT((one - MatrixXd::Identity(a.rows(), a.rows())).cwiseAbs().maxCoeff() < 1e-13 * largest);
  const MatrixXd uneven = unit.asDiagonal() * (*inverse - inverse->transpose()) * unit.asDiagonal();
  RC_ASSERT(uneven.cwiseAbs().maxCoeff() < 1e-13 * largest);
}

TEST(Inverse, OfSomeRowsLeavesTheOthersOut) {
  MatrixXd whole = any_positive(5, 7);
  const std::vector<std::size_t> rows = {1, 2, 4};
  const auto expected = inverse_of(whole(rows, rows), 0.0);
  whole(0, 0) = std::numeric_limits<double>::quiet_NaN(), whole(3, 2) = whole(2, 3) = -1e30;
  const auto inverse = inverse_of(whole, rows, 0.0);
  ASSERT_TRUE(inverse && expected);
  EXPECT_EQ((*inverse)(rows, rows), *expected);
  for (const std::size_t other : {0, 3}) {
    EXPECT_TRUE(inverse->row(other).isZero(0) && inverse->col(other).isZero(0));
  }
  EXPECT_TRUE(inverse_of(whole, {}, 0.0)->isZero(0));
}

TEST(Inverse, OfAMatrixThatIsNotPositiveIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(inverse_of(MatrixXd{{2, 1}, {1, 2}}, 0));
  EXPECT_FALSE(inverse_of(MatrixXd{{1, 1}, {1, 1}}, 0));    // singular
  EXPECT_FALSE(inverse_of(MatrixXd{{1, 2}, {2, 1}}, 0));    // neither positive nor negative
  EXPECT_FALSE(inverse_of(MatrixXd{{-1, 0}, {0, -1}}, 0));  // negative, with an inverse
  EXPECT_FALSE(inverse_of(MatrixXd{{0, 0}, {0, 1}}, 0));    // says nothing of one row
  EXPECT_FALSE(inverse_of(MatrixXd{{1, nan}, {nan, 1}}, 0));
  EXPECT_FALSE(inverse_of(MatrixXd{{inf, 0}, {0, 1}}, 0));
  const MatrixXd near{{1.0, 1.0 - 1e-10}, {1.0 - 1e-10, 1.0}};
  EXPECT_FALSE(inverse_of(near, 1e-9));
  EXPECT_TRUE(inverse_of(near, 1e-12));
}

TEST(IndependentRows, LeaveOutSumsOfOthers) {
  // Rows of a Gram matrix of (1, 0), (2, 0) and (0, 3).
  const MatrixXd a{{1, 2, 0}, {2, 4, 0}, {0, 0, 9}};
  EXPECT_EQ(independent_rows(a, 1e-9), (std::vector<std::size_t>{0, 2}));
}

/// Rows in front of others are the ones that are kept, as many as the rank says.
RC_GTEST_PROP(IndependentRows, AreThoseThatHaveAnInverse, ()) {
  const int n = *rc::gen::inRange(1, 7), rank = *rc::gen::inRange(1, 7);
  MatrixXd factor(n, rank);
  for (double& value : factor.reshaped()) value = *rc::gen::inRange(-9, 10);
  const MatrixXd a = factor * factor.transpose();
  std::vector<std::size_t> slow;
  for (int row = 0; row < n; ++row) {
    std::vector<std::size_t> tried = slow;
    tried.push_back(row);
    if (inverse_of(a(tried, tried), 1e-7)) slow = tried;
  }
  RC_ASSERT(independent_rows(a, 1e-7) == slow);
}

/// Blocks whose parts sum to the outer product of sums over windows of lags + 1 blocks.
TEST(ParameterErrors, OfEvenBlocksAreTheSandwich) {
  std::mt19937 draws(3);
  std::normal_distribution<double> normal;
  const Eigen::Index blocks = 45;
  const MatrixXd scores = MatrixXd::NullaryExpr(blocks, 2, [&] { return normal(draws); });
  const BartlettWeights weights(blocks, true);
  ASSERT_EQ(weights.lags, 2U);
  MatrixXd middle = MatrixXd::Zero(2, 2);
  for (Eigen::Index end = 0; end < blocks + 2; ++end) {
    Eigen::RowVector2d sum = Eigen::RowVector2d::Zero();
    for (Eigen::Index g = std::max<Eigen::Index>(0, end - 2); g <= std::min(end, blocks - 1); ++g) sum += scores.row(g);
    middle += sum.transpose() * sum / 3.0;
  }
  middle *= blocks / (blocks - 3.0);
  EXPECT_TRUE(outer_product(scores, weights).isApprox(middle, 1e-12));

  const MatrixXd inverse{{0.5, 0.1}, {0.1, 0.25}};
  const ParameterErrors errors = parameter_errors(inverse.diagonal(), {scores * inverse}, weights);
  const Eigen::VectorXd clustered = (inverse * middle * inverse).diagonal().cwiseSqrt();
  EXPECT_TRUE(errors.error.isApprox(clustered.cwiseMax(inverse.diagonal().cwiseSqrt()), 1e-12));
  EXPECT_TRUE(errors.half_width.isApprox(student_t_quantile(0.975, weights.degrees(blocks)) * errors.error, 1e-12));
}

TEST(ParameterErrors, AreNeverBelowThoseOfIndependentDataAndNaNIfUnknown) {
  const BartlettWeights weights(4, false);
  const MatrixXd still = MatrixXd::Zero(4, 3), share = MatrixXd::Ones(4, 3);
  for (const MatrixXd& told : {MatrixXd(), share}) {
    const ParameterErrors errors = parameter_errors(Eigen::Vector3d(4.0, 0.0, -1.0), {still, told}, weights);
    EXPECT_EQ(errors.naive[0], 2.0);
    EXPECT_EQ(errors.error[0], 2.0);
    EXPECT_NEAR(errors.half_width[0], 2.0 * (told.size() > 0 ? 1.959964 : 3.182446), 1e-5);
    for (const Eigen::Index k : {1, 2}) EXPECT_TRUE(std::isnan(errors.error[k]) && std::isnan(errors.half_width[k]));
  }
  // One block alone shows no variance.
  const ParameterErrors one = parameter_errors(Eigen::Vector3d(4, 4, 4), {still.topRows(1), share.topRows(1)}, weights);
  EXPECT_EQ(one.error, one.naive);
}

}  // namespace
}  // namespace fathom::test

// SPDX-License-Identifier: MIT
#include "fit/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

// SPDX-License-Identifier: MIT
#include "fit/newton.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::test::newton_test {
namespace {

/// Normal data with a known sum of squares: the logarithm of the likelihood of mean and deviation.
struct NormalLikelihood {
  std::vector<double> data = {1.0, 2.0, 4.0, 5.0};
  std::vector<Interval> within = {{-10.0, 10.0}, {0.01, 10.0}};

  [[nodiscard]] std::size_t size() const { return data.size(); }
  [[nodiscard]] std::size_t parameters() const { return 2; }
  [[nodiscard]] Interval limits(std::size_t k) const { return within[k]; }
  [[nodiscard]] double total(std::span<const double> v) const {
    double sum = 0.0;
    for (const double x : data) sum -= 0.5 * std::pow((x - v[0]) / v[1], 2) + std::log(v[1]);
    return sum;
  }
  [[nodiscard]] Slope slope(std::span<const double> v, std::span<const double> /*steps*/) const {
    const double weight = static_cast<double>(size()) / (v[1] * v[1]);
    Slope s = {Eigen::Vector2d::Zero(), Eigen::Vector2d(weight, 2.0 * weight).asDiagonal()};
    for (const double x : data) {
      const double u = (x - v[0]) / v[1];
      s.gradient += Eigen::Vector2d(u / v[1], (u * u - 1.0) / v[1]);
    }
    return s;
  }
};
static_assert(SlopedLikelihood<NormalLikelihood>);

TEST(Newton, FindsTheMaximumFromFarAway) {
  const NormalLikelihood normal;
  for (const std::vector<double>& start : {std::vector{-8.0, 9.0}, std::vector{9.0, 0.5}}) {
    const Maximum top = climb_newton(objective_of(normal), start, 1e-13);
    EXPECT_TRUE(top.converged);
    EXPECT_NEAR(top.values[0], 3.0, 1e-5);
    EXPECT_NEAR(top.values[1], std::sqrt(2.5), 1e-5);
    const std::vector<double> near = search_coarsely(objective_of(normal), start);
    EXPECT_NEAR(near[0], 3.0, 0.1);
    EXPECT_NEAR(near[1], std::sqrt(2.5), 0.1);
  }
}

TEST(Newton, StopsAtLimits) {
  const NormalLikelihood normal{.within = {{-10.0, 2.5}, {2.0, 10.0}}};
  const Maximum top = climb_newton(objective_of(normal), {0.0, 5.0});
  EXPECT_EQ(top.values, (std::vector<double>{2.5, 2.0}));
}

/// Data above and below a threshold that never moves them: every threshold in between is as likely.
Objective step_at(double low, double high) {
  return {.limits = {{0.0, 1.0}},
          .total = [=](std::span<const double> v) { return v[0] >= low && v[0] < high ? 0.0 : -30.0; },
          .nearest = [](std::size_t, double value) { return value; }};
}

TEST(Jumps, AreInTheMiddleOfEquallyLikelyValues) {
  const Objective step = step_at(0.41, 0.43);
  for (const double start : {0.0, 0.42, 0.9}) {
    const JumpPeak peak = refine_jump(step, find_jump(step, start).value, 0.1);
    EXPECT_NEAR(peak.deviation, 0.02 / std::sqrt(12.0), 0.002);
    EXPECT_NEAR(peak.likeliest.high - peak.likeliest.low, 0.95 * 0.02, 0.0015);
    EXPECT_FALSE(peak.is_unbounded);
  }
}

TEST(Jumps, WithoutAnUpperBoundStayAsGiven) {
  const Objective step = step_at(0.4, 2.0);
  const JumpPeak peak = find_jump(step, 0.7);
  EXPECT_TRUE(peak.is_unbounded);
  EXPECT_EQ(peak.value, 0.7);
}

TEST(Highest, IsBesideTheBestPointOrAtIt) {
  const std::vector<double> points = {0.0, 1.0, 2.0, 3.0, 4.0};
  EXPECT_NEAR(highest(points, [](double x) { return std::cos(x - 2.3); }).x, 2.3, 1e-6);
  EXPECT_EQ(highest(points, [](double x) { return -x; }).x, 0.0);
  EXPECT_EQ(highest(points, [](double x) { return x > 3.5 ? -INFINITY : x == 3.0 ? 1.0 : 0.0; }).x, 3.0);
}

}  // namespace
}  // namespace fathom::test::newton_test

// SPDX-License-Identifier: MIT

#include "fit/estimator.hpp"
#include "support/expect.hpp"

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
  const NormalLikelihood normal{.within = {{-10.0, 10.0}, {0.01, 100.0}}};
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

/// From a mean of -8 the deviation first grows to more than its limit, where the likelihood does not tell the simplex
/// the way back.
TEST(Newton, FindsTheMaximumFromWhereTheSimplexStopsAtALimit) {
  const NormalLikelihood normal;
  const std::vector<double> start = {-8.0, 9.0}, near = search_coarsely(objective_of(normal), start);
  EXPECT_GT(normal.total(near), normal.total(start));
  const Maximum top = climb_newton(objective_of(normal), near, 1e-13);
  EXPECT_TRUE(top.converged);
  EXPECT_NEAR(top.values[0], 3.0, 1e-5);
  EXPECT_NEAR(top.values[1], std::sqrt(2.5), 1e-5);
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

/// Any of equally likely values may be the peak; the deviation is about it. Of 33 cells or more, one is in doubt.
TEST(Jumps, DeviateAboutOneOfEquallyLikelyValues) {
  const Objective step = step_at(0.41, 0.43);
  for (const double start : {0.0, 0.42, 0.9}) {
    const JumpPeak peak = refine_jump(step, find_jump(step, start).value, 0.1);
    EXPECT_EQ(step.total(std::span(&peak.value, 1)), 0.0);
    EXPECT_NEAR(peak.deviation, std::hypot(0.02 / std::sqrt(12.0), peak.value - 0.42), 0.0005);
    EXPECT_NEAR(peak.likeliest.high - peak.likeliest.low, 0.95 * 0.02, 0.0015);
    EXPECT_FALSE(peak.is_unbounded);
  }
}

TEST(Jumps, StayAtAValueThatIsAsLikely) {
  const Objective step = step_at(0.41, 0.43);
  EXPECT_EQ(find_jump(step, 0.428).value, 0.428);
  EXPECT_EQ(refine_jump(step, 0.428, 0.1).value, 0.428);
}

/// Each datum that a threshold passes costs half a nat: the part that counts has a hundred stairs, more than cells.
TEST(Jumps, AreInTheMiddleOfTheHighestStair) {
  constexpr double kStair = 0.005;
  const Objective stairs = {
      .limits = {{0.0, 1.0}},
      .total = [=](std::span<const double> v) { return -0.5 * std::abs(std::floor(v[0] / kStair) - 84.0); },
      .nearest = [](std::size_t, double value) { return value; }};
  for (const double start : {0.0, 0.3, 0.9}) {
    for (const JumpPeak& peak : {find_jump(stairs, start), refine_jump(stairs, start, 0.1)}) {
      EXPECT_EQ(peak.log_likelihood, 0.0);
      EXPECT_NEAR(peak.value, 84.5 * kStair, 0.1 * kStair);
    }
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

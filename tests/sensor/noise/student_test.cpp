// SPDX-License-Identifier: MIT
#include <fathom/noise/student.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

std::vector<double> errors_of(const Lanes& lanes) {
  return values_of_lanes(lanes, [&](std::size_t i) { return double{lanes.returns[i].range_m}; });
}

void expect_uniform(std::vector<double> u) {
  const double p = chi_square_p_of_uniforms(u, 201);
  EXPECT_GT(p, kLowestP);
  EXPECT_LT(p, kHighestP);
}

// Closed forms of the cdf, which measured_range_law.cpp does not use.
TEST(Student, OfOneDegreeIsACauchyLaw) {
  auto u = errors_of(sample(StudentNoise{0.25F, 0.0F, 1.0F}, 3, 0, 0));
  for (double& r : u) r = 0.5 + std::atan((r - 3.0) / 0.25) / std::numbers::pi;
  expect_uniform(u);
}

TEST(Student, OfThreeDegreesHasItsShapeAndGrowsWithTheRange) {
  auto u = errors_of(sample(StudentNoise{0.05F, 0.01F, 3.0F}, 0, 5, 0));
  for (double& r : u) {
    const double x = (r - 5.0) / 0.1, s = x / std::sqrt(3.0);
    r = 0.5 + (s / (1 + s * s) + std::atan(s)) / std::numbers::pi;
  }
  expect_uniform(u);
}

TEST(Student, OfManyDegreesIsANormal) {
  const auto errors = errors_of(sample(StudentNoise{0.125F, 0.0F, 1e6F}, 1, 0, 0));
  expect_gaussian(errors, 1.0, 0.125, 1e-6);
}

TEST(Student, IsFiniteForTheLeastDegreesAndMovesThePointWithTheRange) {
  Lanes lanes = make_lanes(1 << 16);
  const Lanes before = lanes;
  apply(StudentNoise{0.05F, 0.0F, 0.5F}, detect_isa(), {3, 1, 4}, lanes);
  double widest = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Return &r = lanes.returns[i], &old = before.returns[i];
    ASSERT_TRUE(std::isfinite(r.range_m)) << i;
    const double moved = double{r.range_m} - old.range_m, scale = 1.0 + moved / old.radius_m;
    widest = std::max(widest, std::abs(moved));
    ASSERT_NEAR(r.x, scale * old.x, 1e-6 * (std::abs(moved) + 100));
  }
  EXPECT_GT(widest, 1e3);  // tails of half a degree reach far
}

}  // namespace
}  // namespace fathom::test

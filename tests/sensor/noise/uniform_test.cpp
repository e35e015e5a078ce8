// SPDX-License-Identifier: MIT
#include <fathom/noise/uniform.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

// At range 1 a float resolves 6e-8; the cells below are 500 times wider.
void expect_uniform(const UniformNoise& model, double low, double high) {
  const Lanes lanes = sample(model, 1, 0, 0);
  auto errors = values_of_lanes(lanes, [&](std::size_t i) { return double{lanes.returns[i].range_m} - 1.0; });
  const double width = high - low;
  const Moments m = moments_of(errors);
  EXPECT_NEAR(m.mean, (low + high) / 2, 4 * width / std::sqrt(12.0 * kDraws));
  EXPECT_NEAR(m.variance, width * width / 12, 4 * width * width / std::sqrt(180.0 * kDraws));
  for (double& e : errors) {
    ASSERT_GE(e, low - 1e-7);
    ASSERT_LE(e, high + 1e-7);
    e = std::max(0.0, (e - low) / width);
  }
  const double p = chi_square_p_of_uniforms(errors, 201);
  EXPECT_GT(p, kLowestP);
  EXPECT_LT(p, kHighestP);
}

TEST(Uniform, ErrorsFillTheIntervalEvenly) {
  expect_uniform({-0.25F, 0.5F}, -0.25, 0.5);
  expect_uniform({0.125F, 0.25F}, 0.125, 0.25);
}

TEST(Uniform, TheOrderOfTheBoundsDoesNotMatter) { expect_uniform({0.5F, -0.25F}, -0.25, 0.5); }

TEST(Uniform, EqualBoundsAreAConstant) {
  const Lanes lanes = sample(UniformNoise{0.25F, 0.25F}, 1, 0, 0);
  for (const Return& r : lanes.returns) ASSERT_EQ(r.range_m, 1.25F);
}

TEST(Uniform, MovesThePointWithTheRange) {
  Lanes lanes = make_lanes(4096);
  const Lanes before = lanes;
  apply(UniformNoise{-0.05F, 0.05F}, detect_isa(), {3, 1, 4}, lanes);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Return &r = lanes.returns[i], &old = before.returns[i];
    const double scale = 1.0 + (double{r.range_m} - old.range_m) / old.radius_m;
    const double slack = std::ldexp(std::max(old.range_m, old.radius_m), -21);
    ASSERT_NEAR(r.x, scale * old.x, slack);
    ASSERT_NEAR(r.y, scale * old.y, slack);
    ASSERT_NEAR(r.z, scale * old.z, slack);
  }
}

}  // namespace
}  // namespace fathom::test

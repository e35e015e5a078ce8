// SPDX-License-Identifier: MIT
#include <fathom/noise/disparity.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

constexpr double kFb = 50.0;  // of the optics in sensor/noise/blocks.hpp

// z' = f B / d', so that f B / z' is Gaussian, wherever the point lies in the image.
TEST(DisparityError, IsGaussianInTheDisparity) {
  for (const float z : {1.0F, 3.0F, 8.0F}) {
    const Lanes lanes = sample(Disparity{.bias_px = 0.2F, .stddev_px = 0.25F}, z, 0.4F * z, -0.2F * z);
    const auto d = values_of_lanes(lanes, [&](std::size_t i) { return kFb / double{lanes.returns[i].x} - kFb / z; });
    expect_gaussian(d, double{0.2F}, 0.25, 3e-7 * kFb / z);
  }
}

// What the documentation promises of the depth, to first order in sigma.
TEST(DisparityError, OfTheDepthIsTheClosedForm) {
  for (const float z : {1.0F, 3.0F, 8.0F}) {
    const double sigma = 0.05;
    const Lanes lanes = sample(Disparity{.stddev_px = float(sigma)}, z, 0, 0);
    const auto errors = values_of_lanes(lanes, [&](std::size_t i) { return double{lanes.returns[i].x} - z; });
    EXPECT_NEAR(std::sqrt(moments_of(errors).variance), z * z * sigma / kFb, 0.01 * z * z * sigma / kFb) << z;
  }
}

TEST(DisparityError, ABiasMovesThePointAlongItsLineByTheClosedForm) {
  for (const float bias : {-2.0F, 0.5F}) {
    const Lanes lanes = sample(Disparity{.bias_px = bias}, 3, 1, -0.5F);
    const double scale = (kFb / 3) / (kFb / 3 + bias), range = std::sqrt(9 + 1 + 0.25);
    for (std::size_t i = 0; i < 64; ++i) {
      const Return& r = lanes.returns[i];
      ASSERT_NEAR(r.x, 3 * scale, 2e-6);
      ASSERT_NEAR(r.y, scale, 1e-6);
      ASSERT_NEAR(r.z, -0.5 * scale, 1e-6);
      ASSERT_NEAR(r.range_m, scale * range, 3e-6);
      ASSERT_EQ(lanes.reasons[i], 0U);
    }
  }
}

Reading measured(const Disparity& model, double exact_px, float normal = 0.0F) {
  Surface surface;
  surface.optics = {.fx_px = 64, .cx_px = 0, .baseline_m = 1};
  const auto z = static_cast<float>(64 / exact_px);
  return Disparity::apply(model, {z, 0, 0, z, z}, surface, {{normal}, {}});
}

TEST(DisparityError, IsRoundedToTheNearestLevel) {
  const Disparity model = {.steps_per_px = 8};
  for (int k = 8; k < 4000; ++k) {
    const double exact = k / 61.0, expected = std::nearbyint(exact * 8) / 8;
    if (std::abs(std::abs(exact * 8 - std::nearbyint(exact * 8)) - 0.5) < 1e-4) continue;  // between two levels
    ASSERT_NEAR(64 / double{measured(model, exact).hit.x}, expected, 1e-5 * expected) << exact;
  }
}

TEST(DisparityError, OneAtOrBelowZeroHasNoRange) {
  EXPECT_EQ(measured({.bias_px = -8}, 8).reason, Reason::kAboveMaxRange);
  EXPECT_EQ(measured({.bias_px = -9}, 8).reason, Reason::kAboveMaxRange);
  EXPECT_EQ(measured({.bias_px = -7.75F}, 8).reason, Reason::kHit);
  EXPECT_EQ(measured({.bias_px = -7.75F}, 8).hit.x, 256.0F);
  EXPECT_EQ(measured({.bias_px = -7.75F, .steps_per_px = 1}, 8).reason, Reason::kAboveMaxRange);  // rounds to 0
  EXPECT_EQ(measured({.stddev_px = 2}, 8, -4.0F).reason, Reason::kAboveMaxRange);
  EXPECT_EQ(measured({.stddev_px = 2}, 8, -3.5F).reason, Reason::kHit);
}

// At 5 m the disparity is 10 px.
TEST(DisparityError, LosesTheShareOfTheGaussianBelowZero) {
  for (const float steps : {0.0F, 1.0F}) {
    const Lanes lanes = sample(Disparity{.stddev_px = 8, .steps_per_px = steps}, 5, 0, 0);
    double lost = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      lost += lanes.reasons[i] == static_cast<std::uint32_t>(Reason::kAboveMaxRange) ? 1 : 0;
      if (lanes.reasons[i] == 0) {
        ASSERT_GT(lanes.returns[i].x, 0.0F);
      }
    }
    const double p = normal_cdf((steps > 0 ? -9.5 : -10.0) / 8);
    EXPECT_TRUE(is_binomial(lost, static_cast<double>(kDraws), p, 4)) << lost << " at " << steps;
  }
}

TEST(DisparityError, WithoutErrorsKeepsEveryBit) {
  EXPECT_TRUE(Disparity{}.is_identity());
  EXPECT_FALSE(Disparity{.bias_px = 0.1F}.is_identity());
  EXPECT_FALSE(Disparity{.stddev_px = 0.1F}.is_identity());
  EXPECT_FALSE(Disparity{.steps_per_px = 8}.is_identity());
  for (const double exact : {0.1, 1.7, 300.0}) {
    const auto z = static_cast<float>(64 / exact);
    const Reading out = measured({}, exact, 3.0F);
    EXPECT_EQ(out.hit.x, z);
    EXPECT_EQ(out.hit.range_m, z);
    EXPECT_EQ(out.reason, Reason::kHit);
  }
}

}  // namespace
}  // namespace fathom::test

// SPDX-License-Identifier: MIT
#include <fathom/noise/subpixel_ripple.hpp>

#include "support/expect.hpp"

namespace fathom::test::subpixel_ripple_test {
namespace {

constexpr double kFb = 50.0;

/// The measured disparity of a hit beside the axis.
double measured_px(const SubpixelRipple& model, double exact_px) {
  Surface surface;
  surface.optics = {.fx_px = 500, .cx_px = 320, .baseline_m = 0.1F};
  const auto z = static_cast<float>(kFb / exact_px);
  const float radius = z * std::sqrt(1.25F);
  const Reading reading = SubpixelRipple::apply(model, {z, 0.5F * z, 0, radius, radius}, surface, {});
  EXPECT_EQ(reading.reason, Reason::kHit);
  EXPECT_NEAR(reading.hit.y / reading.hit.x, 0.5, 1e-6) << "the point stays on its line";
  return kFb / double{reading.hit.x};
}

TEST(SubpixelRipple, IsTheSineOfTheFraction) {
  for (const float phase : {0.0F, 0.25F, -0.7F}) {
    const SubpixelRipple model = {.amplitude_px = 0.08F, .phase_px = phase};
    for (int k = 20; k < 4000; ++k) {
      const double d = k / 37.0;
      const double error = 0.08 * std::sin(2 * std::numbers::pi * (d - double{phase}));
      EXPECT_NEAR(measured_px(model, d) - d, error, 4e-7 * d + 1e-5) << d;
    }
  }
}

TEST(SubpixelRipple, LosesWhatHasNoDisparityLeft) {
  EXPECT_TRUE(SubpixelRipple{}.is_identity());
  EXPECT_EQ(SubpixelRipple{.phase_px = 0.2F}.idle("phase_px"), "amplitude_px = 0");
  Surface surface;
  surface.optics = {.fx_px = 500, .cx_px = 320, .baseline_m = 0.1F};
  const float far = 5e4F;  // 0.001 px, at the first trough -0.4 px
  const SubpixelRipple model = {.amplitude_px = 0.5F, .phase_px = 0.25F};
  EXPECT_EQ(SubpixelRipple::apply(model, {far, 0, 0, far, far}, surface, {}).reason, Reason::kAboveMaxRange);
}

TEST(SubpixelRipple, HasALawWhereADisparityIsLeft) {
  const SubpixelRipple model = {.amplitude_px = 0.5F, .phase_px = 0.45F};
  const auto law_at = [&](double depth_m) {
    MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(depth_m, depth_m, kFb);
    SubpixelRipple::act(model, law);
    return law;
  };
  const MeasuredRangeLaw near = law_at(2);  // 25 px
  EXPECT_TRUE(near.unknown.empty());
  EXPECT_NEAR(near.mean_m, kFb / (25 + 0.5 * std::sin(2 * std::numbers::pi * (25 - 0.45))), 1e-6);
  EXPECT_FALSE(law_at(250).unknown.empty()) << "0.2 px less 0.5 px";
}

}  // namespace
}  // namespace fathom::test::subpixel_ripple_test

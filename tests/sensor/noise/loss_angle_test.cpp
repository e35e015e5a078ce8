// SPDX-License-Identifier: MIT
#include <fathom/noise/loss_angle.hpp>

#include <fathom/core/geometry.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

Reason angle_loss(const LossAngle& model, float cosine) {
  Surface surface;
  surface.cos_emitter = cosine;
  return LossAngle::apply(model, {}, surface, {});
}

// To the last bit of the cosine: a surface at the limit is kept.
TEST(LossAngle, KeepsTheLimitAndNothingBeyond) {
  for (int degrees = 1; degrees < 90; ++degrees) {
    const LossAngle model{.max_incidence_rad = static_cast<float>(degrees * kRadPerDeg)};
    const auto reason = [&](float cosine) { return angle_loss(model, cosine); };
    const float limit = math::sincos(model.max_incidence_rad).cos;
    EXPECT_NEAR(limit, std::cos(double{model.max_incidence_rad}), 1e-7);
    EXPECT_EQ(reason(limit), Reason::kHit) << degrees;
    EXPECT_EQ(reason(std::nextafter(limit, 2.0F)), Reason::kHit) << degrees;
    EXPECT_EQ(reason(std::nextafter(limit, -2.0F)), Reason::kLossAngle) << degrees;
  }
}

// Nothing of the surface but the incidence counts.
TEST(LossAngle, CamerasDoNotMatter) {
  Surface surface;
  surface.cos_left = surface.cos_right = -1.0F;
  surface.left_to_emitter = surface.right_to_emitter = -1.0F;
  surface.hidden = kHiddenFromLeft | kHiddenFromRight;
  EXPECT_EQ(LossAngle::apply({.max_incidence_rad = 0.1F}, {}, surface, {}), Reason::kHit);
}

TEST(LossAngle, AQuarterTurnLosesNothingThatIsStruck) {
  const LossAngle none{};
  EXPECT_TRUE(none.is_identity());
  EXPECT_FALSE(LossAngle{.max_incidence_rad = std::nextafter(LossAngle::kMaxIncidenceRad, 0.0F)}.is_identity());
  for (const float cosine : {1.0F, 0.5F, 1e-3F, 1e-6F}) EXPECT_EQ(angle_loss(none, cosine), Reason::kHit) << cosine;
}

}  // namespace
}  // namespace fathom::test

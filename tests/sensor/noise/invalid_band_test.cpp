// SPDX-License-Identifier: MIT
#include <fathom/noise/invalid_band.hpp>

#include "support/expect.hpp"

namespace fathom::test::invalid_band_test {
namespace {

constexpr Optics kOptics = {.fx_px = 500, .cx_px = 320, .baseline_m = 0.1F};
constexpr double kFb = 50.0;

/// Of the hit that the pixel of column `u` sees at depth z.
Reason reason_at(const InvalidBand& model, double u, double z) {
  Surface surface;
  surface.optics = kOptics;
  const double y = (kOptics.cx_px - u) / kOptics.fx_px * z;
  const Return hit = {static_cast<float>(z), static_cast<float>(y), 0, 0, 0};
  return InvalidBand::apply(model, hit, surface, {});
}

TEST(InvalidBandLoss, LosesTheColumnsLeftOfTheDisparity) {
  for (const double z : {0.3, 0.7, 1.1, 3.3, 80.0}) {
    const double d = kFb / z;
    int lost = 0;
    for (int u = 0; u < 640; ++u) {
      const Reason reason = reason_at({}, u, z);
      ASSERT_EQ(reason, u < d ? Reason::kHiddenRight : Reason::kHit) << u << " at " << z;
      lost += reason == Reason::kHit ? 0 : 1;
    }
    EXPECT_EQ(lost, std::ceil(d)) << z;
  }
}

TEST(InvalidBandLoss, TheMarginWidensTheBand) {
  for (const float margin : {1.0F, 5.0F, 64.0F}) {
    for (int u = 0; u < 200; ++u) {
      const Reason wanted = u < 40 + margin ? Reason::kHiddenRight : Reason::kHit;
      EXPECT_EQ(reason_at({.margin_px = margin}, u, kFb / 40), wanted) << u;
    }
  }
  EXPECT_EQ(reason_at({.left_band = false, .margin_px = 5}, 0, kFb / 40), Reason::kHit);
}

TEST(InvalidBandLoss, TheColumnOfTheDisparityItselfIsKept) {
  for (int u = 1; u < 200; ++u) {  // u - d = 0, up to rounding
    EXPECT_EQ(reason_at({}, u, kFb / u), Reason::kHit) << u;
    EXPECT_EQ(reason_at({}, u - 0.01, kFb / u), Reason::kHiddenRight) << u;
  }
}

TEST(InvalidBandLoss, DisparitiesBeyondTheSearchAreTooNear) {
  const InvalidBand both = {.left_band = true, .max_disparity_px = 126}, search = {false, 126};
  const double limit = kFb / 126;
  for (const double u : {0.0, 320.0, 639.0}) {
    EXPECT_EQ(reason_at(search, u, 0.999 * limit), Reason::kBelowMinRange);
    EXPECT_EQ(reason_at(search, u, 1.001 * limit), Reason::kHit);
    EXPECT_EQ(reason_at(both, u, 0.999 * limit), Reason::kBelowMinRange);  // comes before the band
  }
  EXPECT_EQ(reason_at(both, 0, 1.001 * limit), Reason::kHiddenRight);
  EXPECT_EQ(reason_at(both, 320, 1.001 * limit), Reason::kHit);
  // The largest allowed number means no limit.
  EXPECT_EQ(reason_at({false, InvalidBand::kNoLimit}, 320, kFb / 2e6), Reason::kHit);
}

TEST(InvalidBandLoss, IsTheIdentityWithNeither) {
  EXPECT_TRUE((InvalidBand{.left_band = false}).is_identity());
  EXPECT_FALSE(InvalidBand{}.is_identity());
  EXPECT_FALSE((InvalidBand{.left_band = false, .max_disparity_px = 126}).is_identity());
}

}  // namespace
}  // namespace fathom::test::invalid_band_test

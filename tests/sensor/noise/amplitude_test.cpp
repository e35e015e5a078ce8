// SPDX-License-Identifier: MIT
#include <fathom/noise/amplitude.hpp>

#include "support/expect.hpp"

namespace fathom::test::amplitude_test {
namespace {

/// The error of a return at 2 m by one standard normal.
double deviation_m(const AmplitudeNoise& model, float power) {
  Surface surface;
  surface.power = power;
  return double{AmplitudeNoise::apply(model, {2, 0, 0, 2, 2}, surface, {.normal = {1}, .uniform = {}}).range_m} - 2.0;
}

TEST(Amplitude, AddsTheVariancesOfItsThreeErrors) {
  for (const float power : {4.0F, 1.0F, 0.25F, 0.01F}) {
    const double p = double{power};
    EXPECT_NEAR(deviation_m({.stddev_m = 0.03F}, power), 0.03, 2e-7);
    EXPECT_NEAR(deviation_m({.shot_m = 0.01F}, power), 0.01 / std::sqrt(p), 4e-7);
    EXPECT_NEAR(deviation_m({.background_m = 0.01F}, power), 0.01 / p, 4e-7);
    const double all = std::sqrt(0.03 * 0.03 + 0.02 * 0.02 / p + 0.01 * 0.01 / (p * p));
    EXPECT_NEAR(deviation_m({0.03F, 0.02F, 0.01F}, power), all, 4e-7);
  }
}

TEST(Amplitude, StaysFiniteWithoutLight) {
  EXPECT_TRUE(AmplitudeNoise{}.is_identity());
  EXPECT_TRUE(std::isfinite(deviation_m({10, 10, 10}, 0.0F)));
}

}  // namespace
}  // namespace fathom::test::amplitude_test

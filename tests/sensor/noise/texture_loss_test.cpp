// SPDX-License-Identifier: MIT
#include <fathom/noise/texture_loss.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

/// The law in double precision.
double probability_of(const TextureLoss& p, double z) {
  const double light = 1 / (1 + double{p.ambient_klx} / p.half_ambient_klx);
  const double s = p.texture + p.projector * std::exp(-(z - 1) / p.reach_m) / (z * z) * light;
  return 1 / (1 + std::exp((s - p.midpoint) / p.width));
}

double share_lost(const TextureLoss& law, float z) {
  const Lanes lanes = sample(law, z, 0.5F, 0.25F);
  const auto is_lost = [](std::uint32_t r) { return r == static_cast<std::uint32_t>(Reason::kLowTexture); };
  for (const std::uint32_t r : lanes.reasons) EXPECT_TRUE(r == 0 || is_lost(r));
  return static_cast<double>(std::count_if(lanes.reasons.begin(), lanes.reasons.end(), is_lost)) /
         static_cast<double>(lanes.size());
}

TEST(TextureLossLaw, LosesTheShareOfItsLogisticAtEveryDistance) {
  for (const TextureLoss& law :
       {TextureLoss{}, TextureLoss{.ambient_klx = 30}, TextureLoss{.texture = 0.02F, .reach_m = 2},
        TextureLoss{.texture = 0.1F, .projector = 0, .midpoint = 0.1F, .width = 0.3F}}) {
    for (const float z : {0.4F, 1.0F, 2.5F, 4.0F, 9.0F}) {
      const double p = probability_of(law, z), n = kDraws;
      EXPECT_NEAR(share_lost(law, z), p, 4 * std::sqrt(p * (1 - p) / n) + 1e-6) << z;
    }
  }
}

TEST(TextureLossLaw, PlainWallsFailFarAwayAndInTheSunAndTexturedOnesDoNot) {
  const TextureLoss plain, textured{.texture = 0.3F};
  TextureLoss in_the_sun = plain, textured_in_the_sun = textured;
  in_the_sun.ambient_klx = textured_in_the_sun.ambient_klx = 100;
  EXPECT_EQ(share_lost(plain, 1.0F), 0.0);
  EXPECT_GT(share_lost(plain, 9.0F), 0.8);
  EXPECT_GT(share_lost(in_the_sun, 3.0F), 0.8);
  EXPECT_LT(share_lost(plain, 3.0F), 0.2);
  for (const float z : {0.3F, 3.0F, 30.0F}) {
    EXPECT_EQ(share_lost(textured, z), 0.0);
    EXPECT_EQ(share_lost(textured_in_the_sun, z), 0.0);
  }
}

TEST(TextureLossLaw, IsFiniteAtTheEndsOfItsParameters) {
  for (const TextureLoss& law : {TextureLoss{.projector = 0, .reach_m = 0.01F, .midpoint = 0.5F},
                                 TextureLoss{.reach_m = 0.01F, .width = 1e-6F}}) {
    EXPECT_EQ(share_lost(law, 0.001F), law.projector > 0 ? 0.0 : 1.0);
  }
}

}  // namespace
}  // namespace fathom::test

// SPDX-License-Identifier: MIT
// The law of losses, draw by draw, at the very edge of its threshold and limits, and as frequencies.

#include <fathom/noise/stereo_energy.hpp>

#include "sensor/noise/samples.hpp"

namespace fathom::test {
namespace {

constexpr float kLargestDraw = 1.0F - 0x1p-24F;

float just_above(float x) { return std::nextafter(x, 2.0F); }
float just_below(float x) { return std::nextafter(x, -2.0F); }

/// A surface that E is read of, by either choice of the angle, without rounding.
Reason energy_loss(const StereoEnergy& model, float e, float draw) {
  Surface surface;
  surface.cos_emitter = e, surface.cos_left = e, surface.cos_right = 1.0F;
  if (model.energy == EnergyAngle::kHalfVector) surface.cos_right = e;
  return StereoEnergy::apply(model, {}, surface, {{}, {draw}});
}

TEST(StereoEnergyLoss, EveryReturnIsLostAtTheThresholdOfTheEnergyAndNotJustAboveIt) {
  for (const auto normalization : {EnergyNormalization::kDocument, EnergyNormalization::kThreshold}) {
    for (const auto energy : {EnergyAngle::kCosine, EnergyAngle::kHalfVector}) {
      for (const float least : {0.0F, 0.18F, 0.3F, 0.5F, 0.9F, 0.99F}) {
        for (const float pow : {0.01F, 1.0F, 14.0F}) {
          const StereoEnergy model{.min_energy = least, .pow = pow, .normalization = normalization, .energy = energy};
          for (const float draw : {0.0F, 0.5F, kLargestDraw}) {
            EXPECT_EQ(energy_loss(model, least, draw), Reason::kLowEnergy) << least << " " << pow;
            EXPECT_EQ(energy_loss(model, just_below(least), draw), Reason::kLowEnergy) << least << " " << pow;
            EXPECT_NE(energy_loss(model, just_above(least), draw), Reason::kLowEnergy) << least << " " << pow;
          }
        }
      }
    }
  }
}

// P jumps at the threshold with one normalization, and starts from 1 with the other.
TEST(StereoEnergyLoss, JustAboveTheThresholdOfTheEnergyTheTwoNormalizationsPart) {
  for (const float least : {0.1F, 0.18F, 0.3F, 0.45F}) {
    const StereoEnergy document{.min_energy = least, .pow = 1, .normalization = EnergyNormalization::kDocument};
    const float p = 1.0F - least / (1.0F - least);
    EXPECT_EQ(energy_loss(document, just_above(least), p - 1e-5F), Reason::kRandomLoss);
    EXPECT_EQ(energy_loss(document, just_above(least), p + 1e-5F), Reason::kHit);
    const StereoEnergy threshold{.min_energy = least, .pow = 1, .normalization = EnergyNormalization::kThreshold};
    EXPECT_EQ(energy_loss(threshold, just_above(least), 1.0F - 1e-6F), Reason::kRandomLoss);
    EXPECT_EQ(energy_loss(threshold, 1.0F, 0.0F), Reason::kHit);  // P = 0 at E = 1
  }
  const StereoEnergy negative{.min_energy = 0.6F, .pow = 1e-9F, .normalization = EnergyNormalization::kDocument};
  EXPECT_EQ(energy_loss(negative, just_above(0.6F), 0.0F), Reason::kHit);  // X < 0: P = 0
}

// 1e-9 and 1e9 are where P is 1 or 0 for all X between 0 and 1: a pow beyond could change nothing.
TEST(StereoEnergyLoss, BeyondTheLimitsOfPowTheLawHasNoShape) {
  const auto energy_of_x = [](float x) { return 1.0F - x; };  // exact where both are multiples of 2^-24
  for (const float x : {0x1p-24F, 0x1p-12F, 0.5F, 0.75F, 1.0F - 0x1p-12F, 1.0F - 0x1p-24F}) {
    const auto with_pow = [&](float pow, float draw) {
      return energy_loss({.min_energy = 0, .pow = pow}, energy_of_x(x), draw);
    };
    EXPECT_EQ(with_pow(1e-9F, kLargestDraw), Reason::kRandomLoss) << x;
    EXPECT_EQ(with_pow(1e9F, 0x1p-32F), Reason::kHit) << x;
  }
  for (const float pow : {1e-9F, 1.0F, 1e9F}) {
    EXPECT_EQ(energy_loss({.min_energy = 0, .pow = pow}, 1.0F, 0.0F), Reason::kHit) << pow;  // X = 0
  }
}

/// P of the kernel, by bisection over the draw.
double probability(const StereoEnergy& model, float e) {
  double low = 0, high = 1;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (energy_loss(model, e, static_cast<float>(middle)) == Reason::kHit ? high : low) = middle;
  }
  return low;
}

TEST(StereoEnergyLoss, PowersOfSevenDecadesFollowTheLaw) {
  for (const double pow : {1e-6, 1e-4, 0.02, 0.7, 14.0, 350.0, 1e4, 1e5}) {
    for (const double p : {0.05, 0.4, 0.95}) {
      const double x = std::pow(p, 1 / pow);
      if (x < 1e-6) continue;
      const float e = static_cast<float>(1 - x);  // min_energy 0: X = 1 - E
      const double expected = std::pow(1 - double{e}, double{static_cast<float>(pow)});
      EXPECT_NEAR(probability({.min_energy = 0, .pow = static_cast<float>(pow)}, e), expected,
                  1e-7 * (2 + pow / x) * expected + 1e-7)
          << pow << " " << p;
    }
  }
}

TEST(StereoEnergyLoss, TheLimitsOfMinEnergyAndPowAreOpenAtZeroAndOne) {
  EXPECT_NO_THROW(Noise(StereoEnergy{.min_energy = kLargestDraw}));
  EXPECT_EQ(input_error([] { Noise(StereoEnergy{.min_energy = 1.0F}); }),
            "stereo_energy.min_energy = 1 is not in [0, 0.99999994]");
  EXPECT_NO_THROW(Noise(StereoEnergy{.pow = 1e-9F}));
  EXPECT_NO_THROW(Noise(StereoEnergy{.pow = 1e9F}));
  EXPECT_EQ(input_error([] { Noise(StereoEnergy{.pow = 0.0F}); }),
            "stereo_energy.pow = 0 is not in [1e-09, 1000000000]");
  EXPECT_EQ(energy_loss({.min_energy = kLargestDraw}, kLargestDraw, kLargestDraw), Reason::kLowEnergy);
  EXPECT_EQ(energy_loss({.min_energy = kLargestDraw}, 1.0F, 0.0F), Reason::kHit);
}

/// E in double precision.
double energy_of_surface(EnergyAngle angle, const Surface& s) {
  const auto one = [&](double cosine, double to_emitter) {
    if (angle == EnergyAngle::kCosine) return cosine;
    return (cosine + s.cos_emitter) / std::sqrt(2 + 2 * to_emitter);  // n . (l + e) / |l + e|
  };
  return std::min(one(s.cos_left, s.left_to_emitter), one(s.cos_right, s.right_to_emitter));
}

// Surfaces of any kind, from sensor/noise/blocks.hpp: cameras before the surface and behind it.
TEST(StereoEnergyLoss, LosesTheShareThatTheLawGives) {
  for (const auto normalization : {EnergyNormalization::kDocument, EnergyNormalization::kThreshold}) {
    for (const auto angle : {EnergyAngle::kCosine, EnergyAngle::kHalfVector}) {
      const StereoEnergy law{.min_energy = 0.2F, .pow = 2.5F, .normalization = normalization, .energy = angle};
      const Lanes lanes = sample(law, 1, 2, 3);
      SurfaceBlock block;
      double expected = 0, variance = 0, random = 0;
      for (std::size_t begin = 0; begin < lanes.size(); begin += kBlockRays) {
        fill_surface(lanes.quads.data() + begin / 4, kBlockRays, block);
        for (std::size_t i = 0; i < kBlockRays; ++i) {
          const double e = energy_of_surface(angle, surface_of_lane(block, i, block.optics)), least = law.min_energy;
          if (std::abs(e - least) < 1e-6) continue;
          const auto reason = static_cast<Reason>(lanes.reasons[begin + i]);
          ASSERT_EQ(reason == Reason::kLowEnergy, e < least) << e;
          if (e < least) continue;
          const double share = 1 - least;
          const double x = normalization == EnergyNormalization::kDocument ? 1 - e / share : (1 - e) / share;
          const double p = std::pow(std::clamp(x, 0.0, 1.0), double{law.pow});
          expected += p, variance += p * (1 - p), random += reason == Reason::kRandomLoss ? 1 : 0;
        }
      }
      EXPECT_NEAR(random, expected, 4 * std::sqrt(variance));
      EXPECT_GT(random, 1000);
    }
  }
}

TEST(StereoEnergyLoss, HasNoIdentityAndTellsItsAngle) {
  EXPECT_FALSE((StereoEnergy{.min_energy = 0, .pow = 1e9F}).is_identity());
  EXPECT_EQ(StereoEnergy{}.energy_angle(), EnergyAngle::kCosine);
  EXPECT_EQ(StereoEnergy{.energy = EnergyAngle::kHalfVector}.energy_angle(), EnergyAngle::kHalfVector);
}

}  // namespace
}  // namespace fathom::test

// SPDX-License-Identifier: MIT
// Losses at the very edge of their thresholds and limits.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/noise/loss_angle.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "render/stereo_scenes.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::count_of;
using test::make_plane_scene;
using test::make_room_scene;
using test::make_sensor;
using test::make_stereo;
using test::render_once;
using test::TiltedPlane;

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

TEST(LossLimits, EveryReturnIsLostAtTheThresholdOfTheEnergyAndNotJustAboveIt) {
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
TEST(LossLimits, JustAboveTheThresholdOfTheEnergyTheTwoNormalizationsPart) {
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
TEST(LossLimits, BeyondTheLimitsOfPowTheLawHasNoShape) {
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

TEST(LossLimits, PowersOfSevenDecadesFollowTheLaw) {
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

TEST(LossLimits, TheLimitsOfMinEnergyAndPowAreOpenAtZeroAndOne) {
  EXPECT_NO_THROW(Noise(StereoEnergy{.min_energy = kLargestDraw}));
  EXPECT_EQ(test::input_error([] { Noise(StereoEnergy{.min_energy = 1.0F}); }),
            "stereo_energy.min_energy = 1 is not in [0, 0.99999994]");
  EXPECT_NO_THROW(Noise(StereoEnergy{.pow = 1e-9F}));
  EXPECT_NO_THROW(Noise(StereoEnergy{.pow = 1e9F}));
  EXPECT_EQ(test::input_error([] { Noise(StereoEnergy{.pow = 0.0F}); }),
            "stereo_energy.pow = 0 is not in [1e-09, 1000000000]");
  EXPECT_EQ(energy_loss({.min_energy = kLargestDraw}, kLargestDraw, kLargestDraw), Reason::kLowEnergy);
  EXPECT_EQ(energy_loss({.min_energy = kLargestDraw}, 1.0F, 0.0F), Reason::kHit);
}

// The array of energies is what decided, whatever the entries.
TEST(LossLimits, TheArrayOfEnergiesIsWhatDecided) {
  for (const auto energy : {EnergyAngle::kCosine, EnergyAngle::kHalfVector}) {
    const auto with_least = [&](float least) { return StereoEnergy{.min_energy = least, .pow = 2, .energy = energy}; };
    Sensor sensor = make_sensor(make_stereo(120, 90, 60, 0.8), {with_least(0.4F), with_least(0.2F)});
    sensor.noise[0].by_entity = {{1, with_least(0.7F)}, {2, with_least(0.1F)}};
    const Frame f = render_once(make_room_scene(), sensor);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const float least = f.entity_id()[i] == 1 ? 0.7F : f.entity_id()[i] == 2 ? 0.2F : 0.4F;
      if (f.energy()[i] > least) {
        ASSERT_NE(f.reason()[i], Reason::kLowEnergy) << i;
      } else {
        ASSERT_NE(f.reason()[i], Reason::kHit) << i;  // or lost by chance to the model before
      }
    }
    EXPECT_GT(count_of(f, Reason::kLowEnergy), 100U);
  }
}

TEST(LossLimits, OneChainReadsTheEnergyInOneWay) {
  const StereoEnergy cosine{.energy = EnergyAngle::kCosine}, half{.energy = EnergyAngle::kHalfVector};
  const auto refusal = [](const Sensor& sensor) {
    Simulator simulator(make_room_scene(), {.compute = {.threads = 1}});
    return test::input_error([&] { simulator.add_sensor(sensor); });
  };
  const std::string two =
      "sensor 'lidar': stereo_energy.energy differs from that of another one in the chain; the energy array has one "
      "reading";
  EXPECT_EQ(refusal(make_sensor(make_stereo(8, 8, 8, 0.1), {cosine, half})), two);
  EXPECT_EQ(refusal(make_sensor(make_stereo(8, 8, 8, 0.1), {half, LossAngle{}, cosine})), two);
  Sensor rows = make_sensor(make_stereo(8, 8, 8, 0.1), {half});
  rows.noise[0].by_entity = {{1, cosine}};
  EXPECT_EQ(refusal(rows),
            "sensor 'lidar': by_entity: stereo_energy.energy cannot differ by entity; the energy array has one "
            "reading");
  rows.noise[0].by_entity = {};
  rows.noise[0].by_ring = {{1, cosine}};
  EXPECT_EQ(refusal(rows),
            "sensor 'lidar': by_ring: stereo_energy.energy cannot differ by ring; the energy array has one "
            "reading");
}

// To the last bit of the cosine: a surface at the limit is kept.
TEST(LossLimits, TheLossAngleKeepsTheLimitAndNothingBeyond) {
  for (int degrees = 1; degrees < 90; ++degrees) {
    const LossAngle model{.max_incidence_rad = static_cast<float>(degrees * test::kDeg)};
    const auto reason = [&](float cosine) {
      Surface surface;
      surface.cos_emitter = cosine;
      return LossAngle::apply(model, {}, surface, {});
    };
    const float limit = math::sincos(model.max_incidence_rad).cos;
    EXPECT_NEAR(limit, std::cos(double{model.max_incidence_rad}), 1e-7);
    EXPECT_EQ(reason(limit), Reason::kHit) << degrees;
    EXPECT_EQ(reason(just_above(limit)), Reason::kHit) << degrees;
    EXPECT_EQ(reason(just_below(limit)), Reason::kLossAngle) << degrees;
  }
}

/// Sensors whose rays start at one point.
std::vector<SensorModel> sensors_with_one_origin() {
  SpinningLidar lidar = test::make_lidar(16, 4000);
  Laser2d laser;
  laser.beams = 8000, laser.min_azimuth_rad = -1.5, laser.max_azimuth_rad = 1.5, laser.max_range_m = 1000;
  lidar.max_range_m = 1000;
  DepthCamera depth;
  depth.width = 400, depth.height = 40, depth.fx = 150, depth.max_range_m = 1000;
  PinholeCamera pinhole = camera_from_fov(400, 40, 2.0);
  pinhole.max_range_m = 1000;
  Rosette rosette;
  rosette.points = 8000, rosette.field_of_view_rad = 2.5, rosette.prism1_hz = 100.3, rosette.prism2_hz = -37.7;
  rosette.points_per_s = 1e5, rosette.max_range_m = 1000;
  return {lidar, laser, depth, pinhole, rosette, make_stereo(400, 40, 150, 0.05)};
}

// The threshold from both sides: no ray farther from it than rounding is on the wrong one.
TEST(LossLimits, TheLossAngleIsExactOnEverySensor) {
  constexpr double kRounding = 2e-7;  // of the cosine
  for (const SensorModel& model : sensors_with_one_origin()) {
    for (const double limit_deg : {10.0, 45.0, 60.0, 85.0}) {
      const float limit = static_cast<float>(limit_deg * test::kDeg);
      const double least = std::cos(double{limit});
      const TiltedPlane plane{2.0, 0.9 * double{limit}};
      const Frame f = render_once(make_plane_scene(plane), make_sensor(model, {LossAngle{.max_incidence_rad = limit}}));
      const RayPattern pattern = make_pattern(model);
      std::size_t near_lost = 0, near_kept = 0;
      for (std::size_t i = 0; i < f.size(); ++i) {
        const double cosine = -dot(plane.normal(), test::direction_of(pattern, i));
        if (f.entity_id()[i] == kNoEntity || std::abs(cosine - least) < kRounding) continue;
        ASSERT_EQ(f.reason()[i], cosine < least ? Reason::kLossAngle : Reason::kHit) << model.index() << " " << cosine;
        if (std::abs(cosine - least) < 1e-2) (cosine < least ? near_lost : near_kept) += 1;
      }
      EXPECT_GT(near_lost, 0U) << model.index() << " " << limit_deg;
      EXPECT_GT(near_kept, 0U) << model.index() << " " << limit_deg;
    }
  }
}

// The grid scanner's rays are parallel, so each plane meets them at one incidence.
TEST(LossLimits, TheLossAngleIsExactForParallelRays) {
  GridScanner grid;
  grid.size_x_m = 1.6, grid.size_y_m = 1.0, grid.start_height_m = 5;
  for (const double degrees : {20.0, 45.0, 60.0, 80.0}) {
    Scene scene;
    scene.add_entity({.name = "slope",
                      .mesh = scene.add_mesh(make_plane(50, 50)),
                      .parent_from_entity = Pose{{0, 0, 0}, from_roll_pitch_yaw(degrees * test::kDeg, 0, 0.4)}});
    const double rounding = 3e-7 / std::sin(degrees * test::kDeg);
    const auto lost = [&](double limit_rad) {
      const LossAngle model{.max_incidence_rad = static_cast<float>(limit_rad)};
      return count_of(render_once(scene, make_sensor(grid, {model}, Pose{{0, 0, 20}, {}})), Reason::kLossAngle);
    };
    EXPECT_EQ(lost(degrees * test::kDeg + rounding), 0U) << degrees;
    EXPECT_EQ(lost(degrees * test::kDeg - rounding), 17U * 11U) << degrees;
  }
}

}  // namespace
}  // namespace fathom

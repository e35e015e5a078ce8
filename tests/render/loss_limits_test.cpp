// SPDX-License-Identifier: MIT
// Losses at the very edge of their thresholds and limits, rendered; of the kernels alone: tests/noise.

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

// The array of energies is what decided, whatever the entries.
TEST(LossLimits, TheArrayOfEnergiesIsWhatDecided) {
  for (const auto energy : {EnergyAngle::kCosine, EnergyAngle::kHalfVector}) {
    const auto with_least = [&](float least) { return StereoEnergy{.min_energy = least, .pow = 2, .energy = energy}; };
    Sensor sensor = make_sensor(make_stereo(120, 90, 60, 0.8), {with_least(0.4F), with_least(0.2F)});
    sensor.noise[0].by_entity = {{EntityId{1}, with_least(0.7F)}, {EntityId{2}, with_least(0.1F)}};
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
  rows.noise[0].by_entity = {{EntityId{1}, cosine}};
  EXPECT_EQ(refusal(rows),
            "sensor 'lidar': by_entity: stereo_energy.energy cannot differ by entity; the energy array has one "
            "reading");
  rows.noise[0].by_entity = {};
  rows.noise[0].by_ring = {{1, cosine}};
  EXPECT_EQ(refusal(rows),
            "sensor 'lidar': by_ring: stereo_energy.energy cannot differ by ring; the energy array has one "
            "reading");
}

/// Sensors whose rays start at one point.
std::vector<SensorModel> sensors_with_one_origin() {
  SpinningLidar lidar = test::make_lidar(16, 4000);
  Laser2d laser;
  laser.rays = 8000, laser.min_azimuth_rad = -1.5, laser.max_azimuth_rad = 1.5, laser.max_range_m = 1000;
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
        if (f.entity_id()[i] == index(kNoEntity) || std::abs(cosine - least) < kRounding) continue;
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

// SPDX-License-Identifier: MIT
// The weakest return that a sensor detects: closed forms.

#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "render/test_scenes.hpp"

namespace fathom::test {
namespace {

/// Rays along x, one below the other.
Sensor make_level_rays(const Detection& detection, std::uint32_t rays = 1) {
  RayPattern pattern;
  pattern.rows = rays, pattern.cols = 1;
  pattern.direction_x.assign(rays, 1), pattern.direction_y.assign(rays, 0), pattern.direction_z.assign(rays, 0);
  pattern.min_range_m = {0}, pattern.max_range_m = {1000};
  Sensor sensor = make_sensor(pattern);
  sensor.detection = detection;
  return sensor;
}

/// A wall at each range, of that reflectivity, above the height `low_m`.
struct DarkWall {
  double range_m;
  float reflectivity;
  double low_m = -10;
};
Scene make_dark_walls(const std::vector<DarkWall>& walls, const Material& material = {}) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}));
  if (!material.name.empty()) scene.add_material(material);
  for (const DarkWall& wall : walls) {
    Entity entity = {.name = "wall " + std::to_string(scene.entities().size()),
                     .mesh = box,
                     .parent_from_entity = Pose{{wall.range_m + 0.005, 0, wall.low_m + 10}, {}},
                     .scale = {0.01, 40, 20},
                     .reflectivity = wall.reflectivity};
    entity.material = material.name;
    scene.add_entity(entity);
  }
  return scene;
}

Reason wall_reason(const DarkWall& wall, const Detection& detection, const Material& material = {}) {
  return render_once(make_dark_walls({wall}, material), make_level_rays(detection)).reason()[0];
}

TEST(Detection, ReachesTheRangeOfItsReflectivity) {
  EXPECT_EQ(wall_reason({89.9, 0.1F}, {.reach_10_m = 90}), Reason::kHit);
  EXPECT_EQ(wall_reason({90.1, 0.1F}, {.reach_10_m = 90}), Reason::kLowPower);
  EXPECT_EQ(wall_reason({119.9, 0.8F}, {.reach_80_m = 120}), Reason::kHit);
  EXPECT_EQ(wall_reason({120.1, 0.8F}, {.reach_80_m = 120}), Reason::kLowPower);
  // Four times the reflectivity, twice the range.
  EXPECT_EQ(wall_reason({179.8, 0.4F}, {.reach_10_m = 90}), Reason::kHit);
  EXPECT_EQ(wall_reason({180.2, 0.4F}, {.reach_10_m = 90}), Reason::kLowPower);
  EXPECT_EQ(wall_reason({1, 0.0F}, {.reach_10_m = 90}), Reason::kLowPower);
  EXPECT_EQ(wall_reason({109, 0.0F}, {}), Reason::kHit) << "a sensor without a limit detects everything";
}

TEST(Detection, FollowsTheLawOfTheMaterial) {
  const Material sign = {
      .name = "sign", .reflectivity = 0.1F, .law = Material::Law::kRetro, .gain = 99, .width_rad = 0.3F};
  EXPECT_EQ(wall_reason({899, 1.0F}, {.reach_10_m = 90}, sign), Reason::kHit)
      << "100 times the power, 10 times the range";
  EXPECT_EQ(wall_reason({901, 1.0F}, {.reach_10_m = 90}, sign), Reason::kLowPower);
}

TEST(Detection, LosesWhatIsTooWeakOnASlantedFloor) {
  Scene scene;
  const MeshId plane = scene.add_mesh(make_plane(2000, 2000));
  scene.add_entity({.name = "floor", .mesh = plane, .parent_from_entity = Pose{{0, 0, -2}, {}}, .reflectivity = 0.3F});
  RayPattern rays;
  rays.rows = 1, rays.cols = 150;
  for (int i = 0; i < 150; ++i) {
    rays.direction_x.push_back(static_cast<float>(std::sin(0.01 * i))), rays.direction_y.push_back(0);
    rays.direction_z.push_back(static_cast<float>(-std::cos(0.01 * i)));
  }
  rays.min_range_m = {0}, rays.max_range_m = {1000};
  Sensor sensor = make_sensor(rays);
  sensor.detection = {.reach_10_m = 3};
  for (const FalloffLaw law : {FalloffLaw::kNone, FalloffLaw::kInverseSquare}) {
    for (const float divergence : {0.0F, 0.001F}) {
      sensor.falloff.law = law;
      sensor.divergence = {.horizontal_rad = divergence, .vertical_rad = divergence};
      const Frame f = render_once(scene, sensor);
      std::size_t lost = 0;
      for (std::size_t i = 0; i < f.size(); ++i) {
        const double range = f.clean_range_m()[i],
                     power = 0.3 * std::cos(0.01 * static_cast<double>(i)) / (range * range);
        const double ratio = power / (0.1 / 9);
        if (std::abs(ratio - 1) < 0.01) continue;  // within a cone powers differ
        ASSERT_EQ(f.reason()[i], ratio < 1 ? Reason::kLowPower : Reason::kHit) << i;
        lost += ratio < 1 ? 1 : 0;
      }
      EXPECT_GT(lost, 20U);
      EXPECT_LT(lost, 130U);
    }
  }
}

TEST(Detection, OfAnythingChangesNoBit) {
  const Sensor plain = make_sensor(make_lidar(), three_gaussians());
  Sensor sensor = plain;
  sensor.detection = {.reach_10_m = 1e5F};
  const Scene scene = make_room_scene();
  EXPECT_TRUE(same_bits(render_once(scene, plain).range_m(), render_once(scene, sensor).range_m()));
}

TEST(Detection, ChoosesAmongTheEchoesThatItDetects) {
  Sensor sensor = make_level_rays({.reach_10_m = 20});
  sensor.divergence = {.horizontal_rad = 0.02F, .vertical_rad = 0.02F, .profile = BeamProfile::kUniform};
  sensor.returns = {ReturnChoice::kFirst};
  // Half of the cone meets the first wall.
  const auto first = [&](float near, float far) {
    return render_once(make_dark_walls({{10, near, 1e-4}, {15, far}}), sensor);
  };
  EXPECT_NEAR(first(0.5F, 0.5F).range_m()[0], 10, 1e-3);
  EXPECT_NEAR(first(0.01F, 0.5F).range_m()[0], 15, 1e-3) << "the first echo is too weak";
  const Frame none = first(0.01F, 0.01F);
  EXPECT_EQ(none.reason()[0], Reason::kLowPower);
  EXPECT_NEAR(none.clean_range_m()[0], 10, 1e-3);
}

TEST(Detection, HoldsForGivenFrames) {
  SensorNoise noise(make_level_rays({.reach_10_m = 10}, 4));
  const std::vector<float> range = {9, 31, 9, 32}, reflectivity = {0.1F, 1, 0.05F, 1};
  const std::vector<float> normal = {-1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0};
  Frame frame({Channel::kReason});
  const auto reasons = [&](std::span<const float> given_reflectivity) {
    noise.apply(0, GivenFrame{.range_m = range, .normal = normal, .reflectivity = given_reflectivity}, frame);
    return std::vector<Reason>(frame.reason().begin(), frame.reason().end());
  };
  using enum Reason;
  EXPECT_EQ(reasons(reflectivity), (std::vector<Reason>{kHit, kHit, kLowPower, kLowPower}));
  EXPECT_EQ(reasons({}), (std::vector<Reason>{kHit, kHit, kHit, kLowPower})) << "without reflectivity it is 1";
}

TEST(Detection, OfAPresetIsThatOfItsSensor) {
  for (const SensorPreset& preset : sensor_presets()) {
    EXPECT_EQ(preset_sensor("sensor", preset.name).detection.reach_10_m, preset.detection.reach_10_m);
  }
}

TEST(Detection, HasOneReachWithinItsLimits) {
  const auto text = [](const Detection& detection) {
    return message_of<InputError>([&] { render_once(make_dark_walls({}), make_level_rays(detection)); });
  };
  EXPECT_EQ(text({.reach_10_m = 9, .reach_80_m = 20}),
            "sensor 'lidar': detection.reach_10_m = 9 and reach_80_m = 20 are both given; one is enough");
  EXPECT_EQ(text({.reach_10_m = -1}), "sensor 'lidar': detection.reach_10_m = -1 is not in [0, 100000] m");
}

}  // namespace
}  // namespace fathom::test

// SPDX-License-Identifier: MIT
// What a frame says of the world itself, whatever noise and losses do to its returns.

#include "render/stereo_scenes.hpp"
#include "sensor/noise/busy.hpp"

namespace fathom::test {
namespace {

bool same_returns(const Frame& a, const Frame& b) {
  return same_bits(a.range_m(), b.range_m()) && same_bits(a.floats(Channel::kHitSensor), b.floats(Channel::kHitSensor));
}

/// What was struck, by the ray as it was emitted.
bool same_surfaces(const Frame& a, const Frame& b) {
  const bool floats = std::ranges::all_of(std::array{Channel::kNormal, Channel::kIncidence},
                                          [&](Channel c) { return same_bits(a.floats(c), b.floats(c)); });
  return floats && same_bits(a.entity_id(), b.entity_id()) && same_bits(a.triangle_id(), b.triangle_id());
}

TEST(CleanOutputs, DoNotChangeWhenAnyNoiseIsSwitchedOn) {
  StereoCamera camera = make_stereo(160, 120, 90, 0.3, CameraReference::kLeft);
  camera.min_range_m = 1, camera.max_range_m = 5;  // some are lost by the gate, some by the range policy
  const Frame off = render_once(make_room_scene(), make_sensor(camera));
  for (const Noise& model : busy_models()) {
    for (const RangePolicy policy : {RangePolicy::kKeep, RangePolicy::kClamp, RangePolicy::kDrop}) {
      Sensor sensor = make_sensor(camera, {model});
      sensor.range_policy = policy;
      sensor.detection.reach_10_m = 1000;  // shows weak drops, and loses no surface of this room
      const Frame on = render_once(make_room_scene(), sensor);
      EXPECT_FALSE(same_returns(off, on)) << model.slug() << " does nothing here";
      EXPECT_TRUE(same_bits(off.clean_range_m(), on.clean_range_m())) << model.slug();
      EXPECT_TRUE(same_bits(off.clean_depth_m(), on.clean_depth_m())) << model.slug();
      EXPECT_TRUE(same_bits(off.floats(Channel::kCleanHit), on.floats(Channel::kCleanHit))) << model.slug();
      // A window may take the surface of a neighbour. Ray noise turns the ray itself: normal, incidence, energy and
      // entity belong to the surface that this ray struck, while the clean range, depth and hit point belong to the ray
      // without noise. Drops are no surface.
      const bool is_weather = model.info().needs.power && model.info().draws.uniforms > 0;
      const bool takes_another = model.stage() == Stage::kRay || model.stage() == Stage::kImage || is_weather;
      EXPECT_EQ(same_surfaces(off, on), !takes_another) << model.slug();
      if (model.slug() != StereoEnergy::kSlug) {  // which says itself what energy is
        EXPECT_EQ(same_bits(off.energy(), on.energy()), model.stage() != Stage::kRay) << model.slug();
      }
    }
  }
}

/// The clean point of every ray is where the pattern and the clean range put it; NaN where that is infinite.
void expect_clean_hits(const Frame& f, const RayPattern& pattern) {
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Frame::Points p = f.clean_hit_sensor_m();
    if (f.clean_range_m()[i] == math::kInfinity) {
      ASSERT_TRUE(std::isnan(p.x[i]) && std::isnan(p.y[i]) && std::isnan(p.z[i]));
      continue;
    }
    Vec3 expected = double{f.clean_range_m()[i]} * direction_of(pattern, i);
    if (!pattern.origin_x.empty()) {
      expected = expected + Vec3{pattern.origin_x[i], pattern.origin_y[i], pattern.origin_z[i]};
    }
    ASSERT_LT(norm(Vec3{p.x[i], p.y[i], p.z[i]} - expected), 1e-6 * (1 + f.clean_range_m()[i])) << i;
  }
}

/// Noise and losses of every stage, together.
NoiseChain much_noise() {
  return {AngularRay{.axis = Axis::kZ, .mean_rad = 0.1F, .stddev_rad = 0.01F},
          LossAngle{.max_incidence_rad = 1.0F},
          StereoShadow{},
          InvalidBand{.max_disparity_px = 20},
          StereoEnergy{.min_energy = 0.2F, .pow = 2},
          EdgeLoss{.min_angle_rad = 2.0F, .low_probability = 0.1F, .high_probability = 0.9F},
          AngularHit{.axis = Axis::kY, .mean_rad = 0.2F, .stddev_rad = 0.01F},
          DistanceNoise{.mean_m = 0.5F, .stddev_m = 0.1F},
          Disparity{.bias_px = -1, .stddev_px = 2, .steps_per_px = 4},
          Dropout{.probability = 0.3F}};
}

TEST(CleanOutputs, TheHitPointOfALostPixelIsReadable) {
  StereoCamera camera = make_stereo(160, 120, 90, 0.3, CameraReference::kLeft);
  camera.min_range_m = 3, camera.max_range_m = 5;
  const Frame off = render_once(make_room_scene(), make_sensor(camera));
  const Frame f = render_once(make_room_scene(), make_sensor(camera, much_noise()));
  expect_clean_hits(f, make_pattern(camera));
  for (const Reason r : {Reason::kBelowMinRange, Reason::kAboveMaxRange, Reason::kHiddenRight, Reason::kDropout}) {
    EXPECT_GT(test::count_of(f, r), 0U) << to_string(r);
  }
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (off.reason()[i] != Reason::kHit) continue;
    ASSERT_EQ(off.clean_hit_sensor_m().x[i], off.hit_sensor_m().x[i]);
    ASSERT_EQ(off.clean_hit_sensor_m().y[i], off.hit_sensor_m().y[i]);
    ASSERT_EQ(off.clean_hit_sensor_m().z[i], off.hit_sensor_m().z[i]);
  }
}

TEST(CleanOutputs, TheHitPointOfRaysWithOriginsAndOfMisses) {
  GridScanner grid;
  grid.size_x_m = grid.size_y_m = 4;
  const Sensor sensor = make_sensor(grid, {AngularRay{.axis = Axis::kX, .stddev_rad = 0.05F}});
  Scene table;  // smaller than the grid
  table.add_entity(
      {.name = "table", .mesh = table.add_mesh(make_plane(2, 2)), .parent_from_entity = Pose{{0, 0, -1}, {}}});
  const Frame f = render_once(table, sensor);
  expect_clean_hits(f, make_pattern(grid));
  const auto misses = std::ranges::count(f.clean_range_m(), math::kInfinity);
  EXPECT_GT(misses, 500);
  EXPECT_LT(misses, 1500);
  // Asked for alone, it is the same.
  const Frame alone = render_once(table, sensor, {Channel::kCleanHit});
  EXPECT_TRUE(same_bits(alone.floats(Channel::kCleanHit), f.floats(Channel::kCleanHit)));
}

TEST(CleanOutputs, DoNotChangeUnderAllNoiseTogether) {
  const StereoCamera camera = make_stereo(160, 120, 90, 0.3, CameraReference::kLeft);
  const Frame off = render_once(make_room_scene(), make_sensor(camera));
  NoiseChain all = much_noise();
  const Frame turned = render_once(make_room_scene(), make_sensor(camera, all));
  EXPECT_TRUE(same_bits(off.clean_range_m(), turned.clean_range_m()));
  EXPECT_TRUE(same_bits(off.clean_depth_m(), turned.clean_depth_m()));
  all.erase(all.begin());  // angular_ray
  EXPECT_TRUE(same_surfaces(off, render_once(make_room_scene(), make_sensor(camera, all))));
}

}  // namespace
}  // namespace fathom::test

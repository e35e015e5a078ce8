// SPDX-License-Identifier: MIT
// Models of stage `reading` within a frame, and a sensor's rays as a fan that the beam model scores.

#include <cmath>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/scene_ranges.hpp>

#include "render/test_scenes.hpp"
#include "support/casters.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

std::uint64_t count_of(const Frame& frame, Reason reason) {
  return frame.count_reasons()[static_cast<std::size_t>(reason)];
}

constexpr BeamMixture kMixture = {.w_hit = 0.5F, .w_short = 0.2F, .w_max = 0.1F, .w_rand = 0.2F, .sigma_hit_m = 0.05F};

TEST(Readings, StandInTheFrameAsReturnsOrTheirAbsence) {
  SpinningLidar lidar = make_lidar();
  lidar.max_range_m = 4.5;  // the room's far walls are beyond
  const Frame frame = render_once(make_room_scene(), make_sensor(lidar, {Noise(kMixture)}));
  const auto [x, y, z] = frame.hit_sensor_m();
  std::size_t returned = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const bool beyond = frame.clean_range_m()[i] > 4.5F;
    const float range = frame.range_m()[i];
    if (frame.reason()[i] != Reason::kHit) {
      ASSERT_TRUE(std::isnan(range));
      ASSERT_EQ(frame.reason()[i], beyond ? Reason::kAboveMaxRange : Reason::kDropout);
      continue;
    }
    ASSERT_TRUE(range >= 0 && range < 4.5F) << range;
    const double e = frame.elevation_rad()[i], a = frame.azimuth_rad()[i];
    ASSERT_NEAR(x[i], range * std::cos(e) * std::cos(a), 1e-4);
    ASSERT_NEAR(y[i], range * std::cos(e) * std::sin(a), 1e-4);
    ASSERT_NEAR(z[i], range * std::sin(e), 1e-4);
    returned += beyond;
  }
  EXPECT_GT(count_of(frame, Reason::kDropout), 0U);
  EXPECT_GT(returned, 0U) << "rays that met nothing may still report something";
}

TEST(Readings, MaximumRangesMayDifferFromRayToRay) {
  RayPattern pattern = make_pattern(make_lidar());
  pattern.max_range_m.resize(pattern.direction_x.size());
  for (std::size_t i = 0; i < pattern.max_range_m.size(); ++i) pattern.max_range_m[i] = i % 2 == 0 ? 3.0F : 20.0F;
  const BeamMixture random = {.w_hit = 0, .w_short = 0, .w_max = 0, .w_rand = 1};
  for (const Isa isa : usable_isas()) {
    const Frame frame = render_once(make_room_scene(), make_sensor(pattern, {Noise(random)}), all_channels(),
                                    {.seed = 7, .compute = {.threads = 1, .isa = isa}});
    float most[2] = {};
    for (std::size_t i = 0; i < frame.size(); ++i) most[i % 2] = std::max(most[i % 2], frame.range_m()[i]);
    EXPECT_TRUE(most[0] > 2.9F && most[0] < 3.0F) << most[0];
    EXPECT_TRUE(most[1] > 19.9F && most[1] < 20.0F) << most[1];
  }
}

TEST(Readings, TheRangePolicyDecidesOnWhatIsTooNear) {
  SpinningLidar lidar = make_lidar();
  lidar.min_range_m = 0.5;
  Sensor sensor = make_sensor(lidar, {Noise(kMixture)});
  const Frame kept = render_once(make_room_scene(), sensor);
  sensor.range_policy = RangePolicy::kDrop;
  const Frame dropped = render_once(make_room_scene(), sensor);
  std::size_t near = 0;
  for (const float range : kept.range_m()) near += range < 0.5F;
  EXPECT_GT(near, 0U);
  EXPECT_EQ(count_of(dropped, Reason::kBelowMinRange), near);
}

TEST(Readings, CannotDifferByEntity) {
  Sensor sensor = make_sensor(make_lidar(), {Noise(kMixture)});
  sensor.noise[0].by_entity = {{EntityId{1}, Noise(BeamMixture{})}};
  EXPECT_EQ(input_error([&] { (void)render_once(make_room_scene(), sensor); }),
            "sensor 'lidar': by_entity: beam_mixture cannot differ by entity");
}

TEST(SensorAsRayFan, ALidarsFrameIsWhatItsRaysExpect) {
  const Pose pose = {{0.5, -0.3, 0.2}, from_roll_pitch_yaw(0.1, -0.2, 1)};
  const SpinningLidar lidar = make_lidar();
  const Frame frame = render_once(make_room_scene(), make_sensor(lidar, {}, pose));
  std::vector<float> expected(frame.size());
  make_scene_ranges(make_room_scene())->cast(std::vector<Pose>{pose}, make_fan(make_pattern(lidar)), 100, expected);
  for (std::size_t i = 0; i < frame.size(); ++i) ASSERT_NEAR(expected[i], frame.clean_range_m()[i], 1e-4);
  SpinningLidar apart = lidar;
  apart.vertical_offset_m.assign(16, 0.01);
  EXPECT_EQ(input_error([&] { (void)make_fan(make_pattern(apart)); }),
            "the rays of a fan start at the sensor origin, but these have origins of their own");
}

}  // namespace
}  // namespace fathom::test

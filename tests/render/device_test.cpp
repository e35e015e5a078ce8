// SPDX-License-Identifier: MIT
// The law of the device for random sensors and chains: the device's source, run here thread by thread, gives every
// channel of the processor's frame, bit by bit. tests/run/device_test.cpp has the examples.

#include <fathom/noise/custom.hpp>

#include "render/any_sensors.hpp"
#include "render/simulators.hpp"
#include "render/test_scenes.hpp"
#include "support/expect.hpp"
#include "support/half_range.hpp"
#include "support/host_device.hpp"

namespace fathom {
namespace {

Frame render_on_device(const Scene& scene, const Sensor& sensor, const SimulatorOptions& options, std::uint32_t index) {
  SharedTrees trees(scene, options.compute, 0.0);
  trees.render_on(test::make_host_device);
  Simulator simulator = trees.make_simulator(scene, options);
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame(test::all_channels());
  simulator.render(id, index, frame);
  return frame;
}

RC_GTEST_PROP(Device, GivesTheBitsOfTheProcessorForAnyChain, ()) {
  const Scene scene = test::any_room();
  Sensor sensor = test::any_sensor();
  if (*rc::gen::inRange(0, 4) == 0) sensor.ignore = {EntityId{1}};
  if (*rc::gen::inRange(0, 4) == 0) {
    sensor.timing = {.rate_hz = 20.0, .latency_s = 0.1, .jitter_s = 0.005, .drop_frame = 0.2, .freeze = 0.6};
  }
  SimulatorOptions options = {.seed = *rc::gen::arbitrary<std::uint64_t>(), .compute = {.threads = 1}};
  const auto index = static_cast<std::uint32_t>(*rc::gen::inRange(0, 5));
  const Frame wanted = test::render_once(scene, sensor, test::all_channels(), options, index);
  const Frame found = render_on_device(scene, sensor, options, index);
  RC_ASSERT(test::channels_that_differ(wanted, found) == std::string());
  RC_ASSERT(wanted.stamp_s() == found.stamp_s() && wanted.content_index() == found.content_index());
}

/// Frame k of a table that plays on is that of the rays that it plays then.
TEST(Device, PlaysTablesOn) {
  const Scene scene = test::make_room_scene();
  RayPattern table = make_pattern(test::make_lidar(6, 40));
  table.cols = table.rows * table.cols, table.rows = 1;
  table.rays_per_frame = 100;
  for (std::uint32_t i = 0; i < table.cols; ++i) table.time_offset_s[i] = 1e-4F * static_cast<float>(i);
  NoiseChain noise = test::three_gaussians();
  noise.emplace_back(Dropout{.probability = 0.1F});
  const SimulatorOptions options = {.seed = 5, .compute = {.threads = 1}};
  for (const std::uint32_t index : {0U, 1U, 2U, 4U}) {  // frames 2 and 4 reach beyond the end of the table
    const RayPattern played = make_pattern(table, index);
    const Sensor plays = test::make_sensor(table, noise), has_them = test::make_sensor(played, noise);
    const Frame wanted = test::render_once(scene, has_them, test::all_channels(), options, index);
    EXPECT_TRUE(test::same_bits(wanted.ring(), std::span<const std::uint16_t>(played.ring)));
    EXPECT_TRUE(test::same_bits(wanted.time_offset_s(), std::span<const float>(played.time_offset_s)));
    const Frame found = test::render_once(scene, plays, test::all_channels(), options, index);
    EXPECT_EQ(test::channels_that_differ(wanted, found), "") << "frame " << index;
    EXPECT_EQ(test::channels_that_differ(wanted, render_on_device(scene, plays, options, index)), "") << index;
  }
}

/// A camera whose chain has a window, after losses and before noise.
RC_GTEST_PROP(Device, GivesTheBitsOfTheProcessorForAWindow, ()) {
  const Scene scene = test::any_room();
  const auto cols = static_cast<std::uint32_t>(*rc::gen::inRange(1, 90)),
             rows = static_cast<std::uint32_t>(*rc::gen::inRange(1, 40));
  const MatchingWindow window{.radius_px = static_cast<float>(*rc::gen::inRange(0, 6)),
                              .share = static_cast<float>(test::any_between(0.05, 0.5)),
                              .sure_share = static_cast<float>(test::any_between(0, 0.8)),
                              .flying = *rc::gen::arbitrary<bool>(),
                              .min_area_px = static_cast<float>(*rc::gen::inRange(0, 40)),
                              .max_step_px = static_cast<float>(test::any_between(0.05, 2)),
                              .valid_share = static_cast<float>(*rc::gen::element(0.0, 0.5, 0.8, 1.0))};
  Sensor sensor = test::make_sensor(test::make_stereo(cols, rows, 40.0, 0.3, CameraReference::kLeft),
                                    {StereoShadow{}, StereoEnergy{.reflectivity_exponent = 1, .range_exponent = 0.5F},
                                     EdgeLoss{.min_angle_rad = 2, .low_probability = 0.3F}, window,
                                     Disparity{.stddev_px = 0.2F}, Dropout{.probability = 0.05F}},
                                    {{0.3, -0.2, 0.1}, from_roll_pitch_yaw(0.1, -0.2, test::any_between(-3, 3))});
  if (*rc::gen::arbitrary<bool>()) sensor.noise.insert(sensor.noise.begin(), AngularRay{.stddev_rad = 0.003F});
  const SimulatorOptions options = {.seed = 5, .compute = {.threads = 1}};
  const Frame wanted = test::render_once(scene, sensor, test::all_channels(), options, 1);
  RC_ASSERT(test::channels_that_differ(wanted, render_on_device(scene, sensor, options, 1)) == std::string());
}

/// A triangle so small that its normal underflows, which makes it and its angles NaN: as arithmetic makes them on x86,
/// with the sign bit.
TEST(Device, AFrameHasOneNan) {
  Scene scene;
  const MeshId mesh = scene.add_mesh({{{1, -1e-12F, -1e-12F}, {1, 1e-12F, -1e-12F}, {1, 0, 2e-12F}}, {{0, 1, 2}}});
  scene.add_entity({.name = "speck", .mesh = mesh});
  const Sensor sensor = test::make_sensor(test::make_stereo(3, 3, 1.0, 0.1), {StereoEnergy{}});
  const SimulatorOptions options = {.compute = {.threads = 1}};
  const std::uint32_t one = math::bits_of(__builtin_nanf(""));
  for (const Frame& frame : {test::render_once(scene, sensor, test::all_channels(), options, 0),
                             render_on_device(scene, sensor, options, 0)}) {
    ASSERT_EQ(frame.entity_id()[4], 0U);
    EXPECT_EQ(math::bits_of(frame.points(Channel::kNormal).y[4]), one);
    EXPECT_EQ(math::bits_of(frame.floats(Channel::kIncidence)[4]), one);
    EXPECT_EQ(math::bits_of(frame.floats(Channel::kEnergy)[4]), one);
  }
}

TEST(Device, RefusesAModelOfTheUsersOwn) {
  const Sensor sensor = test::make_sensor(test::make_lidar(), {test::HalfRange{}});
  EXPECT_THROW(render_on_device(test::make_room_scene(), sensor, {.compute = {.threads = 1}}, 0), InputError);
}

}  // namespace
}  // namespace fathom

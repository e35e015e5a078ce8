// SPDX-License-Identifier: MIT
// The law of the device for random sensors and chains: the device's source, run here thread by thread, gives every
// channel of the processor's frame, bit by bit. tests/simulate/device_test.cpp has the examples.

#include <array>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/noise/custom.hpp>

#include "render/any_sensors.hpp"
#include "render/shared_trees.hpp"
#include "render/test_scenes.hpp"
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

TEST(Device, RefusesAModelOfTheUsersOwn) {
  const Sensor sensor = test::make_sensor(test::make_lidar(), {test::HalfRange{}});
  EXPECT_THROW(render_on_device(test::make_room_scene(), sensor, {.compute = {.threads = 1}}, 0), InputError);
}

}  // namespace
}  // namespace fathom

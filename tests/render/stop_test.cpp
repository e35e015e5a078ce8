// SPDX-License-Identifier: MIT
// A frame can be stopped while it is rendered, and the simulator is as good as new.

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom::test {
namespace {

Sensor camera() {
  Sensor sensor;
  sensor.name = "camera";
  sensor.model = camera_from_fov(200, 100, 1.0);
  return sensor;
}

Scene room() {
  Scene scene;
  Entity walls;
  walls.name = "walls";
  walls.mesh = scene.add_mesh(make_box({8, 6, 3}));
  scene.add_entity(walls);
  return scene;
}

TEST(Stop, EndsAFrameAndSpoilsNothing) {
  for (const int threads : {1, 3}) {
    std::atomic<int> asked = 0;
    std::atomic<bool> stop = false;
    SimulatorOptions options;
    options.compute.threads = threads;
    options.should_stop = [&] { return ++asked > 5 && stop; };
    Simulator simulator(room(), options);
    const SensorId id = simulator.add_sensor(camera());
    Frame frame({Channel::kRange, Channel::kReason});
    simulator.render(id, 0, frame);
    EXPECT_GE(asked, 200 * 100 / 1024);
    const std::vector<float> before(frame.range_m().begin(), frame.range_m().end());
    stop = true, asked = 0;
    EXPECT_THROW(simulator.render(id, 0, frame), Interrupted);
    EXPECT_LT(asked, 5 + 2 * threads + 2);
    stop = false;
    simulator.render(id, 0, frame);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), frame.range_m().begin()));
  }
}

}  // namespace
}  // namespace fathom::test

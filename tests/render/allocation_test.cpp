// SPDX-License-Identifier: MIT
// A frame in steady state allocates nothing: every malloc of the process is counted while frames render.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <fathom/simulate/environments.hpp>

#include "render/test_scenes.hpp"
#include "support/allocations.hpp"

#if !FATHOM_SANITIZED

namespace fathom {
namespace {

using test::all_channels;
using test::allocations_in;
using test::make_lidar;
using test::make_room_scene;
using test::make_sensor;
using test::three_gaussians;

TEST(Allocations, TheCounterCounts) {
  EXPECT_GE(allocations_in([] { std::free(std::malloc(1)); }), 1U);
  EXPECT_GE(allocations_in([] { delete new std::string(100, 'x'); }), 1U);
}

std::size_t steady_state(Sensor sensor, int threads, ChannelSet channels) {
  NoiseChain noise = three_gaussians();
  noise.push_back(UniformNoise{.low_m = 0, .high_m = 0.01F});
  noise.push_back(Dropout{.probability = 0.1F});
  sensor.noise = noise;
  Simulator simulator(make_room_scene(), {.seed = 1, .compute = {.threads = threads}});
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame(channels);
  for (std::uint32_t i = 0; i < 50; ++i) simulator.render(id, i, frame);  // pools of the thread library fill up
  return allocations_in([&] {
    for (std::uint32_t i = 50; i < 100; ++i) simulator.render(id, i, frame);
  });
}

TEST(Allocations, NoneInASteadyFrameOnOneThread) {
  EXPECT_EQ(steady_state(make_sensor(make_lidar(64, 512)), 1, all_channels()), 0U);
}

TEST(Allocations, NoneInASteadyFrameOnTwoThreads) {
  EXPECT_EQ(steady_state(make_sensor(make_lidar(64, 512)), 2, all_channels()), 0U);
}

TEST(Allocations, NoneInASteadyRollingFrame) {
  Sensor sensor = make_sensor(make_lidar(64, 512));
  sensor.parent_from_sensor = Trajectory({{0, {}}, {100, {{1, 1, 0}, from_roll_pitch_yaw(0, 0, 1)}}});
  sensor.rolling = true;
  EXPECT_EQ(steady_state(sensor, 2, all_channels()), 0U);
}

TEST(Allocations, NoneInASteadyFrameOfAStereoCameraWithEveryLoss) {
  StereoCamera camera;
  camera.width = 320, camera.height = 240, camera.fx = 200, camera.baseline_m = 0.1;
  Sensor sensor = make_sensor(camera);
  sensor.noise = {LossAngle{.max_incidence_rad = 1.3F}, StereoShadow{}, StereoEnergy{},
                  EdgeLoss{.low_probability = 0.1F, .high_probability = 0.9F}, Disparity{.stddev_px = 0.1F}};
  sensor.noise[2].by_entity = {{EntityId{1}, StereoEnergy{.pow = 2}}};
  Simulator simulator(make_room_scene(), {.seed = 1, .compute = {.threads = 2}});
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame(all_channels());
  for (std::uint32_t i = 0; i < 50; ++i) simulator.render(id, i, frame);
  EXPECT_EQ(allocations_in([&] {
              for (std::uint32_t i = 50; i < 100; ++i) simulator.render(id, i, frame);
            }),
            0U);
}

TEST(Allocations, NoneInASteadyFrameOfManyEnvironments) {
  StereoCamera camera;
  camera.width = 64, camera.height = 48, camera.fx = 40, camera.baseline_m = 0.1;
  Environments batch(make_room_scene(),
                     make_sensor(camera, {StereoShadow{}, StereoEnergy{}, Dropout{.probability = 0.1F}}),
                     {.simulator = {.seed = 1, .compute = {.threads = 1}},
                      .count = 64,
                      .ranges = {{.entry = 1, .field = "pow", .low = 1, .high = 20}}});
  for (std::uint32_t e = 0; e < 64; ++e) batch.set_sensor_pose(e, {{0.02 * e, 0, 0}, {}});
  Frame frame(all_channels());
  for (std::uint32_t i = 0; i < 5; ++i) batch.render(i, frame);
  EXPECT_EQ(allocations_in([&] {
              for (std::uint32_t i = 5; i < 10; ++i) batch.render(i, frame);
            }),
            0U);
}

TEST(Allocations, OnlyEmbreesWhileEntitiesOfEnvironmentsMove) {
  StereoCamera camera;
  camera.width = 64, camera.height = 48, camera.fx = 40, camera.baseline_m = 0.1;
  Environments batch(make_room_scene(), make_sensor(camera, {StereoShadow{}, StereoEnergy{}}),
                     {.simulator = {.seed = 1, .compute = {.threads = 1}}, .count = 64});
  for (std::uint32_t e = 0; e < 64; ++e) batch.set_entity_pose(e, EntityId{2}, {{-2.0, 0.01 * e, 0.0}, {}});
  Frame frame(all_channels());
  for (std::uint32_t i = 0; i < 3; ++i) batch.render(i, frame);
  EXPECT_LE(allocations_in([&] { batch.render(3, frame); }), 64U * 2U);
}

TEST(Allocations, NoneInASteadyFrameWhoseRaysChange) {
  Rosette rosette;
  rosette.points = 10000, rosette.field_of_view_rad = 0.7, rosette.prism1_hz = 121.6, rosette.prism2_hz = -77.7;
  rosette.points_per_s = 100000;
  EXPECT_EQ(steady_state(make_sensor(rosette), 2, all_channels()), 0U);
}

TEST(Allocations, OnlyEmbreesWhileEntitiesMove) {
  Simulator simulator(make_room_scene(), {.seed = 1, .compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(make_sensor(make_lidar()));
  Frame frame(all_channels());
  const auto move_and_render = [&](std::uint32_t i) {
    simulator.scene().set_pose(EntityId{2}, {{-2.0, 0.001 * i, 0.0}, {}});
    simulator.render(id, i, frame);
  };
  for (std::uint32_t i = 0; i < 20; ++i) move_and_render(i);
  const std::size_t ten = allocations_in([&] {
    for (std::uint32_t i = 20; i < 30; ++i) move_and_render(i);
  });
  // Embree 3.13.5 rebuilds its top level with two blocks of its own, 47 bytes in all.
  EXPECT_LE(ten, 10U * 2U);
}

}  // namespace
}  // namespace fathom

#endif

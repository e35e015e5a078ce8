// SPDX-License-Identifier: MIT
// A scene file as a simulator in memory.

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/files/arrays.hpp>
#include <fathom/simulate/run.hpp>

#include "simulate/scene_fixture.hpp"
#include "simulate/scene_text.hpp"
#include "text/npy.hpp"

namespace fathom {
namespace {

const char* const kTwoSensors =
    "scene: {meshes: {b: {box: {size_m: [8, 6, 3]}}}, entities: [{name: b, mesh: b}]}\n"
    "sensors:\n"
    "  - {name: lidar, preset: VLP-16, columns: 90, noise: [{distance: {stddev_m: {uniform: [0.01, 0.1]}}}],\n"
    "     motion: {keyframes: [{time_s: 0}, {time_s: 10, position_m: [3, 0, 0]}]}, outputs: [npy]}\n"
    "  - {name: laser, type: laser_2d, rays: 8, min_azimuth_deg: -90, max_azimuth_deg: 90, max_range_m: 30,\n"
    "     noise: [{gain_bias: {bias_m: 0.5}}], outputs: [npy]}\n"
    "frames: 2\nseed: 9\nenvironment: 3\nrate_hz: 4\nstart_s: 1\n";

/// As write_npy writes it.
std::string npy_of(const test::TemporaryFolder& folder, const Frame& frame) {
  write_npy(folder / "frame.npy", frame, Channel::kRange);
  return test::bytes_of(folder / "frame.npy");
}

TEST(MakeSimulator, TakesTheDeviceOfTheFileUnlessTheOptionsSay) {
  const Device automatic = device_named("auto"), processor = device_named("cpu");
  const SceneSetup setup = read_scene_text(std::string(kTwoSensors) + "device: auto\n", "s.yaml", {});
  EXPECT_EQ(setup.device, automatic);
  EXPECT_EQ(make_simulator(setup).options().compute.device, automatic);
  RunOptions options;
  options.device = processor;
  EXPECT_EQ(make_simulator(setup, options).options().compute.device, processor);
  const SceneSetup plain = read_scene_text(kTwoSensors, "s.yaml", {});
  EXPECT_EQ(make_simulator(plain).options().compute.device, processor);
  RunOptions of_compute;
  of_compute.compute.device = automatic;
  EXPECT_EQ(make_simulator(plain, of_compute).options().compute.device, automatic);
}

TEST(MakeSimulator, RendersTheFramesOfWhichARunWritesFiles) {
  const test::TemporaryFolder folder;
  const SceneSetup setup = read_scene_text(kTwoSensors, "s.yaml", {});
  for (const std::uint32_t episode : {0U, 2U}) {
    RunOptions options;
    options.out = folder / std::to_string(episode);
    options.episode = episode;
    run_scene(setup, options);
    const auto files = test::read_folder(options.out);
    Simulator simulator = make_simulator(setup, options);
    EXPECT_EQ(simulator.sensor(SensorId{0}).name, "lidar");
    EXPECT_EQ(simulator.sensor(SensorId{1}).name, "laser");
    EXPECT_EQ(simulator.stamp_s(1), 1.25);
    Frame frame({Channel::kRange});
    for (const SensorId sensor : {SensorId{0}, SensorId{1}}) {
      for (const std::uint32_t index : {0U, 1U}) {
        simulator.render(sensor, index, frame);
        const std::string name = simulator.sensor(sensor).name + "/range_00000" + std::to_string(index) + ".npy";
        EXPECT_TRUE(files.at(name) == npy_of(folder, frame)) << name << ", episode " << episode;
      }
    }
  }
  EXPECT_NE(test::bytes_of(folder / "0/lidar/range_000000.npy"), test::bytes_of(folder / "2/lidar/range_000000.npy"));
}

TEST(MakeSimulator, RefusesWhatARunWould) {
  SceneSetup setup = read_scene_text(kTwoSensors, "s.yaml", {});
  setup.sensors[1].sensor.name = "LIDAR";
  EXPECT_THROW(make_simulator(setup), InputError);
  setup.sensors[1].sensor.name = "a/b";
  EXPECT_THROW(make_simulator(setup), InputError);
  setup.sensors.clear();
  EXPECT_NO_THROW(make_simulator(setup)) << "a scene to which the caller adds sensors";
}

}  // namespace
}  // namespace fathom

// SPDX-License-Identifier: MIT
// The law of devices on a GPU: every channel of every example, and of random sensors and chains, is the processor's,
// bit by bit. tests/device holds what needs no GPU.

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/run.hpp>

#include "render/any_sensors.hpp"
#include "simulate/prepare_run.hpp"

namespace fathom {
namespace {

constexpr Device kGpu = {DeviceKind::kCuda, 0};
constexpr std::uint32_t kFrames = 3;

/// Why there is no GPU; empty: there is one.
std::string why_not() {
  try {
    const Simulator simulator(Scene(), {.compute = {.device = kGpu}});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

void expect_same_frames(const std::string& scene) {
  const SceneSetup setup = read_scene_file(std::string(FATHOM_SOURCE_DIR) + "/" + scene);
  RunOptions on_cpu, on_gpu;
  on_cpu.frames = on_gpu.frames = kFrames;
  on_gpu.compute.device = kGpu;
  PreparedRun here = prepare_run(setup, on_cpu), there = prepare_run(setup, on_gpu);
  for (std::size_t s = 0; s < here.sensors.size(); ++s) {
    Frame wanted(test::all_channels()), found(test::all_channels());
    for (std::uint32_t k = 0; k < kFrames; ++k) {
      here.simulator.render(here.sensors[s].id, k, wanted);
      there.simulator.render(there.sensors[s].id, k, found);
      EXPECT_EQ(test::channels_that_differ(wanted, found), "") << scene << ", sensor " << s << ", frame " << k;
    }
  }
}

void expect_same_environments(const NoiseChain& noise) {
  constexpr std::uint32_t kCount = 300;
  const Sensor sensor = test::make_sensor(test::make_stereo(64, 48, 50.0, 0.1), noise);
  const auto options = [&](Device device) {
    return EnvironmentsOptions{.simulator = {.seed = 3, .compute = {.device = device}}, .count = kCount};
  };
  Environments here(test::make_room_scene(), sensor, options({})),
      there(test::make_room_scene(), sensor, options(kGpu));
  for (std::uint32_t e = 0; e < kCount; ++e) {
    for (Environments* all : {&here, &there}) all->set_entity_pose(e, EntityId{1}, {{0.02 * e - 3, 1, -1}, {}});
  }
  Frame wanted(test::all_channels()), found(test::all_channels());
  for (std::uint32_t k = 0; k < kFrames; ++k) {
    here.render(k, wanted), there.render(k, found);
    EXPECT_EQ(test::channels_that_differ(wanted, found), "") << "frame " << k;
  }
}

void check_any_chain() {
  rc::check("a GPU gives the bits of the processor", [] {
    const Scene scene = test::any_room();
    const Sensor sensor = test::any_sensor();
    const SimulatorOptions on_cpu = {.seed = *rc::gen::arbitrary<std::uint64_t>()};
    SimulatorOptions on_gpu = on_cpu;
    on_gpu.compute.device = kGpu;
    const Frame wanted = test::render_once(scene, sensor, test::all_channels(), on_cpu);
    const Frame found = test::render_once(scene, sensor, test::all_channels(), on_gpu);
    RC_ASSERT(test::channels_that_differ(wanted, found) == std::string());
  });
}

/// One test, so that a computer without a GPU says so once.
TEST(Gpu, GivesTheBitsOfTheProcessor) {
  if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  std::ifstream digests(std::string(FATHOM_SOURCE_DIR) + "/tests/simulate/digests.txt");
  for (std::string line; std::getline(digests, line);) {
    if (line.ends_with(".yaml")) expect_same_frames(line);
  }
  expect_same_environments(test::three_gaussians());
  expect_same_environments({StereoShadow{}, EdgeLoss{.low_probability = 0.2F, .high_probability = 0.9F}});
  check_any_chain();
}

}  // namespace
}  // namespace fathom

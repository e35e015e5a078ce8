// SPDX-License-Identifier: MIT
// The law of the device: its source, run here thread by thread, gives the bits of the processor for every channel of
// every example.

#include <fathom/frame/frame.hpp>
#include <fathom/simulate/run.hpp>

#include "render/any_sensors.hpp"
#include "render/simulators.hpp"
#include "run/prepare_run.hpp"
#include "support/expect.hpp"
#include "support/host_device.hpp"

namespace fathom {
namespace {

/// The first frame of one sensor, the second of the next, and so on. `first`: frame of the first sensor.
void expect_same_frames(const std::string& scene, std::uint32_t first) {
  const SceneSetup setup = read_scene_file(std::string(FATHOM_SOURCE_DIR) + "/" + scene);
  RunOptions options;
  options.frames = 2;
  const Compute one_thread = {.threads = 1};
  options.compute = one_thread;
  SharedTrees trees(setup.scene, one_thread, setup.start_s);
  trees.render_on(test::make_host_device);
  PreparedRun here = prepare_run(setup, options), there = prepare_run(setup, options, &trees);
  ASSERT_FALSE(here.sensors.empty());
  const std::uint64_t before = test::host_device_frames();
  for (std::size_t s = 0; s < here.sensors.size(); ++s) {
    Frame wanted(test::all_channels()), found(test::all_channels());
    const auto k = static_cast<std::uint32_t>((first + s) % 2);
    here.simulator.render(here.sensors[s].id, k, wanted);
    there.simulator.render(there.sensors[s].id, k, found);
    EXPECT_EQ(test::channels_that_differ(wanted, found), "") << scene << ", sensor " << s << ", frame " << k;
  }
  const std::vector<Material>& materials = setup.scene.materials();
  const bool has_glass =
      std::any_of(materials.begin(), materials.end(), [](const Material& m) { return m.optics.leads_on(); });
  EXPECT_EQ(test::host_device_frames() - before, has_glass ? 0 : here.sensors.size()) << scene;
}

TEST(Device, GivesTheBitsOfTheProcessorForEveryExample) {
  std::size_t scenes = 0;
  std::ifstream digests(std::string(FATHOM_SOURCE_DIR) + "/tests/run/digests.txt");
  for (std::string line; std::getline(digests, line);) {
    if (!line.ends_with(".yaml")) continue;
    expect_same_frames(line, static_cast<std::uint32_t>(scenes % 2));
    ++scenes;
  }
  EXPECT_EQ(scenes, 15U);
}

}  // namespace
}  // namespace fathom

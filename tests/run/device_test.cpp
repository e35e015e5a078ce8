// SPDX-License-Identifier: MIT
// The law of the device: its source, run here thread by thread, gives the bits of the processor for every channel of
// every example.

#include <fathom/frame/frame.hpp>
#include <fathom/simulate/run.hpp>

#include "render/simulators.hpp"
#include "run/prepare_run.hpp"
#include "support/expect.hpp"
#include "support/host_device.hpp"

namespace fathom {
namespace {

ChannelSet every_channel() {
  ChannelSet all;
  for (std::size_t i = 0; i < kChannelCount; ++i) all.insert(static_cast<Channel>(i));
  return all;
}

template <class T>
std::size_t different(std::span<const T> a, std::span<const T> b) {
  if (a.size() != b.size()) return a.size() + b.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::memcmp(&a[i], &b[i], sizeof(T)) != 0 ? 1 : 0;
  return count;
}

bool is_cloud(Channel c) {
  return c == Channel::kHitWorld || c == Channel::kHitSensor || c == Channel::kNormal || c == Channel::kCleanHit;
}

/// The number of values of a channel that differ.
std::size_t different(const Frame& a, const Frame& b, Channel channel) {
  switch (channel) {
    case Channel::kEntityId:
      return different(a.entity_id(), b.entity_id());
    case Channel::kTriangleId:
      return different(a.triangle_id(), b.triangle_id());
    case Channel::kLabel:
      return different(a.label(), b.label());
    case Channel::kRing:
      return different(a.ring(), b.ring());
    case Channel::kReason:
      return different(a.reason(), b.reason());
    case Channel::kPath:
      return different(a.path(), b.path());
    default:
      break;
  }
  if (!is_cloud(channel)) return different(a.floats(channel), b.floats(channel));
  const PointSpan p = a.points(channel), q = b.points(channel);
  return different(p.x, q.x) + different(p.y, q.y) + different(p.z, q.z);
}

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
    Frame wanted(every_channel()), found(every_channel());
    const auto k = static_cast<std::uint32_t>((first + s) % 2);
    here.simulator.render(here.sensors[s].id, k, wanted);
    there.simulator.render(there.sensors[s].id, k, found);
    for (std::size_t c = 0; c < kChannelCount; ++c) {
      EXPECT_EQ(different(wanted, found, static_cast<Channel>(c)), 0U)
          << scene << ", sensor " << s << ", frame " << k << ", " << to_string(static_cast<Channel>(c)) << " of "
          << wanted.size() << " rays";
    }
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

// SPDX-License-Identifier: MIT
// The law of devices on a GPU: every channel of every example, and of random sensors and chains, is the processor's,
// bit by bit. tests/render/device holds what needs no GPU.

#include <algorithm>

#include <fathom/simulate/run.hpp>

#include "render/device/gpu.hpp"
#include "render/device_laws.hpp"
#include "run/prepare_run.hpp"
#include "support/expect.hpp"

namespace fathom {
namespace {

constexpr Device kGpu = {DeviceKind::kCuda, 0};
constexpr std::uint32_t kFrames = 3;

/// Eight digits.
std::string hex(std::uint32_t bits) {
  std::array<char, 9> text = {};
  std::snprintf(text.data(), text.size(), "%08x", bits);
  return text.data();
}

/// The checkout, which may lie elsewhere than where this program was built.
std::string source_folder() {
  const char* given = std::getenv("FATHOM_SOURCE_DIR");
  return given != nullptr ? given : FATHOM_SOURCE_DIR;
}

/// Which channels differ, and the bits of each where it first does.
std::string difference(const Frame& wanted, const Frame& found) {
  std::string text = test::channels_that_differ(wanted, found);
  for (const ChannelInfo& info : channel_list()) {
    if (text.empty() || wanted.size() != found.size()) break;
    const std::size_t bytes = size_of(info.type);
    const auto bits = [&](const Frame& frame, std::size_t i) {
      std::uint32_t value = 0;
      std::memcpy(&value, static_cast<const std::byte*>(frame.data(info.channel)) + i * bytes, bytes);
      return value;
    };
    std::size_t i = 0;
    while (i < info.planes * wanted.size() && bits(wanted, i) == bits(found, i)) ++i;
    if (i == info.planes * wanted.size()) continue;
    text += "\n" + std::string(info.name()) + ", plane " + std::to_string(i / wanted.size()) + ", ray " +
            std::to_string(i % wanted.size()) + ": processor " + hex(bits(wanted, i)) + ", GPU " + hex(bits(found, i));
  }
  return text;
}

void expect_same_frames(const std::string& scene) {
  const SceneSetup setup = read_scene_file(source_folder() + "/" + scene);
  const auto is_glass = [](const Material& m) { return m.optics.leads_on(); };
  RunOptions on_cpu, on_gpu;
  on_cpu.frames = on_gpu.frames = kFrames;
  on_gpu.compute.device = kGpu;
  if (std::ranges::any_of(setup.scene.materials(), is_glass)) on_gpu.compute.device.kind = DeviceKind::kAuto;
  PreparedRun here = prepare_run(setup, on_cpu), there = prepare_run(setup, on_gpu);
  for (std::size_t s = 0; s < here.sensors.size(); ++s) {
    Frame wanted(test::all_channels()), found(test::all_channels());
    for (std::uint32_t k = 0; k < kFrames; ++k) {
      here.simulator.render(here.sensors[s].id, k, wanted);
      there.simulator.render(there.sensors[s].id, k, found);
      EXPECT_EQ(difference(wanted, found), "") << scene << ", sensor " << s << ", frame " << k;
    }
  }
}

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    try {
      keeper_.emplace(Scene(), SimulatorOptions{.compute = {.device = kGpu}});
    } catch (const InputError& e) {
      GTEST_SKIP() << e.what();
    }
  }

 private:
  std::optional<Simulator> keeper_;  // keeps the driver's context and the translated code from frame to frame
};

TEST_F(Gpu, GivesTheBitsOfTheProcessorForEveryExample) {
  constexpr int kExamples = 15;
  std::ifstream digests(source_folder() + "/tests/run/digests.txt");
  int count = 0;
  for (std::string line; std::getline(digests, line);) {
    if (!line.ends_with(".yaml")) continue;
    expect_same_frames(line);
    ++count;
  }
  EXPECT_EQ(count, kExamples) << "in tests/run/digests.txt of " << source_folder() << " (FATHOM_SOURCE_DIR)";
}

TEST_F(Gpu, GivesTheBitsOfTheProcessorForEnvironmentsThatMoveAndDraw) {
  test::expect_environments_that_move(test::make_pair_on(kGpu, 300), 300);
  test::expect_environments_that_draw(test::make_drawn_pair_on(kGpu, 9));
}

TEST_F(Gpu, FollowsWhatMovesAndDeforms) { test::expect_frames_that_follow(kGpu); }

TEST_F(Gpu, GivesTheBitsOfTheProcessorForFramesOfEveryKind) { test::expect_frames_of_every_kind(kGpu); }

/// More rays than one launch takes at first.
TEST_F(Gpu, GivesTheBitsOfTheProcessorForAMillionRays) {
  const Sensor sensor = test::make_sensor(test::make_stereo(1300, 1000, 900.0, 0.1), test::three_gaussians());
  EXPECT_EQ(difference(test::frame_on({}, test::make_room_scene(), sensor),
                       test::frame_on(kGpu, test::make_room_scene(), sensor)),
            "");
}

/// In a stream of the caller's.
TEST_F(Gpu, LeavesAFrameWithReturnsInTheMemoryOfTheGpu) {
  const Sensor sensor = test::any_with_returns();
  const Frame wanted = test::frame_on({}, test::make_room_scene(), sensor);
  const device::Gpu gpu(kGpu.number);
  const device::CurrentGpu current(gpu);
  const device::Stream stream(gpu, 0);
  SimulatorOptions options = test::options_on(kGpu);
  options.compute.cuda_stream = reinterpret_cast<std::uintptr_t>(stream.handle());
  Simulator simulator(test::make_room_scene(), options);
  const ChannelSet channels = {Channel::kReason, Channel::kRing, Channel::kHitSensor, Channel::kTimeOffset};
  Frame found = make_gpu_frame(kGpu, wanted.rows(), wanted.cols(), channels, wanted.returns());
  simulator.render(simulator.add_sensor(sensor), 0, found);
  for (const ChannelInfo& info : channel_list()) {
    if (!channels.contains(info.channel)) continue;
    const std::size_t bytes = wanted.size() * info.bytes();
    device::PinnedMemory copy(gpu);
    copy.fit(bytes);
    stream.download(copy.data(), reinterpret_cast<device::CudaAddress>(found.data(info.channel)), bytes);
    stream.wait();
    EXPECT_EQ(std::memcmp(copy.data(), wanted.data(info.channel), bytes), 0) << info.name();
  }
}

TEST_F(Gpu, ServesThreadsAndGoesOnAfterAnInterrupt) { test::expect_frames_on_threads(kGpu); }

TEST_F(Gpu, GivesTheBitsOfTheProcessorForAnyChain) {
  rc::check("a GPU gives the bits of the processor", [] {
    const Scene scene = test::any_room();
    const Sensor sensor = test::any_sensor();
    const SimulatorOptions on_cpu = {.seed = *rc::gen::arbitrary<std::uint64_t>()};
    SimulatorOptions on_gpu = on_cpu;
    on_gpu.compute.device = kGpu;
    const Frame wanted = test::render_once(scene, sensor, test::all_channels(), on_cpu);
    const Frame found = test::render_once(scene, sensor, test::all_channels(), on_gpu);
    RC_ASSERT(difference(wanted, found) == std::string());
  });
}

}  // namespace
}  // namespace fathom

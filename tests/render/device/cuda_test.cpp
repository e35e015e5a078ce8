// SPDX-License-Identifier: MIT
// Frames on a GPU, over a fake driver (support/fake_cuda.hpp): everything on fathom's side of it, with the bits of the
// processor.

#include <fmt/format.h>

#include "render/device/gpu.hpp"
#include "render/device_laws.hpp"
#include "support/expect.hpp"
#include "support/fake_cuda.hpp"
#include "support/half_range.hpp"
#include "trace/tree/sorted_tree.hpp"

namespace fathom::test {
namespace {

namespace fake = test::fake_cuda;

constexpr int kLaunchFailed = 719;  // of the driver
constexpr Device kCuda = {DeviceKind::kCuda, 0}, kAuto = {DeviceKind::kAuto, 0};

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
#ifndef FATHOM_CUDA
    GTEST_SKIP() << "this build has no code for GPUs";
#endif
  }
  void TearDown() override {
    EXPECT_EQ(fake::complaints(), "");
    EXPECT_EQ(fake::alive(), 0U) << "the GPU has not got all back";
  }
};

#ifdef FATHOM_CUDA  // a property does not see that it was skipped
RC_GTEST_FIXTURE_PROP(Cuda, GivesTheBitsOfTheProcessorForAnyChain, ()) {
  const Scene scene = any_room();
  Sensor sensor = any_sensor();
  if (*rc::gen::inRange(0, 4) == 0) sensor.ignore = {EntityId{1}};
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto index = static_cast<std::uint32_t>(*rc::gen::inRange(0, 5));
  fake::set_fill(*rc::gen::element<unsigned char>(0xA5, 0xFF));
  const Frame wanted = render_once(scene, sensor, all_channels(), options_on({}, seed), index);
  const Frame found = render_once(scene, sensor, all_channels(), options_on(kCuda, seed), index);
  RC_ASSERT(channels_that_differ(wanted, found) == std::string());
}
#endif

/// Its results fill the buffers of the copies several times.
TEST_F(Cuda, CopiesALargeFrameByManyThreads) {
  const Scene scene = test::make_room_scene();
  const Sensor sensor = test::make_sensor(test::make_stereo(300, 400, 200.0, 0.2), {}, {}, "stereo");
  SimulatorOptions options = options_on(kCuda);
  options.compute.threads = 3;
  const Frame found = test::render_once(scene, sensor, test::all_channels(), options, 0);
  EXPECT_EQ(test::channels_that_differ(frame_on({}, scene, sensor), found), "");
}

TEST_F(Cuda, FollowsWhatMovesAndDeformsFromFrameToFrame) {
  int frames = 0;
  expect_frames_that_follow(kCuda, [&] {
    EXPECT_EQ(fake::calls("fathom_refit_nodes") > 0, ++frames > 2) << "the GPU itself refits what has deformed";
    fake::spoil();
  });
}

TEST_F(Cuda, ReadsNothingThatNoFrameWrote) {
  for (const int fill : {0xA5, 0xFF}) {
    fake::set_fill(static_cast<unsigned char>(fill));
    expect_frames_of_every_kind(kCuda, &fake::spoil);
  }
}

constexpr std::size_t kBalls = 300;

Scene scene_of_balls() {
  Scene scene;
  const MeshId ball = scene.add_mesh(make_sphere(0.2, 8));
  for (std::size_t i = 0; i < kBalls; ++i) {
    const auto x = static_cast<double>(i % 20), y = static_cast<double>(i / 20), z = static_cast<double>(i % 7);
    scene.add_entity({.name = fmt::format("ball {}", i),
                      .mesh = ball,
                      .parent_from_entity = Pose{{0.7 * x - 7, 0.7 * y - 5, 0.3 * z - 1}, {}}});
  }
  return scene;
}

TEST_F(Cuda, BuildsTheTreeOverManyThings) {
  const Scene scene = scene_of_balls();
  const Sensor sensor = make_sensor(make_lidar(16, 90), three_gaussians());
  EXPECT_EQ(channels_that_differ(frame_on({}, scene, sensor), frame_on(kCuda, scene, sensor)), "");
  EXPECT_EQ(fake::calls("fathom_merge_instances"), 3) << "runs of 64 merge to 128, 256 and 300";
}

TEST_F(Cuda, SendsOnlyWhatMovedInAWorld) {
  constexpr std::uint32_t kCount = 3;
  const auto make = [](Device device) {
    Scene scene = scene_of_balls();
    scene.set_parent(EntityId{8}, EntityId{7});
    return Environments(std::move(scene), make_sensor(make_lidar(16, 90), three_gaussians()),
                        {.simulator = options_on(device), .count = kCount});
  };
  Environments here = make({}), there = make(kCuda), fresh = make(kCuda);
  const auto move = [&](std::uint32_t e, std::uint32_t ball, double x) {
    for (Environments* all : {&here, &there, &fresh}) all->set_entity_pose(e, EntityId{ball}, {{x, 1, 0}, {}});
  };
  Frame wanted(all_channels()), found(all_channels());
  const auto bytes_of_frame = [&](std::uint32_t k) {
    const std::size_t before = fake::bytes_sent();
    there.render(k, found);
    const std::size_t sent = fake::bytes_sent() - before;
    here.render(k, wanted);
    EXPECT_EQ(channels_that_differ(wanted, found), "") << "frame " << k;
    fake::spoil();
    return sent;
  };
  for (std::uint32_t e = 0; e < kCount; ++e) move(e, 0, 0.1 * e + 1);
  const std::size_t first = bytes_of_frame(0), still = bytes_of_frame(1);
  const int launches = fake::calls("fathom_build_nodes");
  EXPECT_GT(first, kCount * kBalls * sizeof(tree::Instance));
  EXPECT_LT(still, kBalls * sizeof(tree::Instance));
  EXPECT_EQ(fake::calls("fathom_place_instances"), 1) << "nothing is sent of worlds that stand still";
  EXPECT_EQ(fake::calls("fathom_sort_instances"), 1) << "and their trees are not built again";
  move(1, 7, 2), move(1, 9, -2);
  EXPECT_EQ(bytes_of_frame(2) - still,
            device::aligned_bytes(3 * sizeof(tree::MovedInstance)) + device::aligned_bytes(sizeof(tree::SortedTree)));
  EXPECT_EQ(fake::calls("fathom_build_nodes"), 2 * launches);
  EXPECT_EQ(bytes_of_frame(3), still);
  fresh.render(3, wanted);
  EXPECT_EQ(channels_that_differ(wanted, found), "");
}

TEST_F(Cuda, AutoSharesAWorldThatDeformsBetweenTheProcessorAndAGpu) {
  Sensor own = any_stereo();
  own.name = "own";
  own.noise.emplace_back(HalfRange{});
  Simulator here(make_room_scene(), options_on({})), there(make_room_scene(), options_on(kAuto));
  for (Simulator* s : {&here, &there}) s->add_sensor(any_stereo()), s->add_sensor(own);
  Frame wanted(all_channels()), found(all_channels());
  for (std::uint32_t k = 0; k < 6; ++k) {
    for (Simulator* s : {&here, &there}) {
      auto vertices = make_sphere(0.5).vertices_m;
      for (auto& v : vertices) v[2] *= 1.0F + 0.25F * static_cast<float>(k / 2);
      if (k % 2 == 0) s->scene().replace_vertices(MeshId{1}, vertices);
    }
    for (const std::uint32_t first : {k % 2, 1 - k % 2}) {
      const SensorId id{first};
      here.render(id, k, wanted), there.render(id, k, found);
      EXPECT_EQ(channels_that_differ(wanted, found), "") << "frame " << k << ", sensor " << first;
    }
  }
  EXPECT_GT(fake::calls("fathom_refit_nodes"), 0);
}

TEST_F(Cuda, AllocatesNothingInASteadyFrame) {
  Simulator simulator(make_room_scene(), options_on(kCuda));
  const SensorId id = simulator.add_sensor(any_stereo());
  Frame frame(all_channels());
  simulator.render(id, 0, frame);
  const int before = fake::calls("cuMemAlloc_v2") + fake::calls("cuMemHostAlloc");
  const int copies = fake::calls("cuMemcpyHtoDAsync_v2");
  for (std::uint32_t k = 1; k < 4; ++k) simulator.render(id, k, frame);
  EXPECT_EQ(fake::calls("cuMemAlloc_v2") + fake::calls("cuMemHostAlloc"), before);
  EXPECT_EQ(fake::calls("cuMemcpyHtoDAsync_v2"), copies + 3) << "one copy a frame";
}

/// A frame has the bits of the processor in memories of these sizes, and is cut in some.
void expect_frames_in_memories(const std::vector<std::size_t>& kilobytes, const Sensor& sensor, std::uint32_t index,
                               const std::string& kernel) {
  const Frame wanted = frame_on({}, make_room_scene(), sensor, index);
  int cut = 0;
  for (const std::size_t size : kilobytes) {
    fake::reset();
    fake::set_memory(size * 1000);
    EXPECT_EQ(channels_that_differ(wanted, frame_on(kCuda, make_room_scene(), sensor, index)), "") << size;
    cut += fake::calls(kernel) > 2 ? 1 : 0;
  }
  EXPECT_GE(cut, 1);
}

TEST_F(Cuda, CutsAFrameThatDoesNotFit) {
  Sensor sensor = any_stereo();
  sensor.model = make_stereo(200, 160, 100.0, 0.2);
  expect_frames_in_memories({8000, 3000, 1600}, sensor, 0, "fathom_render_rays");
}

TEST_F(Cuda, HasTheCorrelatedDrawsOfTheProcessorInFramesAsAWholeAndCut) {
  Sensor sensor = any_stereo();
  sensor.model = make_stereo(200, 160, 100.0, 0.2);
  const Correlation c{.across_px = 3, .down_px = 2, .time_s = 0.35};
  for (ChainEntry& entry : sensor.noise) {
    if (entry.noise.info().draws.normals + entry.noise.info().draws.uniforms > 0) entry.correlation = c;
  }
  sensor.noise[2].correlation = {.across_px = 5, .down_px = 1, .shape = CorrelationShape::kExponential};
  expect_frames_in_memories({1000000, 6000, 4000, 3000}, sensor, 5, "fathom_render_rays");
}

/// In frames of all and of some.
void expect_same_environments(const Sensor& sensor) {
  const auto make = [&](Device device) {
    return Environments(make_room_scene(), sensor, {.simulator = options_on(device), .count = 5});
  };
  Environments here = make({}), there = make(kCuda);
  Frame wanted(all_channels()), found(all_channels());
  const std::vector<std::uint32_t> some = {4, 1};
  for (std::uint32_t k = 0; k < 3; ++k) {
    const EnvironmentNumbers which = k == 1 ? EnvironmentNumbers(some) : EnvironmentNumbers();
    for (std::uint32_t e = 0; e < 5; ++e) {
      for (Environments* all : {&here, &there}) all->set_entity_pose(e, EntityId{1}, {{0.5 * e + k, -1, 0}, {}});
    }
    here.render(k, wanted, which), there.render(k, found, which);
    EXPECT_EQ(channels_that_differ(wanted, found), "") << "frame " << k;
  }
}

TEST_F(Cuda, HasTheCorrelatedDrawsOfEachEnvironment) {
  Sensor sensor = any_stereo();
  sensor.noise[2].correlation = {.across_px = 3, .down_px = 2, .time_s = math::kInfinity};
  sensor.noise[3].correlation = {.across_px = 1};
  expect_same_environments(sensor);
}

TEST_F(Cuda, MatchesWindowsWithTheBitsOfTheProcessor) {
  const Frame wanted = frame_on({}, make_room_scene(), any_with_window());
  EXPECT_GT(count_of(wanted, Reason::kSpeckle) + count_of(wanted, Reason::kEdge), 10U);
  EXPECT_EQ(channels_that_differ(wanted, frame_on(kCuda, make_room_scene(), any_with_window())), "");
  for (const char* kernel : {"match_pixels", "join_pixels", "count_pixels", "lose_speckles", "finish_rays"}) {
    EXPECT_EQ(fake::calls("fathom_" + std::string(kernel)), 1) << kernel;
  }
  // Environments together: one has no window, and one no speckle filter.
  const std::vector<ParameterRange> ranges = {{.entry = 5, .field = "radius_px", .low = 0, .high = 4},
                                              {.entry = 5, .field = "min_area_px", .low = 0, .high = 3}};
  Frame here(all_channels()), there(all_channels());
  for (Frame* frame : {&here, &there}) {
    Environments batch(make_room_scene(), any_with_window(),
                       {.simulator = options_on(frame == &here ? Device{} : kCuda), .count = 9, .ranges = ranges});
    batch.render(1, *frame);
  }
  EXPECT_EQ(channels_that_differ(here, there), "");
}

TEST_F(Cuda, DoesNotCutAFrameWithAWindow) {
  Sensor sensor = any_with_window();
  sensor.model = make_stereo(200, 160, 100.0, 0.2);
  fake::set_memory(1600 * 1000);
  const std::string message = message_of([&] { frame_on(kCuda, make_room_scene(), sensor); });
  EXPECT_TRUE(contains(message, "a frame with a matching window"));
}

TEST_F(Cuda, SaysThatMemoryDoesNotSufficeAndGoesOnWhenItDoes) {
  Simulator simulator(make_room_scene(), options_on(kCuda));
  const SensorId id = simulator.add_sensor(any_stereo());
  Frame frame(all_channels());
  fake::set_memory(20000);
  const std::string message = message_of([&] { simulator.render(id, 0, frame); });
  EXPECT_TRUE(contains(message, "GPU 0 (no GPU at all)"));
  EXPECT_TRUE(contains(message, "out of memory"));
  fake::set_memory(~std::size_t{0});
  simulator.render(id, 0, frame);
  EXPECT_EQ(channels_that_differ(frame_on({}, make_room_scene(), any_stereo()), frame), "");
}

TEST_F(Cuda, ThrowsWhenACallFailsAndWorksTheNextTime) {
  const Frame wanted = frame_on({}, make_room_scene(), any_stereo());
  for (const char* call : {"cuMemAlloc_v2", "cuMemHostAlloc", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
                           "cuLaunchKernel", "cuStreamSynchronize", "cuEventRecord", "cuEventSynchronize"}) {
    for (const bool for_good : {false, true}) {
      fake::reset();
      Simulator simulator(make_room_scene(), options_on(kCuda));
      const SensorId id = simulator.add_sensor(any_stereo());
      Frame frame(all_channels());
      fake::fail(call, 0, kLaunchFailed, for_good);
      EXPECT_THROW(simulator.render(id, 0, frame), SystemError) << call;
      simulator.render(id, 0, frame);
      EXPECT_EQ(channels_that_differ(wanted, frame), "") << call;
      EXPECT_EQ(fake::complaints(), "") << call;
    }
  }
}

TEST_F(Cuda, GoesOnInPartsWhenPinnedMemoryWasShort) {
  Sensor sensor = any_stereo();
  sensor.model = make_stereo(200, 160, 100.0, 0.2);
  constexpr int kOutOfMemory = 2;
  fake::fail("cuMemHostAlloc", 0, kOutOfMemory);
  const Frame found = frame_on(kCuda, make_room_scene(), sensor);
  EXPECT_GT(fake::calls("fathom_render_rays"), 1);
  EXPECT_EQ(channels_that_differ(frame_on({}, make_room_scene(), sensor), found), "");
}

TEST_F(Cuda, TranslatesItsCodeOnceForAllWhoUseAGpu) {
  {
    const Simulator first(make_room_scene(), options_on(kCuda)), second(make_room_scene(), options_on(kCuda));
    EXPECT_EQ(fake::calls("cuModuleLoadDataEx"), 1);
  }
  EXPECT_EQ(fake::alive(), 0U);
  const Simulator third(make_room_scene(), options_on(kCuda));
  EXPECT_EQ(fake::calls("cuModuleLoadDataEx"), 2);
}

TEST_F(Cuda, SaysWhatTheTranslatorSays) {
  constexpr int kInvalidPtx = 218;
  fake::set_translator_log("ptxas fatal: line 7\nno such thing\n");
  fake::fail("cuModuleLoadDataEx", 0, kInvalidPtx);
  EXPECT_EQ(message_of([] { Simulator(make_room_scene(), options_on(kCuda)); }),
            "GPU 0 (no GPU at all): cuModuleLoadDataEx (ptxas fatal: line 7 no such thing): some error (CUDA_ERROR)");
}

TEST_F(Cuda, ThrowsWhenADriverCannotBeOpened) {
  for (const char* call :
       {"cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
        "cuDevicePrimaryCtxRetain", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuStreamCreate", "cuEventCreate"}) {
    fake::reset();
    fake::fail(call, 0, kLaunchFailed);
    EXPECT_THROW(Simulator(make_room_scene(), options_on(kCuda)), SystemError) << call;
    EXPECT_EQ(fake::alive(), 0U) << call;
  }
}

TEST_F(Cuda, SaysWhatIsMissing) {
  const auto message = [](Device device) {
    return message_of([&] { Simulator(make_room_scene(), options_on(device)); });
  };
  EXPECT_EQ(message({DeviceKind::kCuda, 3}),
            "device cuda:3 is not there: the number is not in [0, 1), the GPUs of NVIDIA's driver");
  fake::set_compute_capability(5);
  EXPECT_EQ(message(kCuda),
            "device cuda:0: GPU 0 (no GPU at all) has compute capability 5, and fathom needs 6 or later");
  fake::set_driver_version(10020);
  EXPECT_EQ(message(kCuda), "device cuda: the driver is for CUDA 10, and fathom needs 11 or later");
  fake::set_gpus(0);
  EXPECT_EQ(message(kCuda), "device cuda: NVIDIA's driver finds no GPU");
  EXPECT_EQ(message(kAuto), "") << "the processor is there";
}

TEST_F(Cuda, AutoTakesTheGpuThatIsThere) {
  const Frame wanted = frame_on({}, make_room_scene(), any_stereo());
  EXPECT_EQ(channels_that_differ(wanted, frame_on(kAuto, make_room_scene(), any_stereo())), "");
  EXPECT_GT(fake::calls("cuLaunchKernel"), 0);
}

TEST_F(Cuda, StopsBetweenLaunches) {
  SimulatorOptions options = options_on(kCuda);
  int asked = 0;
  options.should_stop = [&] { return ++asked > 1; };
  fake::set_launch_ms(1);
  Simulator simulator(make_room_scene(), options);
  const SensorId id = simulator.add_sensor(any_stereo());
  Frame frame(all_channels());
  EXPECT_THROW(simulator.render(id, 0, frame), Interrupted);
  options.should_stop = {};
  EXPECT_EQ(fake::calls("fathom_render_rays"), 1);
}

TEST_F(Cuda, ServesSimulatorsOnThreadsOfTheirOwn) { expect_frames_on_threads(kCuda); }

TEST_F(Cuda, RendersEnvironmentsAsTheProcessorDoes) {
  expect_environments_that_move(make_pair_on(kCuda, 9, &fake::spoil), 9);
}

TEST_F(Cuda, CutsEnvironmentsThatDoNotFitTogether) {
  Pair pair = make_pair_on(kCuda, 64, &fake::spoil);
  for (std::uint32_t e = 0; e < 64; ++e) {
    pair.both([&](Environments& all) { all.set_entity_pose(e, EntityId{1}, {{0.1 * e - 3, -1, 0}, {}}); });
  }
  fake::set_memory(6000000);
  EXPECT_EQ(pair.difference(0), "");
  EXPECT_GT(fake::calls("fathom_render_rays"), 4);
}

TEST_F(Cuda, RendersEnvironmentsWithRaysOfTheirOwn) {
  expect_environments_that_draw(make_drawn_pair_on(kCuda, 9, &fake::spoil));
}

TEST_F(Cuda, CutsEnvironmentsWithRaysOfTheirOwnThatDoNotFitTogether) {
  Pair pair = make_drawn_pair_on(kCuda, 64, &fake::spoil);
  fake::set_memory(6000000);
  EXPECT_EQ(pair.difference(0), "");
  EXPECT_EQ(pair.difference(1), "");
}

/// The arrays of a frame in memory of the GPU.
class GpuFrame {
 public:
  GpuFrame(std::uint32_t rows, std::uint32_t cols, std::span<const Channel> channels, std::uint32_t returns = 1) {
    std::vector<Frame::Buffer> buffers;
    for (const Channel c : channels) {
      const std::size_t bytes = std::size_t{returns} * rows * cols * channel_info(c).bytes();
      buffers.push_back({c, fake::make_memory(bytes), bytes});
      memory_.push_back(buffers.back());
    }
    frame_ = Frame(rows, cols, buffers, Frame::Memory::kGpu, {}, returns);
  }
  Frame& frame() { return frame_; }
  template <class T>
  [[nodiscard]] std::vector<T> copy(std::size_t i) const {
    std::vector<T> values(memory_[i].bytes / sizeof(T));
    fake::read(memory_[i].data, memory_[i].bytes, values.data());
    return values;
  }
  void free() {
    for (const Frame::Buffer& b : memory_) fake::free_memory(b.data);
  }

 private:
  std::vector<Frame::Buffer> memory_;
  Frame frame_;
};

template <class T>
std::vector<T> values_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}

TEST_F(Cuda, LeavesAFrameInTheMemoryOfTheGpu) {
  const Sensor sensor = any_stereo();
  const Frame wanted = frame_on({}, make_room_scene(), sensor, 3);
  {
    Simulator simulator(make_room_scene(), options_on(kCuda));
    const SensorId id = simulator.add_sensor(sensor);
    GpuFrame there(
        37, 61,
        std::array{Channel::kReason, Channel::kTriangleId, Channel::kRing, Channel::kHitSensor, Channel::kTimeOffset});
    simulator.render(id, 3, there.frame());
    EXPECT_EQ(there.copy<Reason>(0), values_of(wanted.reason()));
    EXPECT_EQ(there.copy<std::uint32_t>(1), values_of(wanted.triangle_id()));
    EXPECT_EQ(there.copy<std::uint16_t>(2), values_of(wanted.ring()));
    const std::span<const float> x = wanted.hit_sensor_m().x;
    EXPECT_EQ(std::memcmp(there.copy<float>(3).data(), x.data(), 3 * x.size_bytes()), 0);
    EXPECT_EQ(there.copy<float>(4), values_of(wanted.time_offset_s()));
    EXPECT_EQ(fake::calls("cuMemcpyDtoHAsync_v2"), 0) << "nothing comes back";
    EXPECT_THROW(static_cast<void>(there.frame().reason()), InputError);
    Simulator here(make_room_scene(), options_on({}));
    here.add_sensor(sensor);
    EXPECT_EQ(message_of([&] { here.render(id, 3, there.frame()); }),
              "the frame is in the memory of a GPU: the processor cannot render it");
    there.free();
  }
}

TEST_F(Cuda, GivesSeveralReturnsInFramesAsAWholeAndCut) {
  Sensor sensor = any_with_returns();
  sensor.model = make_lidar(48, 256);
  EXPECT_GT(count_of(frame_on({}, make_room_scene(), sensor, 5).of_return(1), Reason::kHit), 30U);
  expect_frames_in_memories({1000000, 3000, 2000}, sensor, 5, "fathom_render_beams");
  EXPECT_EQ(fake::calls("fathom_render_rays"), 0) << "rays that widen have a separate kernel";
}

TEST_F(Cuda, GivesSeveralReturnsOfEachEnvironment) { expect_same_environments(any_with_returns()); }

TEST_F(Cuda, LeavesSeveralReturnsInTheMemoryOfTheGpu) {
  const Sensor sensor = any_with_returns();
  const Frame wanted = frame_on({}, make_room_scene(), sensor);
  Simulator simulator(make_room_scene(), options_on(kCuda));
  const SensorId id = simulator.add_sensor(sensor);
  GpuFrame there(40, 90, std::array{Channel::kReason, Channel::kRing, Channel::kHitSensor, Channel::kTimeOffset}, 3);
  simulator.render(id, 0, there.frame());
  EXPECT_EQ(there.copy<Reason>(0), values_of(wanted.reason()));
  EXPECT_EQ(there.copy<std::uint16_t>(1), values_of(wanted.ring()));
  const std::span<const float> x = wanted.hit_sensor_m().x;
  EXPECT_EQ(std::memcmp(there.copy<float>(2).data(), x.data(), 3 * x.size_bytes()), 0);
  EXPECT_EQ(there.copy<float>(3), values_of(wanted.time_offset_s()));
  GpuFrame one(40, 90, std::array{Channel::kReason});
  EXPECT_EQ(message_of([&] { simulator.render(id, 0, one.frame()); }),
            "the buffers of the frame are for 1 return of each ray, not for 3");
  one.free(), there.free();
}

TEST_F(Cuda, RefusesAFrameInOtherMemoryAndGoesOn) {
  Simulator simulator(make_room_scene(), options_on(kCuda));
  const SensorId id = simulator.add_sensor(any_stereo());
  constexpr std::size_t kBytes = 37 * 61 * sizeof(float);
  const auto render_into = [&](void* memory) {
    const std::array buffers = {Frame::Buffer{Channel::kRange, memory, kBytes}};
    Frame frame(37, 61, buffers, Frame::Memory::kGpu);
    return message_of([&] { simulator.render(id, 0, frame); });
  };
  std::vector<float> here(kBytes / sizeof(float));
  void* const other = fake::make_memory(kBytes, 1);
  void* const own = fake::make_memory(kBytes);
  EXPECT_EQ(render_into(here.data()),
            fmt::format("range: the address {:#x} is in the memory of no GPU, and GPU 0 (no GPU at all) renders",
                        reinterpret_cast<std::uintptr_t>(here.data())));
  EXPECT_EQ(render_into(other),
            fmt::format("range: the address {:#x} is in the memory of GPU 1, and GPU 0 (no GPU at all) renders",
                        reinterpret_cast<std::uintptr_t>(other)));
  EXPECT_EQ(fake::calls("cuLaunchKernel"), 0);
  EXPECT_EQ(render_into(own), "");
  fake::free_memory(other), fake::free_memory(own);
}

TEST_F(Cuda, WaitsForAStreamOfAnother) {
  const std::uintptr_t stream = fake::make_stream();
  void* const memory = fake::make_memory(16);
  wait_for_stream(memory, stream);
  EXPECT_EQ(fake::calls("cuStreamSynchronize"), 1);
  EXPECT_EQ(fake::calls("cuStreamCreate"), 0);
  fake::free_memory(memory), fake::free_stream(stream);
  const float here = 0.0F;
  EXPECT_EQ(message_of([&] { wait_for_stream(&here, stream); }),
            fmt::format("the address {:#x} is in the memory of no GPU", reinterpret_cast<std::uintptr_t>(&here)));
}

TEST_F(Cuda, WorksInAStreamOfTheCallers) {
  const Frame wanted = frame_on({}, make_room_scene(), any_stereo());
  SimulatorOptions options = options_on(kCuda);
  options.compute.cuda_stream = fake::make_stream();
  {
    Simulator simulator(make_room_scene(), options);
    const SensorId id = simulator.add_sensor(any_stereo());
    Frame found(all_channels());
    simulator.render(id, 0, found);
    EXPECT_EQ(channels_that_differ(wanted, found), "");
    EXPECT_EQ(fake::calls("cuStreamCreate"), 0);
  }
  fake::free_stream(options.compute.cuda_stream);
}

}  // namespace
}  // namespace fathom::test

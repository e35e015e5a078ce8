// SPDX-License-Identifier: MIT
// Frames on a GPU, over a fake driver (support/fake_cuda.hpp): everything on fathom's side of it, with the bits of the
// processor.

#include <thread>

#include <fmt/format.h>

#include <fathom/frame/frame.hpp>
#include <fathom/noise/models.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/simulator.hpp>

#include "render/any_sensors.hpp"
#include "render/test_scenes.hpp"
#include "support/expect.hpp"
#include "support/fake_cuda.hpp"
#include "support/half_range.hpp"

namespace fathom::test {
namespace {

namespace fake = test::fake_cuda;

constexpr int kLaunchFailed = 719;  // of the driver
constexpr Device kCuda = {DeviceKind::kCuda, 0}, kAuto = {DeviceKind::kAuto, 0};

SimulatorOptions options_on(Device device, std::uint64_t seed = 7) {
  return {.seed = seed, .compute = {.threads = 1, .device = device}};
}

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

/// A sensor with losses, edge losses and noise.
Sensor any_stereo() {
  Sensor sensor = make_sensor(make_stereo(61, 37, 40.0, 0.2), {}, {}, "stereo");
  sensor.noise = {EdgeLoss{.min_angle_rad = 0.2F, .low_probability = 0.2F, .high_probability = 0.9F}, StereoShadow{},
                  DistanceNoise{.stddev_m = 0.02F}, Dropout{.probability = 0.1F}};
  return sensor;
}

/// The same with a matching window, and rays that noise turns.
Sensor any_with_window() {
  Sensor sensor = any_stereo();
  sensor.noise.insert(sensor.noise.begin(), AngularRay{.stddev_rad = 0.002F});
  sensor.noise.push_back(MatchingWindow{.radius_px = 2, .sure_share = 0.4F, .min_area_px = 9});
  return sensor;
}

Frame frame_on(Device device, const Scene& scene, const Sensor& sensor, std::uint32_t index = 0) {
  return render_once(scene, sensor, all_channels(), options_on(device), index);
}

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
  Simulator here(make_room_scene(), options_on({})), there(make_room_scene(), options_on(kCuda));
  const Rosette rosette = {.points = 500,
                           .field_of_view_rad = 1.0,
                           .prism1_hz = 121.0,
                           .prism2_hz = -77.0,
                           .points_per_s = 1e5};  // its rays differ from frame to frame
  for (Simulator* s : {&here, &there}) {
    s->add_sensor(any_stereo());
    s->add_sensor(make_sensor(rosette, three_gaussians(), {}, "rosette"));
  }
  Frame wanted(all_channels()), found(all_channels());
  for (std::uint32_t k = 0; k < 4; ++k) {
    fake::spoil();
    for (Simulator* s : {&here, &there}) {
      s->scene().set_pose(EntityId{1}, {{3.0 - k, 1, -1}, {}});
      auto vertices = make_sphere(0.5).vertices_m;
      for (auto& v : vertices) v[2] *= 1.5F;
      if (k == 2) s->scene().replace_vertices(MeshId{1}, vertices);
    }
    for (const SensorId id : {SensorId{0}, SensorId{1}}) {
      here.render(id, k, wanted), there.render(id, k, found);
      EXPECT_EQ(channels_that_differ(wanted, found), "") << "frame " << k;
    }
    EXPECT_EQ(fake::calls("fathom_refit_nodes") > 0, k >= 2) << "the GPU itself refits what has deformed";
  }
}

/// A lidar whose rays widen, with three returns of each.
Sensor any_with_returns() {
  Sensor sensor = make_sensor(make_lidar(40, 90), three_gaussians());
  sensor.noise.emplace_back(Dropout{.probability = 0.1F});
  sensor.divergence = {.horizontal_rad = 0.05F, .vertical_rad = 0.03F, .separation_m = 0.2F};
  sensor.returns = {ReturnChoice::kStrongest, ReturnChoice::kLast, ReturnChoice::kSecond};
  sensor.falloff = {FalloffLaw::kInverseSquare, 2.0F};
  return sensor;
}

TEST_F(Cuda, ReadsNothingThatNoFrameWrote) {
  Sensor correlated = any_stereo();
  correlated.noise[2].correlation = {.across_px = 3, .down_px = 2, .time_s = 0.35};
  for (const int fill : {0xA5, 0xFF}) {
    fake::set_fill(static_cast<unsigned char>(fill));
    for (const Sensor& sensor : {any_stereo(), any_with_window(), any_with_returns(), correlated}) {
      Simulator here(make_room_scene(), options_on({})), there(make_room_scene(), options_on(kCuda));
      const SensorId id = here.add_sensor(sensor);
      there.add_sensor(sensor);
      Frame wanted(all_channels()), found(all_channels());
      for (std::uint32_t k = 0; k < 2; ++k) {
        here.render(id, k, wanted), there.render(id, k, found);
        EXPECT_EQ(channels_that_differ(wanted, found), "") << sensor.name << ", frame " << k;
        fake::spoil();
      }
    }
  }
}

TEST_F(Cuda, BuildsTheTreeOverManyThings) {
  Scene scene;
  const MeshId ball = scene.add_mesh(make_sphere(0.2, 8));
  for (int i = 0; i < 300; ++i) {
    scene.add_entity({.name = fmt::format("ball {}", i),
                      .mesh = ball,
                      .parent_from_entity = Pose{{0.7 * (i % 20) - 7, 0.7 * (i / 20) - 5, 0.3 * (i % 7) - 1}, {}}});
  }
  const Sensor sensor = make_sensor(make_lidar(16, 90), three_gaussians());
  EXPECT_EQ(channels_that_differ(frame_on({}, scene, sensor), frame_on(kCuda, scene, sensor)), "");
  EXPECT_EQ(fake::calls("fathom_merge_instances"), 3) << "runs of 64 merge to 128, 256 and 300";
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

TEST_F(Cuda, CutsAFrameThatDoesNotFit) {
  Sensor sensor = any_stereo();
  sensor.model = make_stereo(200, 160, 100.0, 0.2);
  const Frame wanted = frame_on({}, make_room_scene(), sensor);
  int cut = 0;
  for (const std::size_t kilobytes : {8000U, 3000U, 1600U}) {
    fake::reset();
    fake::set_memory(kilobytes * 1000);
    const Frame found = frame_on(kCuda, make_room_scene(), sensor);
    EXPECT_EQ(channels_that_differ(wanted, found), "") << kilobytes;
    cut += fake::calls("fathom_render_rays") > 2 ? 1 : 0;
  }
  EXPECT_GE(cut, 1);
}

TEST_F(Cuda, HasTheCorrelatedDrawsOfTheProcessorInFramesAsAWholeAndCut) {
  Sensor sensor = any_stereo();
  sensor.model = make_stereo(200, 160, 100.0, 0.2);
  const Correlation c{.across_px = 3, .down_px = 2, .time_s = 0.35};
  for (ChainEntry& entry : sensor.noise) {
    if (entry.noise.info().draws.normals + entry.noise.info().draws.uniforms > 0) entry.correlation = c;
  }
  sensor.noise[2].correlation = {.across_px = 5, .down_px = 1, .shape = CorrelationShape::kExponential};
  const Frame wanted = frame_on({}, make_room_scene(), sensor, 5);
  int cut = 0;
  for (const std::size_t kilobytes : {1000000U, 6000U, 4000U, 3000U}) {
    fake::reset();
    fake::set_memory(kilobytes * 1000);
    const Frame found = frame_on(kCuda, make_room_scene(), sensor, 5);
    EXPECT_EQ(channels_that_differ(wanted, found), "") << kilobytes;
    cut += fake::calls("fathom_render_rays") > 2 ? 1 : 0;
  }
  EXPECT_GE(cut, 1);
}

TEST_F(Cuda, HasTheCorrelatedDrawsOfEachEnvironment) {
  Sensor sensor = any_stereo();
  sensor.noise[2].correlation = {.across_px = 3, .down_px = 2, .time_s = math::kInfinity};
  sensor.noise[3].correlation = {.across_px = 1};
  const auto make = [&](Device device) {
    return Environments(make_room_scene(), sensor, {.simulator = options_on(device), .count = 5, .ranges = {}});
  };
  Environments here = make({}), there = make(kCuda);
  Frame wanted(all_channels()), found(all_channels());
  for (std::uint32_t k = 0; k < 3; ++k) {
    here.render(k, wanted), there.render(k, found);
    EXPECT_EQ(channels_that_differ(wanted, found), "") << "frame " << k;
  }
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

TEST_F(Cuda, ServesSimulatorsOnThreadsOfTheirOwn) {
  const Frame wanted = frame_on({}, make_room_scene(), any_stereo());
  std::vector<std::string> differ(3);
  std::vector<std::thread> threads;
  for (std::string& d : differ) {
    threads.emplace_back([&] {
      Simulator simulator(make_room_scene(), options_on(kCuda));
      const SensorId id = simulator.add_sensor(any_stereo());
      Frame frame(all_channels());
      for (int k = 0; k < 3; ++k) simulator.render(id, 0, frame);
      d = channels_that_differ(wanted, frame);
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& d : differ) EXPECT_EQ(d, "");
}

/// Environments on a device beside those on the processor.
class Pair {
 public:
  explicit Pair(std::uint32_t count)
      : here_(make_room_scene(), {.simulator = options_on({}), .count = count}),
        there_(make_room_scene(), {.simulator = options_on(kCuda), .count = count}) {
    Sensor lidar = make_sensor(make_lidar(5, 33), three_gaussians());
    lidar.ignore = {EntityId{2}};
    for (Environments* e : {&here_, &there_}) {
      e->add_sensor(any_stereo());
      e->add_sensor(lidar, {{.entry = 2, .field = "stddev_m", .low = 0.01, .high = 0.5}});
    }
  }
  template <class F>
  void both(F f) {
    f(here_), f(there_);
  }
  [[nodiscard]] std::string difference(std::uint32_t index, const EnvironmentNumbers& which = {}) {
    fake::spoil();
    here_.render(index, std::array{&wanted_[0], &wanted_[1]}, which);
    there_.render(index, std::array{&found_[0], &found_[1]}, which);
    return channels_that_differ(wanted_[0], found_[0]) + channels_that_differ(wanted_[1], found_[1]);
  }

 private:
  Environments here_, there_;
  std::array<Frame, 2> wanted_ = {Frame(all_channels()), Frame(all_channels())};
  std::array<Frame, 2> found_ = wanted_;
};

TEST_F(Cuda, RendersEnvironmentsAsTheProcessorDoes) {
  constexpr std::uint32_t kCount = 9;
  Pair pair(kCount);
  EXPECT_EQ(pair.difference(0), "");
  for (std::uint32_t e = 0; e < kCount; ++e) {
    pair.both([&](Environments& all) { all.set_entity_pose(e, EntityId{1}, {{0.5 * e, -1, 0}, {}}); });
  }
  EXPECT_EQ(pair.difference(1), "");
  const std::vector<std::uint32_t> some = {7, 2, 3};
  pair.both([&](Environments& all) {
    all.set_noise(3, {DistanceNoise{.stddev_m = 0.5F}}, SensorId{0});
    all.set_sensor_pose(2, {{1, 0, 0.5}, {}}, SensorId{1});
    all.reset(std::span<const std::uint32_t>(some));
  });
  EXPECT_EQ(pair.difference(2, std::span<const std::uint32_t>(some)), "");
  EXPECT_EQ(pair.difference(3), "");
}

TEST_F(Cuda, CutsEnvironmentsThatDoNotFitTogether) {
  Pair pair(64);
  for (std::uint32_t e = 0; e < 64; ++e) {
    pair.both([&](Environments& all) { all.set_entity_pose(e, EntityId{1}, {{0.1 * e - 3, -1, 0}, {}}); });
  }
  fake::set_memory(6000000);
  EXPECT_EQ(pair.difference(0), "");
  EXPECT_GT(fake::calls("fathom_render_rays"), 4);
}

/// Environments with their own rays and entities, on a device and on the processor.
class DrawnPair {
 public:
  explicit DrawnPair(std::uint32_t count) : here_(make({}, count)), there_(make(kCuda, count)) {}
  template <class F>
  void both(F f) {
    f(here_), f(there_);
  }
  [[nodiscard]] std::string difference(std::uint32_t index) {
    fake::spoil();
    here_.render(index, std::array{&wanted_[0], &wanted_[1]});
    there_.render(index, std::array{&found_[0], &found_[1]});
    return channels_that_differ(wanted_[0], found_[0]) + channels_that_differ(wanted_[1], found_[1]);
  }

 private:
  static ParameterRange range_of(RangeTarget target, const char* field, double low, double high) {
    return {.field = field, .low = low, .high = high, .entity = EntityId{1}, .target = target};
  }
  static Environments make(Device device, std::uint32_t count) {
    Environments made(make_room_scene(),
                      {.simulator = options_on(device),
                       .count = count,
                       .entity_ranges = {range_of(RangeTarget::kEntity, "reflectivity", 0, 1),
                                         range_of(RangeTarget::kEntity, "position_y_m", -0.5, 0.5)}});
    made.add_sensor(any_stereo(), {range_of(RangeTarget::kSensor, "fx", 15, 40),
                                   range_of(RangeTarget::kSensor, "fy", 5, 90),  // packets of several shapes
                                   range_of(RangeTarget::kSensor, "baseline_m", 0.05, 0.4),
                                   range_of(RangeTarget::kSensor, "rotation_z_rad", -1, 1)});
    made.add_sensor(make_sensor(make_lidar(5, 33), three_gaussians()),
                    {range_of(RangeTarget::kSensor, "rate_hz", 5, 20)});
    return made;
  }
  Environments here_, there_;
  std::array<Frame, 2> wanted_ = {Frame(all_channels()), Frame(all_channels())};
  std::array<Frame, 2> found_ = wanted_;
};

TEST_F(Cuda, RendersEnvironmentsWithRaysOfTheirOwn) {
  DrawnPair pair(9);
  EXPECT_EQ(pair.difference(0), "");
  EXPECT_EQ(pair.difference(1), "");
  const std::vector<std::uint32_t> some = {7, 2};
  pair.both([&](Environments& all) { all.reset(std::span<const std::uint32_t>(some)); });
  EXPECT_EQ(pair.difference(2), "");
}

TEST_F(Cuda, CutsEnvironmentsWithRaysOfTheirOwnThatDoNotFitTogether) {
  DrawnPair pair(64);
  fake::set_memory(6000000);
  EXPECT_EQ(pair.difference(0), "");
  EXPECT_EQ(pair.difference(1), "");
}

/// The arrays of a frame in memory of the GPU.
class GpuFrame {
 public:
  GpuFrame(std::uint32_t rows, std::uint32_t cols, std::span<const Channel> channels, std::uint32_t returns = 1) {
    std::vector<ChannelBuffer> buffers;
    for (const Channel c : channels) {
      const std::size_t bytes = std::size_t{returns} * rows * cols * channel_info(c).bytes();
      buffers.push_back({c, fake::make_memory(bytes), bytes});
      memory_.push_back(buffers.back());
    }
    frame_ = Frame(rows, cols, buffers, FrameMemory::kGpu, {}, returns);
  }
  Frame& frame() { return frame_; }
  template <class T>
  [[nodiscard]] std::vector<T> copy(std::size_t i) const {
    std::vector<T> values(memory_[i].bytes / sizeof(T));
    fake::read(memory_[i].data, memory_[i].bytes, values.data());
    return values;
  }
  void free() {
    for (const ChannelBuffer& b : memory_) fake::free_memory(b.data);
  }

 private:
  std::vector<ChannelBuffer> memory_;
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
  const Frame wanted = frame_on({}, make_room_scene(), sensor, 5);
  EXPECT_GT(count_of(wanted.of_return(1), Reason::kHit), 30U);
  int cut = 0;
  for (const std::size_t kilobytes : {1000000U, 3000U, 2000U}) {
    fake::reset();
    fake::set_memory(kilobytes * 1000);
    const Frame found = frame_on(kCuda, make_room_scene(), sensor, 5);
    EXPECT_EQ(channels_that_differ(wanted, found), "") << kilobytes;
    cut += fake::calls("fathom_render_rays") > 2 ? 1 : 0;
  }
  EXPECT_GE(cut, 1);
}

TEST_F(Cuda, GivesSeveralReturnsOfEachEnvironment) {
  const auto make = [&](Device device) {
    return Environments(make_room_scene(), any_with_returns(), {.simulator = options_on(device), .count = 5});
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
    EXPECT_EQ(wanted.returns(), 3U);
    EXPECT_EQ(channels_that_differ(wanted, found), "") << "frame " << k;
  }
}

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
    const std::array buffers = {ChannelBuffer{Channel::kRange, memory, kBytes}};
    Frame frame(37, 61, buffers, FrameMemory::kGpu);
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

// SPDX-License-Identifier: MIT
// A frame in steady state allocates nothing: every malloc of the process is counted while frames render.

#include <fathom/simulate/sensor_noise.hpp>

#include "render/stereo_scenes.hpp"
#include "support/allocations.hpp"

#if !FATHOM_SANITIZED

namespace fathom::test {
namespace {

TEST(AllocationCounter, Counts) {
  EXPECT_GE(allocations_in([] { std::free(std::malloc(1)); }), 1U);
  EXPECT_GE(allocations_in([] { delete new std::string(100, 'x'); }), 1U);
}

/// In as many steps as go before them, which fill the pools of the thread library.
template <class Step>
std::size_t allocations_after(std::uint32_t steps, Step step) {
  for (std::uint32_t i = 0; i < steps; ++i) step(i);
  return allocations_in([&] {
    for (std::uint32_t i = steps; i < 2 * steps; ++i) step(i);
  });
}

std::size_t allocations_of(const Sensor& sensor, int threads) {
  Simulator simulator(make_room_scene(), {.seed = 1, .compute = {.threads = threads}});
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame(all_channels());
  return allocations_after(50, [&](std::uint32_t i) { simulator.render(id, i, frame); });
}

/// With noise of every stage.
std::size_t steady_state(Sensor sensor, int threads) {
  sensor.noise = three_gaussians();
  sensor.noise.push_back(UniformNoise{.low_m = 0, .high_m = 0.01F});
  sensor.noise.push_back(Dropout{.probability = 0.1F});
  return allocations_of(sensor, threads);
}

const StereoCamera kWideCamera = make_stereo(320, 240, 200, 0.1), kSmallCamera = make_stereo(64, 48, 40, 0.1);

TEST(Allocations, NoneInASteadyFrame) {
  for (const int threads : {1, 2}) EXPECT_EQ(steady_state(make_sensor(make_lidar(64, 512)), threads), 0U) << threads;
}

TEST(Allocations, NoneInASteadyGivenFrame) {
  StereoCamera camera = make_stereo(160, 120, 120, 0.06);
  SensorNoise noise(
      make_sensor(camera, {StereoShadow{}, StereoEnergy{.min_energy = 0.1F}, Dropout{.probability = 0.1F}}),
      {.compute = {.threads = 1}});
  const std::vector<float> depth(std::size_t{160} * 120, 2.0F);
  Frame frame(all_channels());
  EXPECT_EQ(allocations_after(5, [&](std::uint32_t i) { noise.apply(i, {.depth_m = depth}, frame); }), 0U);
}

TEST(Allocations, NoneWhereRaysBringBackSeveralReturns) {
  Sensor sensor = make_sensor(make_lidar(16, 128));
  sensor.divergence = {.horizontal_rad = 0.02F, .vertical_rad = 0.02F};
  sensor.returns = {ReturnChoice::kStrongest, ReturnChoice::kLast};
  EXPECT_EQ(steady_state(sensor, 1), 0U);
}

TEST(Allocations, NoneWhereSensorsIgnoreEntities) {
  Scene scene = make_room_scene();
  Simulator simulator(scene, {.seed = 1, .compute = {.threads = 1}});
  for (std::uint32_t i = 0; i < 3; ++i) {
    Sensor sensor = make_sensor(make_lidar(4, 64), {}, {}, "s" + std::to_string(i));
    sensor.ignore = {EntityId{i}};
    simulator.add_sensor(sensor);
  }
  Frame frame(all_channels());
  const auto render = [&](std::uint32_t i) {
    simulator.scene().set_pose(EntityId{2}, {{-2, 0.01 * i, 0}, {}});
    simulator.render(SensorId{i % 3}, i, frame);
  };
  EXPECT_EQ(allocations_after(50, render), 0U);
}

TEST(Allocations, NoneInASteadyRollingFrame) {
  Sensor sensor = make_sensor(make_lidar(64, 512));
  sensor.parent_from_sensor = Trajectory({{0, {}}, {100, {{1, 1, 0}, from_roll_pitch_yaw(0, 0, 1)}}});
  sensor.rolling = true;
  EXPECT_EQ(steady_state(sensor, 2), 0U);
}

TEST(Allocations, NoneInASteadyFrameOfAStereoCameraWithEveryLoss) {
  Sensor sensor = make_sensor(kWideCamera);
  sensor.noise = {LossAngle{.max_incidence_rad = 1.3F},
                  StereoShadow{},
                  StereoEnergy{},
                  TextureLoss{},
                  EdgeLoss{.low_probability = 0.1F, .high_probability = 0.9F},
                  MatchingWindow{.radius_px = 4, .min_area_px = 60},
                  Disparity{.stddev_px = 0.1F}};
  sensor.noise[2].by_entity = {{EntityId{1}, StereoEnergy{.pow = 2}}};
  EXPECT_EQ(allocations_of(sensor, 2), 0U);
}

TEST(Allocations, NoneInASteadyFrameWithCorrelatedDraws) {
  for (const int threads : {1, 2}) {
    Sensor sensor = make_sensor(kWideCamera);
    const Correlation c{.across_px = 3, .down_px = 1}, slow{.across_px = 2, .time_s = 0.25},
        fixed{.down_px = 2, .time_s = math::kInfinity, .shape = CorrelationShape::kExponential};
    sensor.noise = {{EdgeLoss{.low_probability = 0.1F, .high_probability = 0.9F}, slow},
                    {Disparity{.stddev_px = 0.1F}, c},
                    {DistanceNoise{.stddev_m = 0.01F}, fixed},
                    {Dropout{.probability = 0.1F}, slow}};
    EXPECT_EQ(allocations_of(sensor, threads), 0U) << threads;
  }
}

TEST(Allocations, NoneWhereCorrelatedRayNoiseMeetsAWindowBesideASensorOfSeveralReturns) {
  const Correlation c{.across_px = 3, .down_px = 3}, slow{.across_px = 2, .time_s = 0.25};
  const NoiseChain matched = {{AngularRay{.stddev_rad = 0.004F}, c},
                              {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.002F}, slow},
                              TextureLoss{},
                              MatchingWindow{.radius_px = 4, .min_area_px = 60},
                              {Disparity{.stddev_px = 0.1F}, c}};
  Sensor lidar = make_sensor(make_lidar(16, 128), three_gaussians(), {}, "lidar");
  lidar.divergence = {.horizontal_rad = 0.02F, .vertical_rad = 0.02F};
  lidar.returns = {ReturnChoice::kStrongest, ReturnChoice::kLast, ReturnChoice::kFirst, ReturnChoice::kSecond,
                   ReturnChoice::kSecondStrongest};
  lidar.timing = {.jitter_s = 0.001, .freeze = 0.9};
  for (const int threads : {1, 2}) {
    Simulator simulator(make_room_scene(), {.seed = 1, .compute = {.threads = threads}});
    const SensorId ids[] = {simulator.add_sensor(make_sensor(kWideCamera, matched, {}, "camera")),
                            simulator.add_sensor(lidar)};
    Frame frames[] = {Frame(all_channels()), Frame(all_channels())};
    const auto render = [&](std::uint32_t index) {
      for (std::size_t i = 0; i < 2; ++i) simulator.render(ids[i], index, frames[i]);
    };
    EXPECT_EQ(allocations_after(50, render), 0U) << threads;
  }
}

TEST(Allocations, NoneInASteadyFrameOfManyEnvironments) {
  Environments batch(
      make_room_scene(),
      make_sensor(
          kSmallCamera,
          {StereoShadow{}, StereoEnergy{}, {Dropout{.probability = 0.1F}, Correlation{.across_px = 2, .time_s = 0.3}}}),
      {.simulator = {.seed = 1, .compute = {.threads = 1}},
       .count = 64,
       .ranges = {{.entry = 1, .field = "pow", .low = 1, .high = 20}}});
  for (std::uint32_t e = 0; e < 64; ++e) batch.set_sensor_pose(e, {{0.02 * e, 0, 0}, {}});
  Frame frame(all_channels());
  EXPECT_EQ(allocations_after(5, [&](std::uint32_t i) { batch.render(i, frame); }), 0U);
}

TEST(Allocations, NoneWithOpticsPosesAndReflectivityOfTheirOwn) {
  const auto drawn = [](ParameterRange::Target target, const char* field, double low, double high) {
    return ParameterRange{.field = field, .low = low, .high = high, .entity = EntityId{2}, .target = target};
  };
  Environments batch(make_room_scene(), make_sensor(kSmallCamera, {StereoShadow{}, StereoEnergy{}}),
                     {.simulator = {.seed = 1, .compute = {.threads = 1}},
                      .count = 64,
                      .ranges = {drawn(ParameterRange::Target::kSensor, "fx", 30, 50),
                                 drawn(ParameterRange::Target::kSensor, "fy", 20, 80),
                                 drawn(ParameterRange::Target::kSensor, "rotation_z_rad", -0.1, 0.1)},
                      .entity_ranges = {drawn(ParameterRange::Target::kEntity, "reflectivity", 0, 1),
                                        drawn(ParameterRange::Target::kEntity, "position_x_m", -0.1, 0.1)}});
  Frame frame(all_channels());
  EXPECT_EQ(allocations_after(3, [&](std::uint32_t i) { batch.render(i, frame); }), 0U);
}

TEST(Allocations, NoneWhileEntitiesOfEnvironmentsMove) {
  Environments batch(make_room_scene(), make_sensor(kSmallCamera, {StereoShadow{}, StereoEnergy{}}),
                     {.simulator = {.seed = 1, .compute = {.threads = 1}}, .count = 64});
  for (std::uint32_t e = 0; e < 64; ++e) batch.set_entity_pose(e, EntityId{2}, {{-2.0, 0.01 * e, 0.0}, {}});
  Frame frame(all_channels());
  EXPECT_EQ(allocations_after(3, [&](std::uint32_t i) { batch.render(i, frame); }), 0U);
}

TEST(Allocations, NoneInTheStepsOf4096Environments) {
  constexpr std::uint32_t kCount = 4096;
  StereoCamera camera;
  camera.width = 16, camera.height = 12, camera.fx = 10, camera.baseline_m = 0.1;
  Environments batch(make_room_scene(),
                     {.simulator = {.seed = 1, .compute = {.threads = 1}}, .count = kCount, .ranges = {}});
  const SensorId left = batch.add_sensor(make_sensor(camera, {StereoShadow{}, StereoEnergy{}}, {}, "left"),
                                         {{.entry = 1, .field = "pow", .low = 1, .high = 20}});
  // So far away that it casts into its own tree.
  batch.add_sensor(make_sensor(camera, {EdgeLoss{.low_probability = 0.5F}}, {{100, 0, 0}, {}}, "far"));
  const std::size_t rays = std::size_t{kCount} * 16 * 12;
  std::vector<float> depth(rays);
  const std::array buffers = {Frame::Buffer{Channel::kDepth, depth.data(), 4 * rays}};
  Frame of_left(kCount * 12, 16, buffers), of_far(all_channels());
  const std::array frames = {&of_left, &of_far};
  const std::array entities = {EntityId{1}, EntityId{2}};
  std::vector<double> positions_m(kCount * 2 * 3), quaternions(kCount * 2 * 4, 0.5);
  std::vector<std::uint32_t> some;
  for (std::uint32_t e = 0; e < kCount; e += 8) some.push_back(e);
  const auto step = [&](std::uint32_t index, const EnvironmentNumbers& environments) {
    for (std::size_t i = 0; i < positions_m.size(); ++i) positions_m[i] = 1e-4 * static_cast<double>(i % 8999 + index);
    batch.set_entity_poses(entities, positions_m, quaternions);
    const std::size_t all = kCount;
    batch.set_sensor_poses(left, std::span(positions_m).first(all * 3), std::span(quaternions).first(all * 4));
    batch.render(index, frames, environments);
    batch.render(left, index, of_left, some);
  };
  step(0, {}), step(1, some);
  EXPECT_EQ(allocations_in([&] { step(2, {}), step(3, some); }), 0U);
}

TEST(Allocations, NoneInASteadyFrameWhoseRaysChange) {
  Rosette rosette;
  rosette.points = 10000, rosette.field_of_view_rad = 0.7, rosette.prism1_hz = 121.6, rosette.prism2_hz = -77.7;
  rosette.points_per_s = 100000;
  EXPECT_EQ(steady_state(make_sensor(rosette), 2), 0U);
}

TEST(Allocations, NoneWhileEntitiesMove) {
  Simulator simulator(make_room_scene(), {.seed = 1, .compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(make_sensor(make_lidar()));
  Frame frame(all_channels());
  const auto move_and_render = [&](std::uint32_t i) {
    simulator.scene().set_pose(EntityId{2}, {{-2.0, 0.001 * i, 0.0}, {}});
    simulator.render(id, i, frame);
  };
  EXPECT_EQ(allocations_after(20, move_and_render), 0U);
}

}  // namespace
}  // namespace fathom::test

#endif

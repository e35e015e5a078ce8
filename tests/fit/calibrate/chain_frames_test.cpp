// SPDX-License-Identifier: MIT
// Frames of the simulator beside their scene: the chain that made them is learned back from ranges alone.

#include <fathom/files/clouds.hpp>
#include <fathom/fit/frames.hpp>

#include "fit/calibrate/chain_simulator.hpp"
#include "fit/frames/chain_frames.hpp"
#include "render/test_scenes.hpp"

namespace fathom::test::chain_frames_test {
namespace {

SceneSetup setup_of(SensorModel model, NoiseChain noise) {
  SceneSetup setup;
  setup.file = "room.yaml";
  setup.scene = make_room_scene();
  Sensor sensor = make_sensor(std::move(model), std::move(noise), {}, "cam");
  sensor.parent_from_sensor = Trajectory(Pose{{-1, 0.3, 0.2}, from_roll_pitch_yaw(0, 0.1, 0.3)});
  setup.sensors.emplace_back();
  setup.sensors.front().sensor = std::move(sensor);
  return setup;
}

StereoCamera camera() {
  StereoCamera camera;
  camera.width = 160, camera.height = 120;
  camera.fx = 100;
  camera.baseline_m = 0.1;
  camera.reference = CameraReference::kLeft;
  camera.min_range_m = 0.2, camera.max_range_m = 20;
  return camera;
}

/// What the sensor measures, and what the reader makes of it.
ChainFrames measured_frames(const SceneSetup& setup, std::uint32_t frames, const ChainFrames::Options& options = {}) {
  Simulator simulator = make_simulator(setup);
  Frame frame({Channel::kRange});
  ChainFrameReader reader(setup, frames, options);
  for (std::uint32_t k = 0; k < frames; ++k) {
    simulator.render(SensorId{0}, k, frame);
    reader.add_ranges(k, frame.range_m());
  }
  return reader.frames();
}

void expect_learned(const NoiseChain& truth, const std::vector<std::string>& patterns, const ChainFrames& frames) {
  const std::vector<ChainParameter> free = parameters_of(truth, patterns);
  const ChainFit fit = fit_chain(with_wrong_values(truth, free, 0.7), free, frames.returns, {.hold_out = 4});
  for (std::size_t k = 0; k < free.size(); ++k) {
    const Fit::Parameter& p = fit.parameters[k];
    EXPECT_LT(std::abs(p.value - value_of(truth, free[k])), 3.5 * p.std_error) << p.name << " = " << p.value;
    EXPECT_LT(p.std_error, 0.3 * std::abs(value_of(truth, free[k]))) << p.name;
  }
  EXPECT_GT(fit.held_out->gain_nats, 3 * fit.held_out->gain_error);
}

TEST(ChainFrames, ALidarIsLearnedFromItsRanges) {
  const NoiseChain noise = {LossAngle{1.1F}, DistanceNoise{0.02F, 0.01F, 0.003F}, Dropout{0.05F}};
  const SceneSetup setup = setup_of(make_lidar(16, 180), noise);
  const ChainFrames frames = measured_frames(setup, 12);
  EXPECT_EQ(frames.frames, 12U);
  EXPECT_EQ(frames.hidden, 0U);
  EXPECT_EQ(frames.unexpected, 0U);
  EXPECT_EQ(frames.returns.size(), 12U * 16 * 180);  // a closed room
  expect_learned(noise, {"*"}, frames);
}

TEST(ChainFrames, ReturnsTooWeakToDetectAreLeftOut) {
  const NoiseChain noise = {DistanceNoise{0.02F, 0.01F, 0.0F}, Dropout{0.05F}};
  SceneSetup setup = setup_of(make_lidar(16, 180), noise);
  setup.sensors.front().sensor.detection.reach_10_m = 1.5F;  // white walls up to 4.7 m
  const ChainFrames frames = measured_frames(setup, 12);
  EXPECT_GT(frames.hidden, 1000U);
  EXPECT_GT(frames.returns.size(), 1000U);
  EXPECT_EQ(frames.hidden + frames.returns.size(), 12U * 16 * 180);
  expect_learned(noise, {"dropout.*", "*.mean_m", "*.stddev_m"}, frames);
}

TEST(ChainFrames, RaysWhoseLightLeavesAreLeftOut) {
  const NoiseChain noise = {DistanceNoise{0.02F, 0.01F, 0.0F}, Dropout{0.05F}};
  SceneSetup setup = setup_of(make_lidar(16, 180), noise);
  setup.scene.add_material({.name = "mirror", .optics = {.mirror = 0.9F}});
  setup.scene.add_entity({.name = "mirror",
                          .mesh = setup.scene.add_mesh(make_plane(3, 3)),
                          .parent_from_entity = Pose{{0.5, 0.3, 0.2}, from_roll_pitch_yaw(0, 1.3, 0.3)},
                          .material = "mirror"});
  setup.sensors.front().sensor.light_paths.bounces = 0;
  const ChainFrames frames = measured_frames(setup, 12);
  EXPECT_GT(frames.hidden, 1000U);
  EXPECT_GT(frames.returns.size(), 1000U);
  expect_learned(noise, {"dropout.*", "*.mean_m", "*.stddev_m"}, frames);
}

/// Another device's code for no return, beyond what the sensor measures.
TEST(ChainFrames, ReadingsBeyondTheSensorCountAsLost) {
  SceneSetup setup = setup_of(make_lidar(4, 90), {DistanceNoise{0.0F, 0.01F, 0.0F}, Dropout{0.05F}});
  for (const RangePolicy policy : {RangePolicy::kDrop, RangePolicy::kKeep}) {
    setup.sensors.front().sensor.range_policy = policy;
    ChainFrameReader reader(setup, 1);
    std::vector<float> ranges(4 * 90, 3.0F);
    const auto limit = static_cast<float>(reader.max_range_m());
    ranges[5] = ranges[80] = 3.0F * limit, ranges[7] = limit;
    reader.add_ranges(0, ranges);
    const ChainFrames& frames = reader.frames();
    const bool drops = policy == RangePolicy::kDrop;
    EXPECT_EQ(frames.beyond, drops ? 2U : 0U);
    EXPECT_EQ(std::isnan(frames.returns.range_m[5]), drops);
    EXPECT_FALSE(std::isnan(frames.returns.range_m[7]));
    const std::vector<std::string> flags = texts_of(frames.findings());
    EXPECT_EQ(!flags.empty() && contains(flags.front(), "2 readings beyond the"), drops);
  }
}

TEST(ChainFrames, AStereoCameraIsLearnedWithItsEdgesAndShadows) {
  const EdgeLoss edges = {
      .min_angle_rad = 1.0F, .max_angle_rad = 2.6F, .low_probability = 0.2F, .high_probability = 0.8F};
  const NoiseChain noise = {StereoShadow{}, InvalidBand{.left_band = true, .max_disparity_px = 100.0F},
                            StereoEnergy{0.2F, 4.0F, EnergyNormalization::kThreshold}, edges,
                            Disparity{0.0F, 0.1F, 16.0F}};
  const ChainFrames frames = measured_frames(setup_of(camera(), noise), 16, {.most_returns = 30'000});
  EXPECT_GT(frames.hidden, 50U);  // of a tenth of all returns
  expect_learned(noise, {"stereo_energy.*", "edge_loss.high_probability", "*.stddev_px"}, frames);
}

TEST(ChainFrames, AMatchingWindowLeavesOutWhatItChanges) {
  const NoiseChain noise = {MatchingWindow{.radius_px = 2, .share = 0.2F}, Disparity{0.05F, 0.1F, 0.0F},
                            Dropout{0.02F}};
  const ChainFrames frames = measured_frames(setup_of(camera(), noise), 12, {.most_returns = 60'000});
  EXPECT_GT(frames.hidden, 100U);
  expect_learned(noise, {"disparity.bias_px", "*.stddev_px", "dropout.*"}, frames);
}

TEST(ChainFrames, DepthsInMillimetresAreWhatRangesAre) {
  const NoiseChain noise = {Disparity{0.05F, 0.1F, 0.0F}, Dropout{0.02F}};
  const SceneSetup setup = setup_of(camera(), noise);
  Simulator simulator = make_simulator(setup);
  Frame frame({Channel::kRange, Channel::kDepth});
  ChainFrameReader by_range(setup, 4, {.most_returns = 20'000}),
      by_depth(setup, 4, {.most_returns = 20'000, .half_step_m = 0.0005});
  for (std::uint32_t k = 0; k < 4; ++k) {
    simulator.render(SensorId{0}, k, frame);
    by_range.add_ranges(k, frame.range_m());
    std::vector<float> depth_m(frame.depth_m().begin(), frame.depth_m().end());
    for (float& depth : depth_m) depth = 0.001F * std::round(1000.0F * depth);
    by_depth.add_depths(k, depth_m);
  }
  const ChainReturns &a = by_range.frames().returns, &b = by_depth.frames().returns;
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.clean_range_m, b.clean_range_m);
  const std::vector<ChainParameter> free = parameters_of(noise, {"*.bias_px", "*.stddev_px", "dropout.*"});
  const ChainFit first = fit_chain(noise, free, a, {.hold_out = 0}),
                 second = fit_chain(noise, free, b, {.hold_out = 0});
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_NEAR(first.parameters[k].value, second.parameters[k].value, 0.2 * first.parameters[k].std_error);
  }
}

TEST(ChainFrames, ThinningTakesAnEvenShareAndNothingElseChanges) {
  const NoiseChain noise = {DistanceNoise{0.02F, 0.01F, 0.003F}};
  const SceneSetup setup = setup_of(make_lidar(16, 180), noise);
  const ChainFrames thin = measured_frames(setup, 4, {.most_returns = 2880});
  EXPECT_NEAR(static_cast<double>(thin.returns.size()), 2880, 5 * std::sqrt(2880 * 0.75));
  for (std::uint32_t k = 0; k < 4; ++k) {
    const auto of_frame = std::count(thin.returns.frame.begin(), thin.returns.frame.end(), k);
    EXPECT_NEAR(static_cast<double>(of_frame), 720, 5 * std::sqrt(720 * 0.75));
  }
  EXPECT_EQ(measured_frames(setup, 4, {.most_returns = 2880}).returns.range_m.size(), thin.returns.size());
}

Laser2d planar_laser() {
  Laser2d laser;
  laser.rays = 91, laser.min_azimuth_rad = -2.0, laser.max_azimuth_rad = 2.0;
  return laser;
}

std::vector<double> azimuths_of(const Laser2d& laser) {
  std::vector<double> azimuth_rad;
  for (std::uint32_t i = 0; i < laser.rays; ++i) {
    azimuth_rad.push_back(laser.min_azimuth_rad +
                          (laser.max_azimuth_rad - laser.min_azimuth_rad) * i / (laser.rays - 1));
  }
  return azimuth_rad;
}

PlanarPose pose_of_frame(std::uint32_t k) { return {-2.0 + 0.1 * k, 0.3 - 0.05 * k, 0.4 * k}; }

/// A laser in a room in which a ball rolls, on a carrier that its rays do not meet.
SceneSetup driven_laser(const Trajectory& motion) {
  SceneSetup setup = setup_of(planar_laser(), {DistanceNoise{0.02F, 0.01F, 0.0F}, Dropout{0.1F}});
  const MeshId box = setup.scene.add_mesh(make_box({0.5, 0.5, 0.5}), "body");
  setup.scene.set_motion(EntityId{2}, Trajectory({{0.0, Pose{{-2, -2, 0}, {}}}, {3.0, Pose{{3, -2, 0}, {}}}}));
  const EntityId body = setup.scene.add_entity({.name = "robot", .mesh = box, .parent_from_entity = motion});
  Sensor& laser = setup.sensors.front().sensor;
  laser.parent = body, laser.parent_from_sensor = Trajectory(Pose{{0, 0, 0.2}, {}});
  return setup;
}

Trajectory drive(std::uint32_t frames) {
  std::vector<Trajectory::Key> keys;
  for (std::uint32_t k = 0; k < frames; ++k) {
    const PlanarPose p = pose_of_frame(k);
    keys.push_back({0.1 * k, Pose{{p.x_m, p.y_m, 0.0}, from_roll_pitch_yaw(0, 0, p.yaw_rad)}});
  }
  return Trajectory(std::move(keys));
}

TEST(ChainFrames, ScansAtTheirPosesAreWhatFramesOfAMovingSensorAre) {
  constexpr std::uint32_t kFrames = 20;
  const SceneSetup moving = driven_laser(drive(kFrames));
  // In this scene the laser waits elsewhere, and only the poses say where it was.
  const SceneSetup waiting = driven_laser(Trajectory(Pose{{1, 1, 0}, from_roll_pitch_yaw(0, 0, 2)}));
  Simulator simulator = make_simulator(moving);
  Frame frame({Channel::kRange});
  ChainFrameReader by_scene(moving, kFrames), by_pose(waiting, kFrames);
  by_pose.check_azimuths(azimuths_of(planar_laser()));
  for (std::uint32_t k = 0; k < kFrames; ++k) {
    simulator.render(SensorId{0}, k, frame);
    by_scene.add_ranges(k, frame.range_m());
    by_pose.add_scan(k, frame.range_m(), pose_of_frame(k));
  }
  const ChainReturns &a = by_scene.frames().returns, &b = by_pose.frames().returns;
  ASSERT_EQ(a.size(), kFrames * 91U);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.frame, b.frame);
  EXPECT_EQ(a.ring, b.ring);
  EXPECT_TRUE(a.sensor_moved);
  EXPECT_TRUE(b.sensor_moved);
  for (std::size_t i = 0; i < a.size(); ++i) {
    // A pose through quaternions of the body and back differs in the last bits.
    ASSERT_NEAR(a.clean_range_m[i], b.clean_range_m[i], 2e-5 * a.clean_range_m[i]) << i;
    ASSERT_TRUE(a.range_m[i] == b.range_m[i] || (std::isnan(a.range_m[i]) && std::isnan(b.range_m[i]))) << i;
  }
  ChainFrameReader wrong(waiting, 1);
  wrong.add_ranges(0, std::vector<float>(91, 1.0F));
  EXPECT_FALSE(wrong.frames().returns.sensor_moved);
  EXPECT_GT(std::abs(wrong.frames().returns.clean_range_m[40] - a.clean_range_m[40]), 0.01F);
}

TEST(ChainFrames, ScansOfAnotherLaserAreRefused) {
  const auto refusal = [](const SceneSetup& setup, std::vector<double> azimuth_rad) {
    return message_of<InputError>([&] { ChainFrameReader(setup, 1).check_azimuths(azimuth_rad); });
  };
  const SceneSetup setup = driven_laser(drive(2));
  std::vector<double> azimuth_rad = azimuths_of(planar_laser());
  azimuth_rad[7] += 2.0 * 3.14159265358979;  // a full turn is no difference
  ChainFrameReader(setup, 1).check_azimuths(azimuth_rad);
  azimuth_rad[3] += 0.002;
  EXPECT_TRUE(contains(refusal(setup, azimuth_rad), "its ray 3 points at -106.838 deg, and that of sensor 'cam'"));
  azimuth_rad.pop_back();
  EXPECT_TRUE(contains(refusal(setup, azimuth_rad), "its scans have 90 rays, and sensor 'cam' has 91"));
  EXPECT_TRUE(contains(refusal(setup_of(make_lidar(4, 8), {}), azimuth_rad), "rays in one plane"));
  const std::vector<float> range_m(91, 1.0F);
  const auto added = [&](const SceneSetup& to, const PlanarPose& pose = {}) {
    return message_of<InputError>([&] { ChainFrameReader(to, 1).add_scan(0, range_m, pose); });
  };
  SceneSetup rolling = setup;
  rolling.sensors.front().sensor.rolling = true;
  EXPECT_TRUE(contains(added(rolling), "set rolling: false"));
  EXPECT_TRUE(contains(added(setup_of(planar_laser(), {})), "is tilted in the scene at frame 0"));
  EXPECT_FALSE(added(setup, {NAN, 0, 0}).empty());
}

TEST(ChainFrames, ReadingsWhereNothingIsAreFlagged) {
  SceneSetup setup = driven_laser(drive(2));
  std::get<Laser2d>(setup.sensors.front().sensor.model).max_range_m = 2.0;
  ChainFrameReader reader(setup, 1);
  reader.add_scan(0, std::vector<float>(91, 1.0F), pose_of_frame(0));
  EXPECT_GT(reader.frames().unexpected, 10U);
  EXPECT_TRUE(contains(reader.frames().findings().at(0).text.text(), "where the scene has nothing within the limits"));
  EXPECT_EQ(reader.max_range_m(), 2.0);
}

TEST(ChainFrames, PointsOfACloudAreTheRangesOfTheirRays) {
  const TemporaryFolder folder;
  SpinningLidar lidar = make_lidar(16, 180);
  for (int ring = 0; ring < 16; ++ring) lidar.vertical_offset_m.push_back(0.002 * ring);  // rays start at 16 places
  for (const bool organised : {false, true}) {
    const SceneSetup setup = setup_of(lidar, {DistanceNoise{0.02F, 0.01F, 0.003F}, Dropout{0.1F}});
    Simulator simulator = make_simulator(setup);
    Frame frame({Channel::kRange, Channel::kReason, Channel::kHitSensor});
    ChainFrameReader by_range(setup, 3);
    std::vector<FrameFile> files;
    for (const std::uint32_t k : {2U, 3U, 7U}) {
      simulator.render(SensorId{0}, k, frame);
      by_range.add_ranges(k, frame.range_m());
      files.push_back({k, folder / ("cloud_" + std::to_string(k) + (organised ? ".pcd" : ".ply"))});
      const CloudOptions options = {.keep_misses = organised, .fields = {}};
      organised ? write_pcd(files.back().file, frame, options) : write_ply(files.back().file, frame, options);
    }
    const ChainFrames by_point = read_cloud_frames(setup, files);
    const ChainReturns &a = by_range.frames().returns, &b = by_point.returns;
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(a.clean_range_m, b.clean_range_m);
    EXPECT_EQ(a.frame, b.frame);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(std::isnan(a.range_m[i]), std::isnan(b.range_m[i])) << i;
      // Noise moves a point away from the sensor's origin, which is up to 0.03 m beside that of its ray.
      if (std::isnan(a.range_m[i])) continue;
      const double z = a.clean_range_m[i], beside = 0.03 / z;
      ASSERT_NEAR(a.range_m[i], b.range_m[i], 0.6 * std::abs(a.range_m[i] - z) * beside * beside + 2e-6 * z) << i;
    }
    SceneSetup turned = setup;
    std::get<SpinningLidar>(turned.sensors.front().sensor.model).start_azimuth_rad = 0.01;
    EXPECT_TRUE(contains(message_of<InputError>([&] { (void)read_cloud_frames(turned, files); }),
                         "points lie on no ray of sensor 'cam'"));
    turned = setup;
    turned.sensors.front().sensor.rolling = true;
    EXPECT_TRUE(contains(message_of<InputError>([&] { (void)read_cloud_frames(turned, files); }), "rolling"));
  }
}

TEST(ChainFrames, RefusesInOneLine) {
  SceneSetup setup = setup_of(make_lidar(16, 180), {});
  ChainFrameReader reader(setup, 2);
  const std::vector<float> few(100, 1.0F), all(16 * 180, 1.0F);
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { reader.add_ranges(0, few); }), "100 values given for the 16 x 180"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { reader.add_depths(0, all); }), "'cam' is no camera"));
  reader.add_ranges(1, all);
  EXPECT_TRUE(contains(message_of<InputError>([&] { reader.add_ranges(1, all); }), "do not ascend"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)find_sensor(setup, "cab"); }), "no sensor 'cab'"));
  setup.sensors.push_back(setup.sensors.front());
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)find_sensor(setup, ""); }), "has 2 sensors"));
}

}  // namespace
}  // namespace fathom::test::chain_frames_test

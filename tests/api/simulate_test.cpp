// SPDX-License-Identifier: MIT
// Scenes, sensors and files, as a program without scene files makes them.

#include <array>

#include <fathom/core/compute.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/fathom.hpp>
#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/frames.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/simulate/environments.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr double kQuarter = std::numbers::pi / 2;

TEST(Geometry, TurnsHalfWay) {
  const Quaternion half = slerp({}, from_roll_pitch_yaw(0, 0, kQuarter), 0.5);
  EXPECT_NEAR(dot(half, from_roll_pitch_yaw(0, 0, kQuarter / 2)), 1.0, 1e-12);
}

// As a user's own model or motion would take them: not the C library's, which differ between computers.
TEST(Trigonometry, IsThatOfTheLibrary) {
  const auto [s, c] = math::sincos(0.5);
  EXPECT_EQ(s, math::sin(0.5));
  EXPECT_EQ(c, math::cos(0.5));
  EXPECT_NEAR(math::tan(0.5), s / c, 1e-15);
  EXPECT_NEAR(math::atan2(s, c), 0.5, 1e-15);
  EXPECT_NEAR(math::asin(s), 0.5, 1e-15);
  EXPECT_NEAR(math::acos(c), 0.5, 1e-15);
}

TEST(Sensors, AreMadeAndChangedByName) {
  SensorModel model = make_sensor_model("spinning_lidar");
  EXPECT_EQ(sensor_kind(model), "spinning_lidar");
  set_sensor_field(model, "elevation_rad", even_elevations(4, 0.3, -0.3));
  set_sensor_field(model, "columns", std::array{8.0});
  EXPECT_EQ(get_sensor_field(model, "columns"), std::vector<double>{8});
  const RayPattern pattern = make_pattern(model);
  EXPECT_EQ(pattern.rows, 4U);
  EXPECT_EQ(pattern.cols, 8U);
  validate(pattern);
  EXPECT_EQ((std::get<SpinningLidar>(model)).destagger_shifts(), std::vector<std::int32_t>(4, 0)) << "no offsets";
  EXPECT_TRUE(contains(input_error([] { make_sensor_model("spining_lidar"); }), "spinning_lidar"));
}

TEST(Sensors, KnowTheirIntrinsics) {
  DepthCamera camera;
  camera.width = 4, camera.height = 2, camera.horizontal_fov_rad = kQuarter;
  const Intrinsics k = intrinsics(camera);
  EXPECT_NEAR(k.fx, 2.0, 1e-12);
  EXPECT_EQ(k.cx, 1.5);
  EXPECT_NEAR(PinholeCamera::from_fov(4, 2, kQuarter).fx, k.fx, 1e-12);
}

TEST(Meshes, OfTerrainComeFromPicturesAndArrays) {
  const TemporaryFolder folder;
  const HeightField hills = read_height_image(folder.write("hills.pgm", "P2 2 2 4 0 1 2 4"),
                                              {.size_x_m = 2, .size_y_m = 2, .elevation_m = 8, .base_m = 1});
  EXPECT_EQ(hills.heights_m, (std::vector<float>{4, 8, 0, 2}));
  EXPECT_EQ(make_height_field(hills).vertices_m.size(), 4U + 5U);
  EXPECT_NE(input_error([&] { read_height_array(folder / "none.npy"); }), "");
  for (const Mesh& mesh : {make_capsule(0.2, 1), make_ellipsoid({1, 2, 3})}) validate(mesh);
}

TEST(Robots, AreMadeByHandOrRead) {
  Robot robot;
  robot.meshes = {make_box({1, 1, 1})};
  robot.joints = {{.name = "lift", .kind = Robot::Joint::Kind::kPrismatic, .axis = {0, 0, 1}}};
  robot.links = {{.name = "fork", .joint = 0, .mesh = 0}};
  EXPECT_EQ(robot_from_links(robot, {{"lift", 2}})[0].translation_m.z, 2);
  Scene scene;
  PlacedRobot placed(scene, robot, {.parent_from_robot = {{1, 0, 0}, {}}});
  placed.set_joints(scene, {{"lift", 3}});
  EXPECT_EQ(scene.world_from_entity(placed.entity("fork"), 0).translation_m, (Vec3{1, 0, 3}));
  placed.set_pose(scene, {});
  EXPECT_EQ(scene.world_from_entity(placed.mount("fork").parent, 0).translation_m, (Vec3{0, 0, 3}));
  EXPECT_EQ(placed.robot().links.size(), 1U);
  EXPECT_NE(input_error([] { read_robot("none.urdf"); }), "");
  scene.set_motion(placed.entity("fork"), Trajectory({{0, {}}, {1, {{1, 0, 0}, {}}}}, true));
  EXPECT_TRUE(scene.moves());
}

TEST(Meshes, AreCheckedBeforeAnySceneHasThem) {
  validate(make_plane(2, 3));
  Mesh broken = make_plane(2, 3);
  broken.triangles.push_back({0, 1, 9});
  EXPECT_NE(input_error([&] { validate(broken); }), "");
}

TEST(Maps, BecomeWalls) {
  GridMap map;
  map.rows = map.cols = 3, map.resolution_m = 0.5;
  map.cells.assign(9, Cell::kFree);
  map.cells[4] = Cell::kOccupied;
  validate(map);
  const Mesh walls = make_walls(map, 1.0);
  for (const auto& vertex : walls.vertices_m) {
    EXPECT_TRUE(vertex[0] == 0.5F || vertex[0] == 1.0F);
    EXPECT_TRUE(vertex[2] == 0.0F || vertex[2] == 1.0F);
  }
}

TEST(Episodes, HaveSeedsOfTheirOwn) {
  EXPECT_EQ(episode_seed(7, 0, 0), 7U);
  EXPECT_NE(episode_seed(7, 0, 1), episode_seed(7, 1, 0));
}

TEST(Readers, TakeFilesWithoutAScene) {
  const TemporaryFolder folder;
  const Mesh mesh = read_mesh(folder.write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
  EXPECT_EQ(mesh.triangles.size(), 1U);
  const Trajectory path = read_trajectory(folder.write("p.tum", "0 0 0 0 0 0 0 1\n2 4 0 0 0 0 0 1\n"));
  EXPECT_EQ(path.at(1.0).translation_m, (Vec3{2, 0, 0}));
  const auto rays = folder.write("r.csv", "ox,oy,oz,dx,dy,dz\n0,0,0,2,0,0\n0,0,0,0,0,3\n");
  EXPECT_EQ(read_ray_table(rays, 0, 10).direction_x, (std::vector<float>{1, 0}));
}

/// A lidar that looks at a wall of 5 m, with noise.
class WallTest : public testing::Test {
 protected:
  WallTest() {
    Scene scene;
    Entity room;
    room.name = "room";
    room.mesh = scene.add_mesh(make_box({10, 10, 10}));
    scene.add_entity(room);
    Simulator simulator(std::move(scene), {.seed = 3});
    SpinningLidar lidar;
    lidar.elevation_rad = even_elevations(8, 0.3, -0.3);
    lidar.columns = 90;
    Sensor sensor;
    sensor.name = "lidar";
    sensor.model = lidar;
    sensor.noise = {DistanceNoise{.stddev_m = 0.02F}, Dropout{.probability = 0.1F}};
    simulator.render(simulator.add_sensor(sensor), 0, frame_);
  }

  Frame frame_{{Channel::kRange, Channel::kCleanRange, Channel::kReason, Channel::kHitWorld, Channel::kHitSensor,
                Channel::kAzimuth, Channel::kElevation, Channel::kEnergy}};
  TemporaryFolder folder_;
};

TEST_F(WallTest, BecomesFilesOfEveryKind) {
  const auto path = [&](const char* name) { return folder_ / name; };
  write_npy(path("a.npy"), frame_, Channel::kRange);
  write_npy(path("b.npy"), frame_, Channel::kRange, LostPolicy{LostValue::kZero});
  write_pcd(path("c.pcd"), frame_);
  write_ply(path("c.ply"), frame_);
  write_pointcloud2(path("c.cdr"), frame_, "lidar");
  write_birds_eye_view(path("above.png"), frame_, ColorBy::kRange);
  write_angle_image(path("angles.png"), frame_, ColorBy::kRange);
  for (const char* name : {"a.npy", "b.npy", "c.pcd", "c.ply", "c.cdr", "above.png", "angles.png"}) {
    EXPECT_GT(std::filesystem::file_size(path(name)), 100U) << name;
  }
  EXPECT_NE(bytes_of(path("a.npy")), bytes_of(path("b.npy"))) << "returns were lost";
}

TEST_F(WallTest, GivesPairsToLearnFrom) {
  RangePairs ranges;
  ranges.append(frame_);
  EXPECT_EQ(ranges.range_m.size(), frame_.count_reasons()[static_cast<std::size_t>(Reason::kHit)]);
  EXPECT_NEAR(calibrate_distance(ranges).noise().stddev_m, 0.02, 0.005) << "of some 650 pairs";
  EnergyPairs energies;
  energies.append(frame_);
  EXPECT_EQ(energies.lost, std::vector<std::uint8_t>(frame_.size(), 0)) << "no energy law took any";
  EXPECT_EQ(read_range_pairs(folder_.write("r.csv", "range_m,expected_m\n1,1.5\n")).expected_m.at(0), 1.5F);
  EXPECT_EQ(read_energy_pairs(folder_.write("e.csv", "energy,lost\n0.25,1\n")).lost.at(0), 1);
  EnergyCalibration law;
  law.parameters = {{.name = "min_energy", .value = 0.25}, {.name = "pow", .value = 2}};
  EXPECT_EQ(law.noise(EnergyAngle::kHalfVector).min_energy, 0.25F);
}

/// A room of 10 m around a laser that looks along x alone: its range is what the pose and shape of the room say.
class RoomAhead : public testing::Test {
 protected:
  RoomAhead() {
    Entity room;
    room.name = "room";
    room.mesh = mesh_ = scene_.add_mesh(make_box({10, 10, 10}));
    room_ = scene_.add_entity(room);
    sensor_.name = "laser";
    sensor_.model = Laser2d{.rays = 2, .min_azimuth_rad = 0, .max_azimuth_rad = 1e-9};
  }

  /// `farther_m` is exact in single precision.
  static Noise shift(float farther_m) { return DistanceNoise{.mean_m = farther_m}; }

  MeshId mesh_;
  EntityId room_;
  Scene scene_;
  Sensor sensor_;
  Frame frame_{{Channel::kRange, Channel::kReason}};
};

TEST_F(RoomAhead, IsEditedBetweenFrames) {
  Simulator simulator(std::move(scene_));
  const SensorId laser = simulator.add_sensor(sensor_);
  const auto range_m = [&](std::uint32_t frame) {
    simulator.render(laser, frame, frame_);
    return frame_.range_m()[0];
  };
  EXPECT_NEAR(range_m(0), 5.0F, 1e-5);
  simulator.scene().set_pose(room_, {{1, 0, 0}, {}});
  EXPECT_NEAR(range_m(1), 6.0F, 1e-5);
  std::vector<std::array<float, 3>> vertices_m = simulator.scene().meshes()[index(mesh_)].vertices_m;
  for (auto& vertex : vertices_m) vertex[0] *= 1.5F;
  simulator.scene().replace_vertices(mesh_, vertices_m);
  EXPECT_NEAR(range_m(2), 8.5F, 1e-5);
  simulator.set_noise(laser, {shift(0.25F)});
  EXPECT_NEAR(range_m(3), 8.75F, 1e-5);
  EXPECT_NE(input_error([&] { simulator.set_noise(laser, {Dropout{.probability = 2}}); }), "");
  EXPECT_NEAR(range_m(4), 8.75F, 1e-5) << "what is refused changes nothing";

  const auto digest_of = [&](std::uint32_t frame) {
    simulator.render(laser, frame, frame_);
    FrameDigest digest;
    digest.add(frame_);
    return digest.text();
  };
  EXPECT_EQ(digest_of(4), digest_of(4));
  EXPECT_NE(digest_of(4), digest_of(5)) << "another number and stamp";
  FrameDigest of_digests;
  of_digests.add(digest_of(4));
  EXPECT_NE(of_digests.text(), digest_of(4));
}

TEST_F(RoomAhead, StandsInManyEnvironments) {
  sensor_.noise = {shift(0.0F)};
  const ParameterRange range = {.field = "mean_m", .low = 0.125, .high = 0.5};
  Environments batch(std::move(scene_), sensor_, {.count = 3, .first = 7, .ranges = {range}});
  ASSERT_EQ(batch.count(), 3U);
  ASSERT_EQ(batch.rows() * batch.cols(), 2U);
  batch.set_entity_pose(8, room_, {{1, 0, 0}, {}});
  batch.set_sensor_pose(9, {{2, 0, 0}, {}});
  batch.set_noise(9, {shift(0.0F), shift(-1.0F)});
  const auto expect_ranges = [&](std::uint32_t frame) {
    batch.render(frame, frame_);
    const double clean_m[] = {5, 6, 2};
    for (std::uint32_t e = 0; e < 3; ++e) {
      const double drawn_m = batch.drawn(7 + e).at(0).value;
      EXPECT_TRUE(drawn_m >= 0.125 && drawn_m <= 0.5) << drawn_m;
      EXPECT_NEAR(frame_.range_m()[2 * e], clean_m[e] + drawn_m, 1e-5) << e;
    }
  };
  expect_ranges(0);
  const double before_m = batch.drawn(8)[0].value, neighbour_m = batch.drawn(7)[0].value;
  batch.reset(8, 1);
  EXPECT_NE(batch.drawn(8)[0].value, before_m);
  EXPECT_EQ(batch.drawn(7)[0].value, neighbour_m);
  expect_ranges(1);
  EXPECT_NE(input_error([&] { batch.set_noise(9, {}); }), "") << "the chain lacks what is drawn";
}

TEST_F(RoomAhead, IsSeenBySeveralSensorsOfManyEnvironments) {
  Environments batch(std::move(scene_), {.count = 3, .first = 4, .ranges = {}});
  const SensorId first = batch.add_sensor(sensor_);
  sensor_.name = "other", sensor_.noise = {shift(0.0F)};
  const SensorId other = batch.add_sensor(sensor_, {{.field = "mean_m", .low = 0.125, .high = 0.5}});
  ASSERT_EQ(batch.sensor_count(), 2U);
  EXPECT_EQ(batch.sensor(other).name, "other");
  const std::uint32_t numbers[] = {batch.first() + 2, batch.first()};
  const double at_m[] = {1, 0, 0, -1, 0, 0}, unturned[] = {1, 0, 0, 0, 1, 0, 0, 0};
  batch.set_entity_poses({&room_, 1}, at_m, unturned, numbers);
  batch.set_sensor_poses(other, at_m, unturned, numbers);
  batch.reset(numbers);
  batch.reset(numbers, numbers);
  EXPECT_EQ(batch.episodes()[2], 6U);
  std::vector<float> range_m(6, 0.0F);
  const Frame::Buffer buffer = {Channel::kRange, range_m.data(), range_m.size() * sizeof(float)};
  Frame over(3, 2, {&buffer, 1});
  Frame* const frames[] = {&frame_, &over};
  batch.render(0, frames);
  const double clean_m[] = {4, 5, 6};
  for (std::uint32_t e = 0; e < 3; ++e) {
    EXPECT_NEAR(frame_.range_m()[2 * e], clean_m[e], 1e-5);
    EXPECT_NEAR(range_m[2 * e], 5 + batch.drawn_values(other)[e], 1e-5) << "room and sensor moved equally far";
  }
  EXPECT_EQ(batch.ranges(other)[0].field, "mean_m");
  range_m.assign(6, 0.0F);
  batch.render(other, 1, over, numbers);
  EXPECT_GT(range_m[0], 5.0F);
  EXPECT_EQ(range_m[2], 0.0F) << "not rendered";
  batch.render(first, 1, frame_, numbers);
}

TEST_F(RoomAhead, IsSeenAtTimesOfTheSensorsOwn) {
  sensor_.timing = {.rate_hz = 4.0, .phase_s = 0.125, .latency_s = 0.5, .freeze = 1.0};
  Simulator simulator(scene_, {.seed = 7, .rate_hz = 2.0});
  const SensorId laser = simulator.add_sensor(sensor_);
  simulator.render(laser, 5, frame_);
  EXPECT_EQ(frame_.stamp_s(), 0.125) << "it shows frame 0 for ever";
  EXPECT_EQ(frame_.delivered_s(), 1.875);
  EXPECT_EQ(frame_.content_index(), 0U);
  EXPECT_EQ(simulator.frame_time(laser, 5).delivered_s, 1.875);
  EXPECT_EQ(simulator.frame_time(laser, 5).content, 0U);
  sensor_.timing.drop_frame = 1.0;
  Environments batch(std::move(scene_), sensor_, {.count = 2, .ranges = {}});
  for (const FrameTime& time : batch.frame_times(SensorId{0}, 5)) EXPECT_TRUE(time.is_dropped());
}

TEST_F(RoomAhead, TakesPosesOfManyEntities) {
  Simulator simulator(std::move(scene_));
  const SensorId laser = simulator.add_sensor(sensor_);
  const double at_m[] = {2, 0, 0}, unturned[] = {1, 0, 0, 0};
  simulator.scene().set_poses({&room_, 1}, at_m, unturned);
  simulator.render(laser, 0, frame_);
  EXPECT_NEAR(frame_.range_m()[0], 7.0F, 1e-5);
}

TEST(Dataset, HasAFolderForEachEnvironmentAndEpisode) {
  const TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(
      folder.write("s.yaml",
                   "scene: {meshes: {room: {box: {size_m: [8, 6, 3]}}}, entities: [{name: room, mesh: room}]}\n"
                   "sensors: [{name: laser, type: laser_2d, rays: 8, min_azimuth_deg: 0, max_azimuth_deg: 90, "
                   "min_range_m: 0.1, max_range_m: 20, noise: [{distance: {stddev_m: {uniform: [0.1, 0.2]}}}]}]\n"));
  DatasetOptions options;
  options.run.out = folder / "out";
  options.environments = {.first = 0, .end = 3};
  options.episodes = {.first = 4, .end = 6};
  const DatasetResult all = render_dataset(setup, options);
  EXPECT_EQ(all.sensors.at(0).rays, 6 * 8U);
  EXPECT_TRUE(std::filesystem::exists(options.run.out / Unit{5}.folder() / "summary.json"));
}

TEST(InstructionSets, HaveTheWordsOfTheirOption) {
  EXPECT_EQ(to_string(Compute{}.isa), kIsaWords.at(static_cast<std::size_t>(detect_isa())));
}

}  // namespace
}  // namespace fathom::test

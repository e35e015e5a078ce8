// SPDX-License-Identifier: MIT
// Scenes, sensors and files, as a program without scene files makes them.

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/calibrate/calibrate.hpp>
#include <fathom/fathom.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/simulate/parameter_range.hpp>

#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom::test {
namespace {

constexpr double kQuarter = std::numbers::pi / 2;

TEST(Geometry, TurnsHalfWay) {
  const Quaternion half = slerp({}, from_roll_pitch_yaw(0, 0, kQuarter), 0.5);
  EXPECT_NEAR(dot(half, from_roll_pitch_yaw(0, 0, kQuarter / 2)), 1.0, 1e-12);
}

TEST(Sensors, AreMadeAndChangedByName) {
  SensorModel model = make_sensor_model("spinning_lidar");
  EXPECT_EQ(sensor_kind(model), "spinning_lidar");
  set_sensor_field(model, "elevation_rad", even_elevations(4, 0.3, -0.3));
  set_sensor_field(model, "columns", 8);
  EXPECT_EQ(get_sensor_field(model, "columns"), std::vector<double>{8});
  const RayPattern pattern = make_pattern(model);
  EXPECT_EQ(pattern.rows, 4U);
  EXPECT_EQ(pattern.cols, 8U);
  validate(pattern);
  EXPECT_EQ(destagger_shifts(std::get<SpinningLidar>(model)), std::vector<std::int32_t>(4, 0)) << "no offsets";
  EXPECT_NE(input_error([] { make_sensor_model("spining_lidar"); }).find("spinning_lidar"), std::string::npos);
}

TEST(Sensors, KnowTheirIntrinsics) {
  DepthCamera camera;
  camera.width = 4, camera.height = 2, camera.horizontal_fov_rad = kQuarter;
  const Intrinsics k = intrinsics(camera);
  EXPECT_NEAR(k.fx, 2.0, 1e-12);
  EXPECT_EQ(k.cx, 1.5);
  EXPECT_NEAR(camera_from_fov(4, 2, kQuarter).fx, k.fx, 1e-12);
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
  write_npy(path("b.npy"), frame_, Channel::kRange, {LostValue::kZero});
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
  append_pairs(frame_, ranges);
  EXPECT_EQ(ranges.range_m.size(), frame_.count_reasons()[static_cast<std::size_t>(Reason::kHit)]);
  EnergyPairs energies;
  append_pairs(frame_, energies);
  EXPECT_EQ(energies.lost, std::vector<std::uint8_t>(frame_.size(), 0)) << "no energy law took any";
}

}  // namespace
}  // namespace fathom::test

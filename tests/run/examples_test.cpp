// SPDX-License-Identifier: MIT
// The scenes that are shipped.

#include "run/scene_fixture.hpp"

namespace fathom {
namespace {

const std::string kExamples = std::string(FATHOM_SOURCE_DIR) + "/examples";

struct Placement {
  std::string entity, mesh;
  double x, y, z, roll, pitch, yaw;
};

std::vector<Placement> read_placement() {
  std::ifstream file(kExamples + "/house/placement.csv");
  std::vector<Placement> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    Placement p;
    std::istringstream(line) >> p.entity >> p.mesh >> p.x >> p.y >> p.z >> p.roll >> p.pitch >> p.yaw;
    rows.push_back(p);
  }
  return rows;
}

TEST(House, HoldsEveryPieceWhereThePlacementSays) {
  const SceneSetup setup = read_scene_file(kExamples + "/house/house.yaml");
  const std::vector<Placement> placement = read_placement();
  ASSERT_EQ(placement.size(), 85U);
  ASSERT_EQ(setup.scene.entities().size(), 86U);  // and the person
  EXPECT_EQ(setup.scene.meshes().size(), 63U);
  for (const Placement& p : placement) {
    const EntityId id = setup.scene.find_entity(p.entity);
    const Entity& entity = setup.scene.entities()[index(id)];
    EXPECT_EQ("meshes/" + std::string(setup.scene.mesh_name(entity.mesh)) + ".ply", p.mesh) << p.entity;
    const Pose pose = setup.scene.world_from_entity(id, 0);
    EXPECT_LT(norm(pose.translation_m - Vec3{p.x, p.y, p.z}), 1e-9) << p.entity;
    const Quaternion q = from_roll_pitch_yaw(p.roll, p.pitch, p.yaw);
    // Degrees are written with four decimals: at most 0.9e-6 rad about each axis.
    EXPECT_LT(2 * std::sqrt(std::max(0.0, 1 - std::abs(dot(pose.rotation, q)))), 3e-6) << p.entity;
  }
}

TEST(House, HasOneMovingEntityAndThreeSensors) {
  const SceneSetup setup = read_scene_file(kExamples + "/house/house.yaml");
  int moving = 0;
  for (const Entity& entity : setup.scene.entities()) moving += entity.parent_from_entity.is_fixed() ? 0 : 1;
  EXPECT_EQ(moving, 1);
  ASSERT_EQ(setup.sensors.size(), 3U);
  const RayPattern lidar = make_pattern(setup.sensors[0].sensor.model);
  EXPECT_EQ(lidar.rows, 128U);
  EXPECT_EQ(lidar.cols, 2048U);
  EXPECT_EQ(setup.sensors[0].sensor.noise.size(), 3U);
  for (const auto& plan : setup.sensors) EXPECT_FALSE(plan.sensor.noise.empty()) << plan.sensor.name;
  EXPECT_EQ(make_pattern(setup.sensors[1].sensor.model).rows, 1U);
  const RayPattern camera = make_pattern(setup.sensors[2].sensor.model);
  EXPECT_EQ(camera.rows, 480U);
  EXPECT_EQ(camera.cols, 640U);
}

// docs/faq.md has these numbers: range - clean_range reaches metres where a turned ray meets another surface.
TEST(House, RaysThatTurnDifferByMetresAtEdges) {
  const auto differences = [](const std::string& noise) {
    const SceneSetup setup = read_scene_file(kExamples + "/house/house.yaml",
                                             {"sensors.lidar.columns=1024", "sensors.lidar.noise=[" + noise + "]"});
    Simulator simulator = make_simulator(setup);
    Frame frame({Channel::kRange, Channel::kCleanRange});
    simulator.render(SensorId{0}, 0, frame);
    std::vector<double> found;
    for (std::size_t i = 0; i < frame.size(); ++i) {
      const double difference = std::abs(frame.range_m()[i] - frame.clean_range_m()[i]);
      if (std::isfinite(difference)) found.push_back(difference);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  const std::string distance = "distance: {stddev_m: 0.02}";
  EXPECT_LT(differences(distance).back(), 6 * 0.02);
  const std::vector<double> found = differences("angular_ray: {axis: z, stddev_deg: 0.01}, " + distance);
  EXPECT_NEAR(found[found.size() / 2], 0.013, 0.001);
  EXPECT_NEAR(found.back(), 3.8, 0.1);
  const auto large = found.end() - std::upper_bound(found.begin(), found.end(), 0.1);
  EXPECT_NEAR(static_cast<double>(found.size()) / static_cast<double>(large), 1200, 100);
}

TEST(Stereo, WritesTheSheetOfTheHouseAndSaysWhatIsLost) {
  const test::TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(kExamples + "/06_stereo/stereo.yaml");
  EXPECT_EQ(setup.scene.entities().size(), 86U);  // of the house
  RunOptions options;
  options.out = folder / "out";
  run_scene(setup, options);
  const auto files = test::read_folder(options.out);
  for (const char* name : {"sheet_000000.png", "depth_000000.png", "reason_000000.png", "depth_000000.npy",
                           "clean_depth_000000.npy", "energy_000000.npy", "incidence_000000.npy"}) {
    EXPECT_EQ(files.count(std::string("stereo/") + name), 1U) << name;
  }
  const auto reasons = nlohmann::json::parse(files.at("summary.json"))["sensors"][0]["reasons"];
  for (const char* reason : {"hit", "hidden_right", "low_texture", "random_loss", "dropout"}) {
    EXPECT_GT(reasons[reason].get<int>(), 50) << reason;
  }
}

TEST(FramesFromAScene, HasALidarAndALaserThatSeesTheBallMove) {
  const SceneSetup setup = read_scene_file(kExamples + "/04_frames_from_a_scene/room.yaml");
  ASSERT_EQ(setup.sensors.size(), 2U);
  EXPECT_EQ(setup.sensors[0].ranges.size(), 1U);
  Simulator simulator = make_simulator(setup);
  const std::uint32_t ball = index(setup.scene.find_entity("ball"));
  Frame frame({Channel::kReason, Channel::kEntityId});
  std::vector<std::size_t> first_ray;  // of each frame that meets the ball
  for (std::uint32_t index = 0; index < setup.frames; ++index) {
    simulator.render(SensorId{1}, index, frame);
    const auto entity = frame.entity_id();
    const auto found = std::find(entity.begin(), entity.end(), ball);
    ASSERT_NE(found, entity.end()) << index;
    first_ray.push_back(static_cast<std::size_t>(found - entity.begin()));
    EXPECT_GT(frame.count_reasons()[static_cast<std::size_t>(Reason::kAboveMaxRange)], 0U);
  }
  // To the left in every frame.
  EXPECT_EQ(std::adjacent_find(first_ray.begin(), first_ray.end(), std::greater_equal<>()), first_ray.end());
}

TEST(Robot, SeesTheRoomThroughItselfAndTheGlass) {
  const SceneSetup setup = read_scene_file(kExamples + "/10_seeing/robot.yaml");
  Simulator simulator = make_simulator(setup);
  Frame lidar({Channel::kReason, Channel::kEntityId}), camera({Channel::kLabel, Channel::kEntityId});
  simulator.render(SensorId{0}, 0, lidar);
  simulator.render(SensorId{1}, 0, camera);
  const auto rays_at = [&](const Frame& frame, std::string_view name) {
    return std::count(frame.entity_id().begin(), frame.entity_id().end(), index(setup.scene.find_entity(name)));
  };
  for (const char* name : {"base", "lid", "cable"}) EXPECT_EQ(rays_at(lidar, name), 0) << name;
  for (const char* name : {"arm", "wall", "window/frame", "window/pane"}) EXPECT_GT(rays_at(lidar, name), 0) << name;
  for (const char* name : {"hand", "finger"}) EXPECT_EQ(rays_at(camera, name), 0) << name;
  for (const char* name : {"thumb", "cup", "bowl", "table"}) EXPECT_GT(rays_at(camera, name), 0) << name;
  EXPECT_GT(std::count(camera.label().begin(), camera.label().end(), 40U), 0);
  // Nine in ten returns of the pane are lost, no returns of the frame.
  std::size_t lost = 0, lost_elsewhere = 0;
  for (std::size_t i = 0; i < lidar.size(); ++i) {
    const bool is_pane = lidar.entity_id()[i] == index(setup.scene.find_entity("window/pane"));
    (is_pane ? lost : lost_elsewhere) += lidar.reason()[i] == Reason::kDropout ? 1 : 0;
  }
  EXPECT_EQ(lost_elsewhere, 0U);
  EXPECT_NEAR(static_cast<double>(lost) / static_cast<double>(rays_at(lidar, "window/pane")), 0.9, 0.1);
}

TEST(Pipeline, WritesBothCloudsWithoutMisses) {
  const test::TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(kExamples + "/03_pipeline/pipeline.yaml", {"frames=1"});
  RunOptions options;
  options.out = folder / "out";
  run_scene(setup, options);
  const auto files = test::read_folder(options.out);
  for (const char* name : {"lidar/pointcloud2_000000.cdr", "lidar/pointcloud2_world_000000.cdr",
                           "lidar/cloud_000000.pcd", "lidar/cloud_world_000000.pcd", "summary.json"}) {
    EXPECT_EQ(files.count(name), 1U) << name;
  }
  // Both clouds have the same number of points, fewer than rays: x y z and three fields.
  EXPECT_EQ(files.at("lidar/cloud_000000.pcd").size(), files.at("lidar/cloud_world_000000.pcd").size());
  EXPECT_NE(files.at("lidar/cloud_000000.pcd"), files.at("lidar/cloud_world_000000.pcd"));
}

}  // namespace
}  // namespace fathom

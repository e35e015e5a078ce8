// SPDX-License-Identifier: MIT
// The bag of a run holds the frames of the run as messages of ROS 2, with the points and images that the outputs ask
// for.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/run.hpp>

#include "io/bag/read_bag.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "run/sensor_topics.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr const char* kBagScene = R"(
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}, body: {box: {size_m: [0.4, 0.3, 0.2]}}}
  entities:
    - {name: room, mesh: room, position_m: [0, 0, 1.5]}
    - name: base
      mesh: body
      motion: {keyframes: [{time_s: 0, position_m: [-1, 0, 0.2]}, {time_s: 1, position_m: [1, 0, 0.2], rpy_deg: [0, 0, 90]}]}
sensors:
  - {name: lidar, preset: VLP-16, parent: base, position_m: [0, 0, 0.4], noise: [{distance: {stddev_m: 0.02}}], outputs: [pcd]}
  - {name: laser, preset: RPLIDAR-A2, parent: base, position_m: [0.2, 0, 0.2], max_range_m: 2, noise: [], outputs: [pcd]}
  - name: eyes
    type: stereo_camera
    parent: base
    position_m: [0.2, 0, 0.3]
    width: 40
    height: 30
    horizontal_fov_deg: 90
    baseline_m: 0.05
    noise: [{dropout: {probability: 0.25}}]
    outputs: [{npy: {channels: [depth]}}]
frames: 3
rate_hz: 10
start_s: 0.25
)";

struct Received {
  std::uint64_t time_ns;
  std::string type, bytes;

  template <class Message>
  void read(Message& message) const {
    read_message(std::as_bytes(std::span(bytes)), message);
  }
};

class RunBagTest : public testing::Test {
 protected:
  SceneSetup read(const std::string& scene = kBagScene) { return read_scene_file(folder_.write("a.yaml", scene)); }
  RunOptions options() {
    RunOptions how;
    how.out = folder_ / "out", how.bag = folder_ / "a.mcap";
    return how;
  }
  std::map<std::string, std::vector<Received>> messages() {
    std::map<std::string, std::vector<Received>> found;
    const BagReading reading = read_mcap(folder_ / "a.mcap", [&](const BagMessage& m) {
      found[m.topic.name].push_back(
          {m.time_ns, m.topic.type, {reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()}});
    });
    EXPECT_TRUE(reading.notes().empty());
    return found;
  }
  const TemporaryFolder folder_;
};

Pose pose_of(const msg::Transform& t) {
  return {{t.translation.x, t.translation.y, t.translation.z},
          {t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z}};
}

TEST_F(RunBagTest, HasATopicForEachSensorAndItsTransforms) {
  const RunResult result = run_scene(read(), options());
  EXPECT_EQ(result.files[result.files.size() - 2], folder_ / "a.mcap");
  std::map<std::string, std::pair<std::string, std::size_t>> topics;
  for (const auto& [topic, list] : messages()) topics[topic] = {list.front().type, list.size()};
  const std::map<std::string, std::pair<std::string, std::size_t>> wanted = {
      {"/clock", {"rosgraph_msgs/msg/Clock", 3}},
      {"/tf", {"tf2_msgs/msg/TFMessage", 3}},
      {"/tf_static", {"tf2_msgs/msg/TFMessage", 1}},
      {"/lidar/points", {"sensor_msgs/msg/PointCloud2", 3}},
      {"/laser/scan", {"sensor_msgs/msg/LaserScan", 3}},
      {"/eyes/depth", {"sensor_msgs/msg/Image", 3}},
      {"/eyes/camera_info", {"sensor_msgs/msg/CameraInfo", 3}}};
  EXPECT_EQ(topics, wanted);
}

TEST_F(RunBagTest, TransformsPlaceEverySensorWhereItIs) {
  const SceneSetup setup = read();
  run_scene(setup, options());
  auto received = messages();
  msg::TFMessage fixed, moving;
  received["/tf_static"][0].read(fixed);
  Simulator simulator = make_simulator(setup);
  for (std::uint32_t k = 0; k < 3; ++k) {
    received["/tf"][k].read(moving);
    ASSERT_EQ(moving.transforms.size(), 1U);
    EXPECT_EQ(moving.transforms[0].header.frame_id, "world");
    EXPECT_EQ(moving.transforms[0].child_frame_id, "base");
    const double stamp_s = simulator.stamp_s(k);
    EXPECT_EQ(received["/tf"][k].time_ns, static_cast<std::uint64_t>(std::llround(stamp_s * 1e9)));
    std::size_t sensors = 0;
    for (const msg::TransformStamped& t : fixed.transforms) {
      if (t.header.frame_id != "base") continue;
      const Pose found = pose_of(moving.transforms[0].transform) * pose_of(t.transform);
      for (std::uint32_t s = 0; s < 3; ++s) {
        if (setup.sensors[s].sensor.name != t.child_frame_id) continue;
        const Pose wanted = simulator.world_from_sensor(SensorId{s}, stamp_s);
        EXPECT_LT(norm(found.translation_m - wanted.translation_m), 1e-12);
        EXPECT_LT(norm(rotate(found.rotation, {1, 2, 3}) - rotate(wanted.rotation, {1, 2, 3})), 1e-12);
        ++sensors;
      }
    }
    EXPECT_EQ(sensors, 3U);
  }
}

TEST_F(RunBagTest, OpticalFramesLookAlongZ) {
  const Quaternion q = camera_from_optical();
  EXPECT_LT(norm(rotate(q, {0, 0, 1}) - Vec3{1, 0, 0}), 1e-15);   // forward
  EXPECT_LT(norm(rotate(q, {1, 0, 0}) - Vec3{0, -1, 0}), 1e-15);  // right
  EXPECT_LT(norm(rotate(q, {0, 1, 0}) - Vec3{0, 0, -1}), 1e-15);  // down
}

TEST_F(RunBagTest, ScansHaveTheRangesOfTheFrameAndSayWhyOthersAreLost) {
  const SceneSetup setup = read();
  run_scene(setup, options());
  msg::LaserScan scan;
  auto received = messages();
  Simulator simulator = make_simulator(setup);
  Frame frame({Channel::kRange, Channel::kReason});
  std::size_t beyond = 0;
  for (std::uint32_t k = 0; k < 3; ++k) {
    received["/laser/scan"][k].read(scan);
    simulator.render(SensorId{1}, k, frame);
    const RayPattern& rays = simulator.pattern(SensorId{1}, k);
    ASSERT_EQ(scan.ranges.size(), frame.size());
    EXPECT_EQ(scan.header.frame_id, "laser");
    EXPECT_EQ(scan.range_max, 2.0F);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      const double angle = double{scan.angle_min} + static_cast<double>(i) * double{scan.angle_increment};
      EXPECT_NEAR(std::cos(angle), double{rays.direction_x[i]}, 1e-4);
      EXPECT_NEAR(std::sin(angle), double{rays.direction_y[i]}, 1e-4);
      if (frame.reason()[i] == Reason::kHit) {
        EXPECT_EQ(scan.ranges[i], frame.range_m()[i]);
      } else if (frame.reason()[i] == Reason::kAboveMaxRange) {
        EXPECT_EQ(scan.ranges[i], INFINITY);
        ++beyond;
      }
    }
  }
  EXPECT_GT(beyond, 100U);
}

TEST_F(RunBagTest, LostRangesFollowTheRules) {
  msg::LaserScan scan;
  Simulator simulator(Scene{});
  const SensorId laser = simulator.add_sensor({.name = "laser", .model = find_preset("RPLIDAR-A2").model, .noise = {}});
  Frame frame({Channel::kRange, Channel::kReason});
  simulator.render(laser, 0, frame);
  set_scan(scan, frame, simulator.pattern(laser, 0));
  for (const float range : scan.ranges) EXPECT_EQ(range, INFINITY);
  Scene near;
  near.add_entity({.name = "shell", .mesh = near.add_mesh(make_box({0.01, 0.01, 0.01}))});
  Simulator blind(near);
  const SensorId inside = blind.add_sensor({.name = "laser", .model = find_preset("RPLIDAR-A2").model, .noise = {}});
  blind.render(inside, 0, frame);
  set_scan(scan, frame, blind.pattern(inside, 0));
  for (const float range : scan.ranges) EXPECT_EQ(range, -INFINITY);
}

TEST_F(RunBagTest, ImagesAndCloudsAreThoseOfTheFiles) {
  const SceneSetup setup = read();
  run_scene(setup, options());
  auto received = messages();
  Simulator simulator = make_simulator(setup);
  Frame frame({Channel::kDepth}), points({Channel::kHitSensor});
  msg::Image image;
  msg::CameraInfo info;
  msg::PointCloud2 cloud;
  for (std::uint32_t k = 0; k < 3; ++k) {
    received["/eyes/depth"][k].read(image);
    received["/eyes/camera_info"][k].read(info);
    simulator.render(SensorId{2}, k, frame);
    EXPECT_EQ(image.header.frame_id, "eyes_optical");
    EXPECT_EQ(info.header.stamp.nanosec, image.header.stamp.nanosec);
    EXPECT_EQ(info.width, 40U);
    EXPECT_NEAR(info.k[0], 20.0, 1e-9);  // 90 degrees over 40 columns
    ASSERT_EQ(image.data.size(), frame.size() * sizeof(float));
    EXPECT_EQ(std::memcmp(image.data.data(), frame.floats(Channel::kDepth).data(), image.data.size()), 0);
    received["/lidar/points"][k].read(cloud);
    simulator.render(SensorId{0}, k, points);
    std::size_t hits = 0;
    const Frame::Points at = points.points(Channel::kHitSensor);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (std::isnan(at.x[i])) continue;
      float found[3];
      std::memcpy(found, cloud.data.data() + hits++ * cloud.point_step, sizeof found);
      ASSERT_EQ(found[0], at.x[i]);
      ASSERT_EQ(found[2], at.z[i]);
    }
    EXPECT_EQ(hits, cloud.width);
    EXPECT_GT(hits, 1000U);
  }
}

TEST_F(RunBagTest, RefusesBeforeAnythingIsWritten) {
  const SceneSetup setup = read();
  folder_.write("a.mcap", "mine");
  const auto refusal = [&](const SceneSetup& scene, const RunOptions& how) {
    return message_of<InputError>([&] { run_scene(scene, how); });
  };
  EXPECT_TRUE(test::contains(refusal(setup, options()), "a.mcap: exists already; force replaces it"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  RunOptions how = options();
  how.force = true, how.bag = folder_ / "a.yaml";
  EXPECT_TRUE(test::contains(refusal(setup, how), "a.yaml: is read, and the bag would replace it"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  std::string twice = kBagScene;
  for (std::size_t at = twice.find("base"); at != std::string::npos; at = twice.find("base", at + 5)) {
    if (twice.compare(at, 8, "baseline") != 0) twice.replace(at, 4, "laser");
  }
  how.bag = folder_ / "b.mcap";
  EXPECT_TRUE(test::contains(refusal(read(twice), how), "two things are called 'laser'"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

/// Under any spelling: relative, through a link, in other case, as the run's folder, and above it.
TEST_F(RunBagTest, NeverReplacesAFileOfItsOwnRun) {
  const SceneSetup setup = read();
  std::filesystem::create_directory(folder_ / "real");
  std::filesystem::create_directory_symlink(folder_ / "real", folder_ / "link");
  const std::string here = std::filesystem::relative(folder_.path()).string();
  for (const std::string& out : {std::string(folder_ / "link/out"), here + "/real/./out"}) {
    for (const std::string name :
         {"real/out/lidar/cloud_000002.pcd", "link/out/lidar/cloud_000000.pcd", "real/x/../out/summary.json",
          "real/out/unfinished.txt", "real/out/lidar", "real/out/", "real", "real/OUT/Lidar/CLOUD_000001.pcd"}) {
      RunOptions how = options();
      how.out = out, how.bag = folder_ / name, how.force = true;
      EXPECT_TRUE(test::contains(message_of<InputError>([&] { run_scene(setup, how); }), "the run writes this itself"))
          << out << " " << name;
      EXPECT_FALSE(std::filesystem::exists(folder_ / "real/out")) << name;
    }
  }
  RunOptions how = options();
  how.out = folder_ / "real/out", how.bag = folder_ / "real/out/lidar/cloud_000003.pcd";  // no frame of this run
  run_scene(setup, how);
  EXPECT_TRUE(test::bytes_of(how.bag).starts_with("\x89MCAP"));
  EXPECT_TRUE(test::bytes_of(folder_ / "real/out/lidar/cloud_000002.pcd").starts_with("# .PCD"));
}

TEST_F(RunBagTest, ALaserOfOneRayScansToo) {
  run_scene(read(R"(
scene: {meshes: {room: {box: {size_m: [8, 6, 3]}}}, entities: [{name: room, mesh: room}]}
sensors:
  - {name: one, type: laser_2d, rays: 1, min_azimuth_deg: 90, max_azimuth_deg: 90, rate_hz: 10, max_range_m: 20, outputs: []}
)"),
            options());
  auto received = messages();
  ASSERT_EQ(received["/one/scan"].size(), 1U);
  msg::LaserScan scan;
  received["/one/scan"][0].read(scan);
  ASSERT_EQ(scan.ranges.size(), 1U);
  EXPECT_NEAR(scan.ranges[0], 3.0F, 1e-5F);
  EXPECT_NEAR(scan.angle_min, 1.5707964F, 1e-6F);
  EXPECT_EQ(scan.angle_max, scan.angle_min);
  EXPECT_EQ(std::round((scan.angle_max - scan.angle_min) / scan.angle_increment) + 1, 1) << "as readers count rays";
  EXPECT_EQ(scan.time_increment, 0.0F);
}

using nlohmann::json;

std::string scene(const std::string& points, const std::string& image, double max_range_m = 20) {
  return fmt::format(R"(
scene:
  meshes: {{room: {{box: {{size_m: [8, 6, 3]}}}}}}
  entities: [{{name: room, mesh: room, position_m: [0, 0, 1.5]}}]
sensors:
  - {{name: lidar, preset: VLP-16, position_m: [0, 0, 1], noise: [{{distance: {{stddev_m: 0.02}}}}, {{dropout: {{probability: 0.1}}}}], outputs: [{}]}}
  - name: eye
    type: depth_camera
    position_m: [0, 0, 1]
    width: 24
    height: 18
    horizontal_fov_deg: 80
    max_range_m: {}
    noise: [{{dropout: {{probability: 0.25}}}}]
    outputs: [{}, {{npy: {{channels: [depth]}}}}]
frames: 2
rate_hz: 10
start_s: 3.5
)",
                     points, max_range_m, image);
}

class BagOptionsTest : public testing::Test {
 protected:
  void run(const std::string& text, std::uint32_t frames = 2) {
    RunOptions how;
    how.frames = frames;
    how.out = folder_ / "out", how.bag = folder_ / "a.mcap", how.force = true;
    run_scene(read_scene_file(folder_.write("a.yaml", text)), how);
  }
  /// The bytes of a topic's messages.
  std::vector<std::string> messages(const std::string& topic) {
    std::vector<std::string> found;
    const BagReading reading = read_mcap(folder_ / "a.mcap", [&](const BagMessage& m) {
      if (m.topic.name != topic) return;
      found.emplace_back(reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size());
    });
    EXPECT_TRUE(reading.notes().empty());
    return found;
  }
  std::string file(const std::string& name) { return test::bytes_of(folder_ / "out" / name); }
  const TemporaryFolder folder_;
};

TEST_F(BagOptionsTest, PointsInBagsAreThoseOfTheFilesInEveryLayout) {
  for (const char* options : {"layout: xyz", "layout: xyzi, keep_misses: true", "layout: velodyne", "layout: ouster",
                              "layout: livox, keep_misses: true", "fields: [range, reason]"}) {
    run(scene(fmt::format("{{pointcloud2: {{{0}}}}}, {{pointcloud2: {{frame: world, {0}}}}}", options), "depth_image"));
    for (const auto& [topic, stem] : {std::pair("/lidar/points", "lidar/pointcloud2"),
                                      std::pair("/lidar/points_world", "lidar/pointcloud2_world")}) {
      const auto found = messages(topic);
      ASSERT_EQ(found.size(), 2U) << topic << options;
      EXPECT_TRUE(found[0] == file(fmt::format("{}_000000.cdr", stem))) << topic << options;
      EXPECT_TRUE(found[1] == file(fmt::format("{}_000001.cdr", stem))) << topic << options;
    }
  }
}

TEST_F(BagOptionsTest, ImagesInBagsAreThoseOfTheFilesInBothEncodings) {
  std::map<std::string, std::string> image;
  for (const char* encoding : {"32FC1", "16UC1"}) {
    run(scene("pcd", fmt::format("{{depth_image: {{encoding: {}}}}}", encoding)));
    const auto found = messages("/eye/depth");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_TRUE(found[1] == file("eye/depth_000001.cdr")) << encoding;
    image[encoding] = found[1];
  }
  msg::Image metres, millimetres;
  read_message(std::as_bytes(std::span(image["32FC1"])), metres);
  read_message(std::as_bytes(std::span(image["16UC1"])), millimetres);
  EXPECT_EQ(metres.header.frame_id, "eye_optical");
  EXPECT_EQ(millimetres.header.frame_id, "eye_optical");
  EXPECT_EQ(millimetres.encoding, "16UC1");
  EXPECT_EQ(millimetres.step, 48U);
  EXPECT_EQ(millimetres.width, 24U);
  std::size_t lost = 0;
  for (std::size_t i = 0; i < 24U * 18U; ++i) {
    float depth_m = 0;
    std::uint16_t found = 0;
    std::memcpy(&depth_m, metres.data.data() + 4 * i, 4), std::memcpy(&found, millimetres.data.data() + 2 * i, 2);
    lost += found == 0 ? 1 : 0;
    ASSERT_EQ(found == 0, std::isnan(depth_m));
    if (found != 0) {
      ASSERT_NEAR(found, 1000.0 * double{depth_m}, 0.501);
    }
  }
  EXPECT_GT(lost, 50U);
  EXPECT_LT(lost, 200U);  // a quarter of 432 dropped
}

TEST_F(BagOptionsTest, RefusesWhatDoesNotFitInOneLine) {
  const auto refusal = [&](const std::string& text) { return message_of<InputError>([&] { run(text); }); };
  EXPECT_TRUE(contains(refusal(scene("{pointcloud2: {layout: ouster, fields: [range]}}", "depth_png")),
                       "are chosen by the layout, unless that is 'fields'"));
  EXPECT_TRUE(contains(refusal(scene("{pointcloud2: {layout: hesai}}", "depth_png")), "livox"));
  EXPECT_TRUE(contains(refusal(scene("{pcd: {layout: ouster}}", "depth_png")), "layout"));
  EXPECT_TRUE(contains(refusal(scene("pcd", "{depth_image: {encoding: 16UC1}}", 70)),
                       "an image 16UC1 ends at 65.535 m, the sensor at 70 m"));
}

TEST_F(BagOptionsTest, AnotherProgramDecodesPointsAndImages) {
  if (std::string(FATHOM_NPM).empty())
    GTEST_SKIP() << "no npm packages to judge by: configure with -DFATHOM_NPM=<folder>";
  const std::map<std::string, std::vector<std::string>> fields = {
      {"xyz", {"x", "y", "z"}},
      {"xyzi", {"x", "y", "z", "intensity"}},
      {"velodyne", {"x", "y", "z", "intensity", "ring", "time"}},
      {"ouster", {"x", "y", "z", "intensity", "t", "reflectivity", "ring", "ambient", "range"}},
      {"livox", {"x", "y", "z", "intensity", "tag", "line", "timestamp"}}};
  for (const auto& [layout, names] : fields) {
    run(scene(fmt::format("{{pointcloud2: {{layout: {}}}}}", layout), "{depth_image: {encoding: 16UC1}}"), 1);
    const std::string command =
        fmt::format("'{}' '{}/tests/io/bag/judge.mjs' '{}' '{}' > '{}'", FATHOM_NODE, FATHOM_SOURCE_DIR, FATHOM_NPM,
                    (folder_ / "a.mcap").string(), (folder_ / "out.json").string());
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::size_t clouds = 0;
    const json judged = json::parse(test::bytes_of(folder_ / "out.json"));
    for (const json& message : judged["messages"]) {
      if (message["topic"] == "/eye/depth") {
        EXPECT_EQ(message["encoding"], "16UC1");
      }
      if (message["topic"] != "/lidar/points") continue;
      ++clouds;
      const json& columns = message["points"];
      ASSERT_EQ(columns.size(), names.size());
      for (const std::string& name : names) ASSERT_GT(columns[name].size(), 20000U) << layout << name;
      for (std::size_t i = 0; i < columns["x"].size(); i += 97) {
        const double x = columns["x"][i], y = columns["y"][i], z = columns["z"][i];
        ASSERT_LT(std::max({std::abs(x) - 4, std::abs(y) - 3, std::abs(z) - 2}), 0.2);  // on the walls, plus noise
        if (layout == "ouster") {
          ASSERT_NEAR(columns["range"][i].get<double>(), 1000 * std::hypot(x, y, z), 0.51);
        }
        if (layout == "livox") {
          ASSERT_GE(columns["timestamp"][i].get<double>(), 3.5e9);
        }
        if (layout != "xyz" && layout != "xyzi") {
          ASSERT_LE(columns["intensity"][i].get<double>(), 255.0);
        }
        if (layout == "velodyne" || layout == "ouster") {
          ASSERT_LT(columns["ring"][i].get<int>(), 16);
        }
      }
    }
    EXPECT_EQ(clouds, 1U);
  }
}

}  // namespace
}  // namespace fathom::test

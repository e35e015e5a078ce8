// SPDX-License-Identifier: MIT
// The bag has the points and images that the sensors' outputs ask for, byte for byte, and another program decodes them.

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/simulate/run.hpp>

#include "bag/mcap_reader.hpp"
#include "message/image.hpp"
#include "message/message.hpp"
#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom {
namespace {

using nlohmann::json;
using test::contains;

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
  const test::TemporaryFolder folder_;
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
  const auto refusal = [&](const std::string& text) { return test::message_of<InputError>([&] { run(text); }); };
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
        fmt::format("'{}' '{}/tests/bag/judge.mjs' '{}' '{}' > '{}'", FATHOM_NODE, FATHOM_SOURCE_DIR, FATHOM_NPM,
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
        ASSERT_LT(std::max({std::abs(x) - 4, std::abs(y) - 3, std::abs(z) - 2}), 0.2);  // on the walls, but for noise
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
}  // namespace fathom

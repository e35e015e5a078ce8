// SPDX-License-Identifier: MIT
// `fathom apply --bag` makes of a bag what it makes of the same images in a folder; refusals name the options.

#include <nlohmann/json.hpp>

#include <fathom/files/log_files.hpp>

#include "process.hpp"
#include "refusal.hpp"

namespace cli_test {
namespace {

class ApplyMessages : public testing::Test {
 protected:
  std::string scene_with(const std::string& name, const std::string& noise) {
    return write_text(folder_ / name,
                      "scene:\n  meshes: {room: {box: {size_m: [4, 4, 3]}}}\n"
                      "  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]\n"
                      "sensors:\n  - {name: camera, type: stereo_camera, width: 160, height: 120, fx: 100,\n"
                      "     baseline_m: 0.1, position_m: [0, 0, 1.5], outputs: [{npy: {channels: [depth]}}],\n"
                      "     noise: [" +
                          noise +
                          "]}\n  - {name: laser, preset: RPLIDAR-A2, position_m: [0, 0, 1], noise: [], outputs: []}\n"
                          "frames: 3\nseed: 3\n");
  }
  void simulate_clean() {
    const Ended ended = succeed({"simulate", scene_with("clean.yaml", ""), "--out", folder_ / "clean", "--bag", bag()});
  }
  [[nodiscard]] std::string bag() const { return folder_ / "clean.mcap"; }
  [[nodiscard]] std::string noisy() const { return folder_ / "noisy.mcap"; }

  TemporaryFolder folder_;
};

TEST_F(ApplyMessages, OfABagEqualTheImagesOfAFolder) {
  simulate_clean();
  const std::string sensor = scene_with("noisy.yaml", "{disparity: {stddev_px: 0.1}}") + ":camera";
  const Words words = {"apply", sensor, "--bag", bag(), "--topic", "/camera/depth", "--out", noisy()};
  const Ended ended = succeed(words);
  EXPECT_TRUE(contains(ended.out, "noisy.mcap: 3 messages with noise, "));
  succeed({"apply", sensor, folder_ / "clean/camera", "--out", folder_ / "noisy"});
  const auto measured = [&](const std::string& path) {
    return nlohmann::json::parse(
        run_fathom({"measure", "depth", path, "--focal-baseline", "10", "--json"}).out)["details"];
  };
  const auto of_bag = measured(noisy()), of_folder = measured(folder_ / "noisy");
  EXPECT_EQ(of_bag["deviation_px"], of_folder["deviation_px"]);
  EXPECT_NEAR(of_bag["deviation_px"]["value"].get<double>(), 0.1, 0.01);
  // All topics are still there, with as many messages.
  const fathom::BagInfo before = fathom::read_bag_info(bag()), after = fathom::read_bag_info(noisy());
  EXPECT_EQ(before.messages, after.messages);
  EXPECT_EQ(before.topics.size(), after.topics.size());
  EXPECT_EQ(before.last_s, after.last_s);
  expect_refused("again", words, {"noisy.mcap: exists already; force (--force) replaces it"}, folder_ / "none");
}

TEST_F(ApplyMessages, RefuseWhatCannotBe) {
  simulate_clean();
  const auto refused = [&](const Words& words, const std::string& part) {
    expect_refused(part, Words{"apply"} + words, {part}, noisy());
  };
  refused({"D435"}, "PATH, --bag or --topic is required");
  refused({"D435", "--topic", "/a"}, "--bag or --publish is required with --topic");
  refused({"D435", "--bag", bag(), "--topic", "/a"}, "--out is required");
  refused({"D435", "--bag", bag(), "--out", noisy()}, "--topic");
  refused({"D435", folder_ / "clean", "--topic", "/a", "--publish", "/b"}, "--topic");
  refused({"D435", "--topic", "/a", "--publish", "/b", "--out", noisy()}, "--out");
  refused({"D435", "--topic", "/a", "--publish", "/a"}, "/a: noisy messages need another topic than clean ones");
  refused({"D435", "--bag", bag(), "--topic", "/a", "--out", noisy(), "--frames", "2"}, "--publish");
  refused({"D435", "--bag", bag(), "--topic", "/camera/dept", "--out", noisy()}, "nearest: /camera/depth");
  refused({"D435", "--bag", bag(), "--topic", "/laser/scan", "--out", noisy()}, "scans need rays");
  refused({"D435", "--bag", bag(), "--topic", "/clock", "--out", noisy()}, "rosgraph_msgs/msg/Clock");
  refused({"D435", "--bag", bag(), "--topic", "/camera/depth", "--camera-info", "/other", "--out", noisy()},
          "has no CameraInfo on /other; see --camera-info");
  refused({"D435", "--bag", bag(), "--topic", "/camera/depth", "--out", folder_ / "noisy.db3"}, "ends in .mcap");
}

}  // namespace
}  // namespace cli_test

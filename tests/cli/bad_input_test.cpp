// SPDX-License-Identifier: MIT
// Bad scenes, meshes and overrides: one line on stderr that says where and why, exit code 2, and nothing written.

#include "process.hpp"

namespace cli_test {
namespace {

class BadInput : public testing::Test {
 protected:
  void expect_refused(const std::string& name, const Words& arguments, const Words& expected) {
    cli_test::expect_refused(name, arguments, expected, folder_ / "out");
  }
  TemporaryFolder folder_;
};

// tests/run/bad_scenes.txt has the other slips of scenes, tests/io/mesh has the slips of meshes.
TEST_F(BadInput, Scenes) {
  const std::vector<std::array<std::string, 3>> slips = {{"stddev_m: 0.02", "stddev_m: -1", "bad.yaml:10"},
                                                         {"{box: {size_m: [8, 6, 3]}}", "gone.obj", "bad.yaml:3"}};
  for (const auto& [good, bad, place] : slips) {
    write_text(folder_ / "bad.yaml", replaced(room_scene(), good, bad));
    expect_refused(bad, {"simulate", folder_ / "bad.yaml", "--out", folder_ / "out"},
                   {place, bad.substr(bad.find(' ') + 1)});
  }
}

TEST_F(BadInput, FilesAndOverrides) {
  const std::string scene = write_text(folder_ / "room.yaml", room_scene());
  const std::string out = folder_ / "out";
  expect_refused("no scene", {"simulate", folder_ / "gone.yaml", "--out", out}, {"gone.yaml"});
  expect_refused("a folder", {"simulate", folder_.path(), "--out", out}, {folder_.path()});
  expect_refused("an empty scene", {"simulate", write_text(folder_ / "empty.yaml", ""), "--out", out}, {"empty.yaml"});
  expect_refused("no such path", {"simulate", scene, "--out", out, "--set", "sensors.lidr.columns=3"},
                 {"lidr", "lidar"});
  expect_refused("no value", {"simulate", scene, "--out", out, "--set", "frames"}, {"frames"});
  expect_refused("bad value", {"simulate", scene, "--out", out, "--set", "frames=0"}, {"frames", "0"});
  expect_refused("a file in the way", {"simulate", scene, "--out", folder_ / "room.yaml"}, {"room.yaml"});
  EXPECT_EQ(bytes_of(scene), room_scene());
}

TEST_F(BadInput, ForeignFolderIsNotReplaced) {
  std::filesystem::create_directories(folder_ / "mine");
  write_text(folder_ / "mine/letter.txt", "dear");
  write_text(folder_ / "room.yaml", room_scene());
  const Ended ended = run_fathom({"simulate", folder_ / "room.yaml", "--out", folder_ / "mine", "--force"});
  EXPECT_EQ(bytes_of(folder_ / "mine/letter.txt"), "dear") << ended.err;
}

}  // namespace
}  // namespace cli_test

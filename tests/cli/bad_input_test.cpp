// SPDX-License-Identifier: MIT
// Bad scenes, meshes and overrides: one line on stderr that says where and why, exit code 2, and nothing written.

#include <filesystem>

#include <gtest/gtest.h>

#include "process.hpp"
#include "refusal.hpp"
#include "scenes.hpp"

namespace cli_test {
namespace {

struct Mistake {
  const char* name;
  std::string find, replace;          ///< in the good scene
  std::vector<std::string> expected;  ///< each must be in the message
};

class BadInput : public testing::Test {
 protected:
  void expect_refused(const std::string& name, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& expected) {
    cli_test::expect_refused(name, arguments, expected, folder_ / "out");
  }
  void expect_scene_refused(const std::string& name, const std::string& scene,
                            const std::vector<std::string>& expected) {
    ASSERT_NE(scene, "") << name << ": the text to replace is not in the scene";
    write_text(folder_ / "bad.yaml", scene);
    expect_refused(name, {"simulate", folder_ / "bad.yaml", "--out", folder_ / "out"}, expected);
  }

  TemporaryFolder folder_;
};

TEST_F(BadInput, Scenes) {
  const std::vector<Mistake> mistakes = {
      {"unknown top key", "frames: 2", "framse: 2", {"bad.yaml:12", "framse", "frames"}},
      {"unknown sensor key", "outputs:", "output:", {"bad.yaml:11", "output", "outputs"}},
      {"unknown preset", "VLP-16", "VLP-61", {"bad.yaml:8", "VLP-61", "VLP-16"}},
      {"unknown noise", "{distance:", "{distanec:", {"bad.yaml:10", "distanec", "distance"}},
      {"unknown parameter", "stddev_m:", "stdev_m:", {"bad.yaml:10", "stdev_m", "stddev_m"}},
      {"wrong type", "frames: 2", "frames: two", {"bad.yaml:12", "frames", "two"}},
      {"fraction", "frames: 2", "frames: 2.5", {"bad.yaml:12", "frames", "2.5"}},
      {"negative seed", "seed: 1", "seed: -1", {"bad.yaml:13", "seed", "-1"}},
      {"NaN", "stddev_m: 0.02", "stddev_m: .nan", {"bad.yaml:10", "stddev_m", "nan"}},
      {"negative sigma", "stddev_m: 0.02", "stddev_m: -1", {"bad.yaml:10", "stddev_m", "-1", "[0, 10]"}},
      {"NaN position", "position_m: [0, 0, 1]", "position_m: [0, .nan, 1]", {"bad.yaml:9", "position_m", "nan"}},
      {"two numbers", "position_m: [0, 0, 1]", "position_m: [0, 0]", {"bad.yaml:9", "position_m"}},
      {"no sensors", "sensors:", "sensors: []\nrest:", {"bad.yaml"}},
      {"no such mesh", "mesh: room,", "mesh: roof,", {"bad.yaml:5", "roof", "room"}},
      {"zero size", "[8, 6, 3]", "[8, 0, 3]", {"bad.yaml:3", "size_m"}},
      {"min above max",
       "preset: VLP-16",
       "preset: VLP-16\n    min_range_m: 200\n    max_range_m: 100",
       {"bad.yaml", "200", "100"}},
      {"no rays", "preset: VLP-16", "preset: VLP-16\n    columns: 0", {"bad.yaml", "columns", "0"}},
      {"own parent", "mesh: room,", "mesh: room, parent: room,", {"bad.yaml:5", "room"}},
      {"not YAML", "scene:", "scene: [", {"bad.yaml"}},
      {"name twice", "frames: 2", "frames: 2\nframes: 3", {"bad.yaml:13", "frames"}},
      {"name with a slash", "name: lidar", "name: ../lidar", {"bad.yaml:7", "../lidar"}},
  };
  for (const Mistake& m : mistakes) {
    expect_scene_refused(m.name, replaced(room_scene(), m.find, m.replace), m.expected);
  }
}

TEST_F(BadInput, ManyRaysAreRefusedBeforeMemoryIsUsed) {
  const std::string huge =
      "type: pinhole_camera\n    fx: 20000\n    fy: 20000\n    cx: 16000\n    cy: 16000\n    width: 32000\n    height: "
      "32000";
  expect_scene_refused("10^9 rays", replaced(room_scene(), "preset: VLP-16", huge), {"bad.yaml", "rays"});
}

TEST_F(BadInput, CyclicAttachment) {
  const std::string two = "mesh: room, parent: other}\n    - {name: other, mesh: room, parent: room,";
  expect_scene_refused("cycle", replaced(room_scene(), "mesh: room,", two), {"bad.yaml", "room", "other"});
}

TEST_F(BadInput, Meshes) {
  struct Case {
    const char* file;
    std::string text, expected;
  };
  const std::vector<Case> cases = {
      {"empty.obj", "", ""},
      {"points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", ""},
      {"index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", ""},
      {"nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ""},
      {"flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", ""},
      {"short.stl", std::string(80, ' ') + std::string("\x02\0\0\0", 4) + std::string(50, '\0'), ""},
      {"short.ply",
       "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
       "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n",
       ""},
      {"text.ply", "this is no mesh\n", ""},
  };
  for (const Case& c : cases) {
    write_text(folder_ / c.file, c.text);
    const std::string scene = replaced(room_scene(), "{box: {size_m: [8, 6, 3]}}", c.file);
    expect_scene_refused(c.file, scene, {"bad.yaml:3", c.file});
  }
  expect_scene_refused("missing mesh", replaced(room_scene(), "{box: {size_m: [8, 6, 3]}}", "gone.obj"),
                       {"bad.yaml:3", "gone.obj"});
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

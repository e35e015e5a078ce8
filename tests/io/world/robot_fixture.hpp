// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/files/robot.hpp>

#include "support/expect.hpp"

namespace fathom::test {

#ifdef FATHOM_URDF
inline constexpr bool kHasUrdf = true;
#else
inline constexpr bool kHasUrdf = false;
#endif
#ifdef FATHOM_SDF
inline constexpr bool kHasSdf = true;
#else
inline constexpr bool kHasSdf = false;
#endif

/// Files of robots in a folder. Whatever is read, nothing may be printed.
class RobotFixture : public testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override { EXPECT_EQ(testing::internal::GetCapturedStderr(), ""); }

  std::filesystem::path write(const std::filesystem::path& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    return folder_.write(name, text);
  }

  /// What is said of a text, without the folder.
  std::string refusal(const std::string& name, const std::string& text, const RobotFileOptions& options = {}) const {
    const auto file = write(name, text);
    testing::internal::CaptureStdout();
    std::string error = input_error([&] { read_robot(file, options); });
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at = error.find(folder); at != std::string::npos; at = error.find(folder)) {
      error.erase(at, folder.size());
    }
    return error;
  }

  TemporaryFolder folder_;
};

inline void expect_pose(const Pose& pose, const Pose& expected, double tolerance = 1e-9) {
  EXPECT_LT(norm(pose.translation_m - expected.translation_m), tolerance);
  EXPECT_GT(std::abs(dot(pose.rotation, expected.rotation)), 1 - tolerance);
}

inline std::size_t link_index(const Robot& robot, const std::string& name) {
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (robot.links[i].name == name) return i;
  }
  ADD_FAILURE() << "no link " << name;
  return 0;
}

inline Pose link_pose(const Robot& robot, const std::string& name, const JointPositions& joints = {}) {
  return robot_from_links(robot, joints)[link_index(robot, name)];
}

/// A tetrahedron of ASCII STL, whose corners are the origin and the ends of the axes.
inline const std::string kStl = [] {
  std::string text = "solid s\n";
  for (const char* corners : {"0 0 0|0 1 0|1 0 0", "0 0 0|0 0 1|0 1 0", "0 0 0|1 0 0|0 0 1", "1 0 0|0 1 0|0 0 1"}) {
    text += "facet normal 0 0 0\nouter loop\n";
    std::string rest = corners;
    for (int i = 0; i < 3; ++i) {
      const std::size_t bar = rest.find('|');
      text += "vertex " + rest.substr(0, bar) + "\n";
      rest = bar == std::string::npos ? "" : rest.substr(bar + 1);
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid s\n";
}();

}  // namespace fathom::test

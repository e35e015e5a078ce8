// SPDX-License-Identifier: MIT
// The log: what is in it, what a level leaves out, when the file is emptied.

#include <filesystem>
#include <fstream>
#include <regex>
#include <unistd.h>

#include "rgl/scene.hpp"
#include "support/temporary_folder.hpp"

namespace fathom::test {
namespace {

class RglLogging : public Rgl {
 protected:
  void TearDown() override {
    RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_OFF, nullptr, false));
    Rgl::TearDown();
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }
  TemporaryFolder folder_;
  std::string path_ = (folder_ / "log").string();
};

/// Section 6.1: one INFO line about the new settings; "[time][us since the line before][level]: text".
TEST_F(RglLogging, SaysItsSettingsRunsAndErrors) {
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_ALL, path_.c_str(), false));
  ASSERT_EQ(lines().size(), 1U);
  const std::regex layout(R"(\[[^\]]+\]\[\d+ us\]\[(\w+)\]: .+)");
  std::smatch parts;
  const std::string settings = lines()[0];
  ASSERT_TRUE(std::regex_match(settings, parts, layout)) << settings;
  EXPECT_EQ(parts[1], "info");
  EXPECT_NE(settings.find("Logging configured"), std::string::npos) << settings;
  EXPECT_NE(settings.find(path_), std::string::npos);
  EXPECT_EQ(rgl_graph_run(nullptr), RGL_INVALID_ARGUMENT);
  ASSERT_EQ(lines().size(), 2U);
  const std::string error = lines()[1];
  ASSERT_TRUE(std::regex_match(error, parts, layout)) << error;
  EXPECT_EQ(parts[1], "error");
  EXPECT_NE(error.find("node != nullptr"), std::string::npos);
  RGL_OK(rgl_graph_run(make_rays({kIdentity})));
  EXPECT_GT(lines().size(), 2U);
  // Anew: the file is emptied.
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_INFO, path_.c_str(), false));
  EXPECT_EQ(lines().size(), 1U);
}

TEST_F(RglLogging, LeavesOutWhatIsBelowItsLevel) {
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_WARN, path_.c_str(), false));
  RGL_OK(rgl_graph_run(make_rays({kIdentity})));
  EXPECT_TRUE(lines().empty());
  EXPECT_EQ(rgl_graph_run(nullptr), RGL_INVALID_ARGUMENT);
  EXPECT_EQ(lines().size(), 1U);
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_OFF, path_.c_str(), false));
  EXPECT_EQ(rgl_graph_run(nullptr), RGL_INVALID_ARGUMENT);
  EXPECT_TRUE(lines().empty());
}

TEST_F(RglLogging, GoesToStandardOutputWithoutAFile) {
  testing::internal::CaptureStdout();
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_INFO, "", true));
  static_cast<void>(rgl_graph_run(nullptr));
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_OFF, nullptr, false));
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_NE(said.find("[info]: "), std::string::npos) << said;
  EXPECT_NE(said.find("[error]: Invalid argument: node != nullptr"), std::string::npos) << said;
}

}  // namespace
}  // namespace fathom::test

// SPDX-License-Identifier: MIT
// The state of the process: the log, the environment, and the end of everything after a fatal error. Test bodies of
// RglState run in separate processes.
#include <regex>

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

class RglState : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void leave(bool good) {
  if (!good) std::fprintf(stderr, "%s\n", last_error().c_str());
  std::_Exit(good ? 0 : 1);
}

void log_to_nowhere() {
  bool good = rgl_configure_logging(RGL_LOG_LEVEL_INFO, "/nowhere/at/all.log", false) == RGL_LOGGING_ERROR;
  good = good && last_error().find("/nowhere/at/all.log") != std::string::npos;
  good = good && rgl_cleanup() == RGL_INVALID_STATE && rgl_cleanup() == RGL_INVALID_STATE;
  rgl_mesh_t mesh = nullptr;
  good = good && rgl_mesh_create(&mesh, nullptr, 0, nullptr, 0) == RGL_INVALID_STATE && !last_error().empty();
  leave(good);
}

TEST_F(RglState, NothingWorksAfterAFatalError) { EXPECT_EXIT(log_to_nowhere(), ::testing::ExitedWithCode(0), ""); }

void bad_environment(const char* name, const char* value) {
  setenv(name, value, 1);
  int32_t v = 0;
  bool good = rgl_get_version_info(&v, &v, &v) == RGL_INITIALIZATION_ERROR;
  good = good && last_error().find(std::string(name) + "=" + value) != std::string::npos;
  leave(good && rgl_cleanup() == RGL_INVALID_STATE);
}

TEST_F(RglState, RefusesAnEnvironmentThatItDoesNotUnderstand) {
  EXPECT_EXIT(bad_environment("FATHOM_RGL_SEED", "soon"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(bad_environment("FATHOM_RGL_VERSION", "0.19"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(bad_environment("FATHOM_RGL_THREADS", "-1"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(bad_environment("FATHOM_RGL_KEEP_MISSES", "yes"), ::testing::ExitedWithCode(0), "");
}

void good_environment() {
  setenv("FATHOM_RGL_VERSION", "0.21.3", 1);
  setenv("FATHOM_RGL_THREADS", "1", 1);
  setenv("FATHOM_RGL_SEED", "18446744073709551615", 1);
  int32_t a = 0, b = 0, c = 0;
  leave(rgl_get_version_info(&a, &b, &c) == RGL_SUCCESS && a == 0 && b == 21 && c == 3);
}

TEST_F(RglState, ReadsItsEnvironment) { EXPECT_EXIT(good_environment(), ::testing::ExitedWithCode(0), ""); }

TEST_F(RglState, LogsToAFile) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "log";
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_INFO, file.c_str(), false));
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_OFF, nullptr, false));
  const std::string text = bytes_of(file);
  EXPECT_TRUE(contains(text, "us][info]: Logging"));
}

TEST_F(RglState, EveryThreadHasItsOwnLastError) {
  EXPECT_EQ(rgl_graph_run(nullptr), RGL_INVALID_ARGUMENT);
  std::thread([] {
    EXPECT_EQ(rgl_mesh_destroy(nullptr), RGL_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(last_error(), "mesh != nullptr"));
  }).join();
  EXPECT_TRUE(contains(last_error(), "node != nullptr"));
}

/// Two threads that use the interface at once: what one waits for does not keep the other out.
TEST_F(RglState, ThreadsMayCallAtTheSameTime) {
  ASSERT_EQ(rgl_cleanup(), RGL_SUCCESS);
  place(make_cube(), translation(0, 0, 5));
  const auto use = [] {
    const rgl_node_t trace = make_raytrace();
    chain({make_rays(std::vector<rgl_mat3x4f>(2000, kIdentity)), trace, make_yield({RGL_FIELD_DISTANCE_F32})});
    for (int run = 0; run < 20; ++run) {
      EXPECT_EQ(rgl_graph_run(trace), RGL_SUCCESS) << last_error();
      EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), std::vector<float>(2000, 4.0F));
    }
  };
  std::thread other(use), third(use);
  use();
  other.join();
  third.join();
  ASSERT_EQ(rgl_cleanup(), RGL_SUCCESS);
}

}  // namespace

// The log: what is in it, what a level leaves out, when the file is emptied.

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
  EXPECT_TRUE(contains(settings, "Logging configured"));
  EXPECT_TRUE(contains(settings, path_));
  EXPECT_EQ(rgl_graph_run(nullptr), RGL_INVALID_ARGUMENT);
  ASSERT_EQ(lines().size(), 2U);
  const std::string error = lines()[1];
  ASSERT_TRUE(std::regex_match(error, parts, layout)) << error;
  EXPECT_EQ(parts[1], "error");
  EXPECT_TRUE(contains(error, "node != nullptr"));
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
  EXPECT_TRUE(contains(said, "[info]: "));
  EXPECT_TRUE(contains(said, "[error]: Invalid argument: node != nullptr"));
}

}  // namespace
}  // namespace fathom::test

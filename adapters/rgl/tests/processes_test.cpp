// SPDX-License-Identifier: MIT
// Tests that need a separate process: seeds and versions from the environment, states that a process does not leave.
// The program runs itself with one of the disabled tests below.

#include <sys/wait.h>

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

struct Outcome {
  int exit_code;
  std::string said;  ///< what the child wrote to FATHOM_TEST_OUT
};

/// Runs a disabled test of this file with the environment given.
Outcome run_child(const std::string& test, const std::string& environment) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "said";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const int code =
      std::system((environment + " FATHOM_TEST_OUT='" + out.string() + "' '" + self +
                   "' --gtest_also_run_disabled_tests --gtest_brief=1 --gtest_filter=RglChild.DISABLED_" + test)
                      .c_str());
  return {WIFEXITED(code) ? WEXITSTATUS(code) : -1, bytes_of(out)};
}

std::ofstream out() {
  const char* path = std::getenv("FATHOM_TEST_OUT");
  return std::ofstream(path == nullptr ? "/dev/null" : path);
}

TEST(RglChild, DISABLED_PrintsACloud) {
  place(make_cube(), {{{100, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 1, 11}}});
  rgl_node_t a = nullptr, b = nullptr, c = nullptr;
  RGL_OK(rgl_node_gaussian_noise_angular_ray(&a, 0, 0.01F, RGL_AXIS_X));
  RGL_OK(rgl_node_gaussian_noise_angular_hitpoint(&b, 0, 0.01F, RGL_AXIS_Y));
  RGL_OK(rgl_node_gaussian_noise_distance(&c, 0, 0.01F, 0));
  chain({make_rays(std::vector<rgl_mat3x4f>(1000, kIdentity)), a, make_raytrace(), b, c});
  auto file = out();
  for (int run = 0; run < 2; ++run) {
    RGL_OK(rgl_graph_run(a));
    for (const float v : result<float>(c, RGL_FIELD_XYZ_VEC3_F32)) file << std::hexfloat << v << '\n';
  }
}

TEST(RglProcesses, TheSameSeedGivesTheSameCloudsInTwoProcesses) {
  const Outcome first = run_child("PrintsACloud", "FATHOM_RGL_SEED=7 FATHOM_RGL_THREADS=1");
  const Outcome second = run_child("PrintsACloud", "FATHOM_RGL_SEED=7 FATHOM_RGL_THREADS=3");
  const Outcome other = run_child("PrintsACloud", "FATHOM_RGL_SEED=8");
  const Outcome unseeded = run_child("PrintsACloud", ""), again = run_child("PrintsACloud", "");
  ASSERT_EQ(first.exit_code, 0);
  ASSERT_GT(first.said.size(), 6000U);
  EXPECT_EQ(first.said, second.said);
  EXPECT_NE(first.said, other.said);
  EXPECT_NE(unseeded.said, again.said);
}

TEST(RglChild, DISABLED_PrintsItsVersion) {
  int32_t v[3] = {};
  const rgl_status_t status = rgl_get_version_info(&v[0], &v[1], &v[2]);
  out() << status << ' ' << v[0] << '.' << v[1] << '.' << v[2] << ' ' << last_error() << ' ' << rgl_cleanup();
}

TEST(RglProcesses, TheEnvironmentIsReadOrRefused) {
  EXPECT_EQ(run_child("PrintsItsVersion", "").said, "0 0.19.0 Success 0");
  EXPECT_EQ(run_child("PrintsItsVersion", "FATHOM_RGL_VERSION=0.21.3").said, "0 0.21.3 Success 0");
  for (const std::string bad :
       {"FATHOM_RGL_VERSION=0.21", "FATHOM_RGL_VERSION=0.x.1", "FATHOM_RGL_VERSION=0.-1.1", "FATHOM_RGL_SEED=-1",
        "FATHOM_RGL_SEED=99999999999999999999", "FATHOM_RGL_THREADS=two", "FATHOM_RGL_THREADS=1025",
        "FATHOM_RGL_KEEP_MISSES=yes", "FATHOM_RGL_TAPES_IN_REAL_TIME=2"}) {
    const std::string said = run_child("PrintsItsVersion", bad).said;
    EXPECT_TRUE(said.starts_with("10 ")) << bad << ": " << said;  // INITIALIZATION_ERROR, which is fatal
    EXPECT_TRUE(contains(said, bad));                             // the text names the variable and its value
    EXPECT_TRUE(said.ends_with(" 2")) << said;
  }
}

/// The page names a version for each client; the library accepts all of them.
TEST(RglProcesses, TakeTheVersionsOfThePage) {
  std::istringstream page(bytes_of(FATHOM_SOURCE_DIR "/docs/rgl.md"));
  std::size_t clients = 0;
  bool is_there = false;
  for (std::string line; std::getline(page, line);) {
    is_there = line == "| client | what it checks | `FATHOM_RGL_VERSION` |" || (is_there && line.starts_with("|"));
    const std::size_t last = line.find_last_of('|', line.size() - 2);
    if (!is_there || last == std::string::npos) continue;
    ++clients;
    const std::string version = line.substr(last);
    const std::size_t mark = version.find("`0.");
    if (mark == std::string::npos) continue;
    const std::string number = version.substr(mark + 1, version.find('`', mark + 1) - mark - 1);
    EXPECT_EQ(run_child("PrintsItsVersion", "FATHOM_RGL_VERSION=" + number).said, "0 " + number + " Success 0");
  }
  EXPECT_GE(clients, 5U) << "its head, a line, and three clients";
}

/// Section 5: after a fatal status all calls return INVALID_STATE, rgl_cleanup too. The text remains available.
TEST(RglChild, DISABLED_BreaksItsLog) {
  const rgl_mesh_t mesh = make_cube();
  const rgl_status_t fatal = rgl_configure_logging(RGL_LOG_LEVEL_INFO, "/nowhere/at/all.log", false);
  auto file = out();
  file << fatal << ' ' << last_error() << '\n';
  bool alive = false;
  file << rgl_mesh_is_alive(mesh, &alive) << ' ' << rgl_graph_run(nullptr) << ' ' << rgl_cleanup() << ' '
       << last_error();
}

TEST(RglProcesses, AFatalStatusStays) {
  const Outcome child = run_child("BreaksItsLog", "");
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_TRUE(child.said.starts_with("3 ")) << child.said;
  EXPECT_TRUE(contains(child.said, "/nowhere/at/all.log"));
  EXPECT_TRUE(contains(child.said, "\n2 2 2 "));
  EXPECT_TRUE(contains(child.said, "invalid state"));
}

/// A process may end in the middle of runs.
TEST(RglChild, DISABLED_EndsWhileGraphsRun) {
  place(make_cube(), translation(0, 0, 5));
  for (int g = 0; g < 4; ++g) {
    const rgl_node_t trace = make_raytrace();
    chain({make_rays(std::vector<rgl_mat3x4f>(100000, kIdentity)), trace, make_yield({RGL_FIELD_NORMAL_VEC3_F32})});
    RGL_OK(rgl_graph_run(trace));
  }
}

TEST(RglProcesses, MayEndWhileGraphsRun) { EXPECT_EQ(run_child("EndsWhileGraphsRun", "").exit_code, 0); }

/// The thread that ran graphs stays with the parent. The child starts its own thread, and waits for no other at its
/// end.
TEST(RglChild, DISABLED_ForksAfterARun) {
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_XYZ_VEC3_F32).size(), 3U);
  const pid_t child = fork();
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_XYZ_VEC3_F32).size(), 3U);
  if (child == 0) std::exit(testing::Test::HasFailure() ? 1 : 7);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(RglProcesses, MayForkBetweenRuns) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer knows no threads that a forked child makes";
#endif
  // The child leaves what the parent's threads hold: no leak.
  const Outcome child =
      run_child("ForksAfterARun", "FATHOM_RGL_THREADS=1 ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\"");
  EXPECT_EQ(child.exit_code, 0);
}

}  // namespace
}  // namespace fathom::test

// SPDX-License-Identifier: MIT
// A run that is stopped or killed leaves whole files only: each one equals, byte for byte, that of an undisturbed run.

#include <csignal>

#include "beam_files.hpp"

namespace cli_test {
namespace {

constexpr const char* kFrames = "100000";  // more than any run here will reach
const char* const kOutputs = "[{npy: {channels: [range]}}, {pcd: {keep_misses: true}}, range_image]";

class Interrupt : public testing::Test {
 protected:
  /// Starts a long run, and sends `signal` when `files` files are there.
  Ended stop_after(std::size_t files, int signal) {
    Process process({"simulate", scene_, "--out", folder_ / "out", "--frames", kFrames}, folder_.path());
    EXPECT_TRUE(process.wait_until([&] { return count_files() >= files; }));
    process.send(signal);
    return process.wait();
  }

  std::size_t count_files() {
    try {
      return files_below(folder_ / "out").size();
    } catch (const std::filesystem::filesystem_error&) {
      return 0;  // a file came or went while we looked
    }
  }

  /// Compares with an undisturbed run of as many frames as were begun.
  void expect_whole_files() {
    auto files = files_below(folder_ / "out");
    std::erase(files, std::filesystem::path(folder_ / "out/unfinished.txt"));
    const std::size_t frames = files.size() / 3 + 1;
    succeed({"simulate", scene_, "--out", folder_ / "full", "--frames", std::to_string(frames)});
    for (const auto& file : files) {
      const auto twin = std::filesystem::path(folder_ / "full") / file.lexically_relative(folder_ / "out");
      ASSERT_TRUE(std::filesystem::exists(twin)) << file << " is not a file of a run";
      EXPECT_TRUE(bytes_of(file) == bytes_of(twin)) << file << " is not whole";
    }
  }

  TemporaryFolder folder_;
  std::string scene_ = write_text(folder_ / "room.yaml",
                                  replaced(room_scene(kOutputs), "preset: VLP-16", "preset: VLP-16\n    columns: 400"));
};

class InterruptBy : public Interrupt, public testing::WithParamInterface<int> {};

TEST_P(InterruptBy, StopsInOrderWithCode130) {
  const Ended ended = stop_after(4, GetParam());
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  const std::size_t message = ended.err.rfind("fathom: ");
  ASSERT_NE(message, std::string::npos) << ended.err;
  EXPECT_EQ(count_lines(ended.err.substr(message)), 1U) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/summary.json"));
  expect_whole_files();
}
INSTANTIATE_TEST_SUITE_P(Signals, InterruptBy, testing::Values(SIGINT, SIGTERM, SIGHUP));

class KillAfter : public Interrupt, public testing::WithParamInterface<std::size_t> {};

TEST_P(KillAfter, LeavesOnlyWholeFiles) {
  const Ended ended = stop_after(GetParam(), SIGKILL);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/summary.json"));
  expect_whole_files();
}
INSTANTIATE_TEST_SUITE_P(Files, KillAfter, testing::Values(1, 2, 3, 7, 20, 41));

// The bag gets its name when it is complete. A kill leaves no new bag, and an older one stays.
class KillWithBag : public Interrupt, public testing::WithParamInterface<std::size_t> {};

TEST_P(KillWithBag, LeavesNoBagOrTheOlderOne) {
  const Words words = {"simulate",           scene_,    "--out",   folder_ / "out", "--bag",
                       folder_ / "run.mcap", "--force", "--frames"};
  const auto run = [&](const std::string& frames) {
    Words all = words;
    all.push_back(frames);
    return all;
  };
  const auto kill = [&] {
    Process process(run(kFrames), folder_.path());
    EXPECT_TRUE(process.wait_until([&] { return count_files() >= GetParam(); }));
    process.send(SIGKILL);
    EXPECT_EQ(process.wait().signal, SIGKILL);
  };
  const auto bags = [&] {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename();
      if (name.find("mcap") != std::string::npos) names.push_back(name);
    }
    return names;
  };
  kill();
  EXPECT_EQ(bags(), Words());
  succeed(run("3"));
  const std::string older = bytes_of(folder_ / "run.mcap");
  std::filesystem::remove_all(folder_ / "out");
  kill();
  EXPECT_EQ(bags(), Words{"run.mcap"});
  EXPECT_TRUE(bytes_of(folder_ / "run.mcap") == older);
  succeed({"bag", "info", folder_ / "run.mcap"});
}
INSTANTIATE_TEST_SUITE_P(Files, KillWithBag, testing::Values(1, 31));

TEST_F(Interrupt, CanBeRunAgainWithForce) {
  stop_after(4, SIGINT);
  succeed({"simulate", scene_, "--out", folder_ / "out", "--frames", "1", "--force"});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/summary.json"));
}

// One frame of 2^20 rays, and hardly another moment to answer.
TEST_F(Interrupt, AnswersWithinAFrame) {
  const std::string scene =
      write_text(folder_ / "wide.yaml",
                 "scene: {meshes: {b: {box: {size_m: [8, 6, 3]}}}, entities: [{name: b, mesh: b}]}\n"
                 "sensors: [{name: c, type: depth_camera, width: 1024, height: 1024, fx: 800, outputs: [pcd]}]\n");
  Process process({"simulate", scene, "--out", folder_ / "out"}, folder_.path());
  EXPECT_TRUE(process.wait_until([&] { return std::filesystem::exists(folder_ / "out"); }));
  process.send(SIGINT);
  const Ended ended = process.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  EXPECT_EQ(ended.err.rfind("fathom: stopped", 0), 0U) << ended.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/summary.json"));
}

/// Commands that write nothing before they end.
TEST(InterruptedCommand, EndsWithALineAndNoFile) {
  const BeamFiles files;
  ASSERT_EQ(files.sampled().exit_code, 0) << files.sampled().err;
  std::string pairs = "range_m,expected_m\n";
  for (int i = 0; i < 300'000; ++i) pairs += "1.01,1\n1.98,2\n";
  write_text(files / "pairs.csv", pairs);
  const Words world = {"beam",  "heatmap",   "--map",        files.map(),
                       "--log", files.log(), "--parameters", files.parameters()};
  const std::vector<Words> commands = {
      world + Words{"--scan", "3", "--out", files / "out.png", "--headings", "3600", "--spacing", "0.1"},
      {"fit", "pairs", "--model", "distance", files / "pairs.csv"},
      {"fit", "beam", "--map", files.map(), "--log", files.log(), "--out", files / "out"},
  };
  for (const auto& command : commands) {
    const TemporaryFolder folder;
    Process process(command, folder.path());
    const bool caught = process.wait_until([&] { return process.handles(SIGTERM); });
    process.send(SIGTERM);
    const Ended ended = process.wait();
    if (!caught || ended.exit_code == 0) continue;  // it was faster
    EXPECT_EQ(ended.exit_code, 130) << command[1] << ": " << ended.signal << ended.err;
    EXPECT_TRUE(contains(ended.err, "fathom: stopped; every file that is there is whole\n"));
    EXPECT_FALSE(std::filesystem::exists(files / "out.png"));
    EXPECT_FALSE(std::filesystem::exists(files / "out/fit.json"));
  }
}

}  // namespace
}  // namespace cli_test

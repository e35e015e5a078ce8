// SPDX-License-Identifier: MIT
// `fathom simulate --environments A:B --episodes C:D`: a dataset with a folder for each run.

#include <csignal>

#include "process.hpp"

namespace cli_test {
namespace {

namespace fs = std::filesystem;
class ManyRuns : public testing::Test {
 protected:
  Ended simulate(const std::string& out, Words more) {
    return run_fathom(Words{"simulate", scene_, "--out", folder_ / out} + more);
  }

  /// The environments and episodes of a dataset.
  [[nodiscard]] json numbers_of(const std::string& out) const {
    const json dataset = json::parse(bytes_of(folder_ / out / "dataset.json"));
    return json::array({dataset["environments"], dataset["episodes"]});
  }

  TemporaryFolder folder_;
  std::string scene_ = write_text(
      folder_ / "room.yaml",
      replaced(replaced(room_scene(), "distance: {stddev_m: 0.02}", "distance: {stddev_m: {uniform: [0, 1]}}"),
               "preset: VLP-16", "preset: VLP-16\n    columns: 400"));
};

TEST_F(ManyRuns, EqualTheRunsAlone) {
  const Ended many = simulate("many", {"--environments", "2:4", "--episodes", "0:3", "--threads", "2"});
  ASSERT_EQ(many.exit_code, 0) << many.err;
  EXPECT_TRUE(contains(many.out, "6 of 6 units rendered, 12 frames, "));
  ASSERT_EQ(simulate("one", {"--environment", "3", "--episode", "1"}).exit_code, 0);
  const fs::path run = folder_ / "many/units/000/000/000000004";
  for (const fs::path& file : files_below(folder_ / "one")) {
    const fs::path twin = run / file.lexically_relative(folder_ / "one");
    if (file.filename() != "summary.json") {
      EXPECT_TRUE(bytes_of(file) == bytes_of(twin)) << twin;
      continue;
    }
    json a = json::parse(bytes_of(file)), b = json::parse(bytes_of(twin));
    a.erase("run"), a.erase("versions");
    EXPECT_EQ(a, b);
  }
  EXPECT_EQ(files_below(run).size(), files_below(folder_ / "one").size() + 1) << "unit.json";
}

TEST_F(ManyRuns, DigestIsOneForAll) {
  const Words four = {"--environments", "0:2", "--episodes", "5:7", "--digest", "--quiet"};
  const auto with_threads = [&](const std::string& threads) {
    return simulate("out", four + Words{"--threads", threads, "--force"}).out;
  };
  const std::string digest = with_threads("1");
  EXPECT_EQ(digest.size(), std::string("lidar 0123456789abcdef\n").size()) << digest;
  EXPECT_EQ(with_threads("3"), digest);
  EXPECT_EQ(
      simulate("shard", {"--environments", "0:2", "--episodes", "5:7", "--digest", "--quiet", "--shard", "0/1"}).out,
      digest);
  EXPECT_NE(simulate("other", {"--environments", "0:2", "--episodes", "5:6", "--digest", "--quiet"}).out, digest);
}

TEST_F(ManyRuns, OneRangeTakesTheOtherNumberFromOptionOrScene) {
  ASSERT_EQ(simulate("a", {"--episodes", "1:2", "--environment", "8", "--quiet"}).exit_code, 0);
  EXPECT_EQ(numbers_of("a"), json::parse("[[8, 9], [1, 2]]"));
  ASSERT_EQ(simulate("b", {"--environments", "1:2", "--set", "episode=5", "--quiet"}).exit_code, 0);
  EXPECT_EQ(numbers_of("b"), json::parse("[[1, 2], [5, 6]]"));
}

TEST_F(ManyRuns, BadRangesAreRefused) {
  for (const char* option : {"--environments", "--episodes"}) {
    for (const char* bad :
         {"5", "", ":", "3:", ":3", "3:3", "4:2", "-1:3", "0:4294967296", "0:1:2", "0 : 3", "a:b", "0:2.5"}) {
      const std::string text = bad;
      expect_refused(option + (" " + text),
                     {"simulate", scene_, "--out", folder_ / "out", std::string(option) + "=" + text},
                     {option, text.empty() ? "" : "FIRST"}, folder_ / "out");
    }
  }
  expect_refused("both", {"simulate", scene_, "--out", folder_ / "out", "--environments", "0:2", "--environment", "1"},
                 {"--environment"}, folder_ / "out");
  expect_refused(
      "too many", {"simulate", scene_, "--out", folder_ / "out", "--environments", "0:4294967295", "--frames", "1000"},
      {"4294967295 environments of 1 episodes of 1 blocks are more than 1000000000 units\n"}, folder_ / "out");
}

TEST_F(ManyRuns, ShardsWriteTheSameFiles) {
  const Words all = {"--environments", "0:5", "--quiet"};
  ASSERT_EQ(simulate("plain", all).exit_code, 0);
  for (const char* shard : {"2/3", "0/3", "1/3"}) {
    ASSERT_EQ(simulate("shards", all + Words{"--shard", shard}).exit_code, 0);
  }
  EXPECT_TRUE(contents_of(folder_ / "shards") == contents_of(folder_ / "plain"));
}

TEST_F(ManyRuns, KilledTheyAreResumedByShards) {
  const Words all = {"--environments", "0:16", "--threads", "2", "--quiet"};
  ASSERT_EQ(simulate("plain", all).exit_code, 0);
  const auto plain = contents_of(folder_ / "plain");
  for (const int shards : {1, 3}) {
    const std::string out = "killed" + std::to_string(shards);
    const TemporaryFolder other;
    Process process(Words{"simulate", scene_, "--out", folder_ / out} + all, other.path());
    const fs::path second = folder_ / out / "units/000/000/000000001";
    ASSERT_TRUE(process.wait_until([&] { return fs::exists(second); }));
    process.send(SIGKILL);
    process.wait();
    for (int i = 0; i < shards; ++i) {
      const std::string shard = std::to_string(i) + "/" + std::to_string(shards);
      ASSERT_EQ(simulate(out, all + Words{"--resume", "--shard", shard}).exit_code, 0);
    }
    EXPECT_TRUE(contents_of(folder_ / out) == plain) << shards;
  }
}

TEST_F(ManyRuns, StoppedTheyAreWhole) {
  Process process({"simulate", scene_, "--out", folder_ / "out", "--environments", "0:20000", "--threads", "2"},
                  folder_.path());
  const fs::path second = folder_ / "out/units/000/000/000000001";
  ASSERT_TRUE(process.wait_until([&] { return fs::exists(second); }));
  process.send(SIGINT);
  const Ended ended = process.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  const std::size_t message = ended.err.rfind("fathom: ");
  ASSERT_NE(message, std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find(" of 20000 units; those in ", message), std::string::npos) << ended.err;
  EXPECT_EQ(ended.out, "");
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "out")) {
    EXPECT_FALSE(entry.path().filename().string().ends_with(".part")) << entry.path();
  }
  // A complete unit is what its run would be alone.
  ASSERT_EQ(simulate("one", {"--environment", "1"}).exit_code, 0);
  EXPECT_TRUE(bytes_of(folder_ / "one/lidar/cloud_000001.pcd") == bytes_of(second / "lidar/cloud_000001.pcd"));
}

TEST_F(ManyRuns, CheckCountsThem) {
  const Words arguments = {"check", scene_, "--environments", "0:64", "--episodes", "0:10"};
  const Ended text = succeed(arguments);
  EXPECT_TRUE(contains(text.out, "In all, 640 runs: "));
  Words as_json = arguments;
  as_json.emplace_back("--json");
  EXPECT_EQ(json::parse(run_fathom(as_json).out).at("runs"), 640);
  EXPECT_EQ(json::parse(run_fathom({"check", scene_, "--json"}).out).at("runs"), 1);
}

}  // namespace
}  // namespace cli_test

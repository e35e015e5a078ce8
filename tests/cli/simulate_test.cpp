// SPDX-License-Identifier: MIT
// `fathom simulate` does what its options say.

#include <fcntl.h>
#include <pty.h>
#include <regex>

#include <fathom/core/compute.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

class Simulate : public testing::Test {
 protected:
  /// Runs the room into `out` of this test's folder.
  Ended run(const std::string& out, const Words& options = {}) {
    return run_fathom(Words{"simulate", scene_, "--out", folder_ / out} + options);
  }
  json summary(const std::string& out) { return json::parse(bytes_of(folder_ / (out + "/summary.json"))); }
  std::string text(const std::string& file) { return bytes_of(folder_ / file); }

  /// Contents by name of everything but summary.json, whose "run" may differ.
  std::map<std::string, std::string> contents(const std::string& out) {
    std::map<std::string, std::string> all;
    for (const auto& file : files_below(folder_ / out)) {
      if (file.filename() != "summary.json") all[file.lexically_relative(folder_ / out).string()] = bytes_of(file);
    }
    return all;
  }

  TemporaryFolder folder_;
  std::string scene_ = write_text(folder_ / "room.yaml", room_scene());
};

TEST_F(Simulate, WritesTheFilesAndTellsWhatCameOut) {
  const Ended ended = run("out");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json s = summary("out");
  EXPECT_EQ(s["frames"], 2);
  EXPECT_EQ(s["seed"], 1);
  for (const auto& name : s["files"]) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / ("out/" + name.get<std::string>()))) << name;
  }
  EXPECT_EQ(contents("out").size(), 2U * 4U);  // 2 frames of 2 arrays, a cloud and an image
  std::string rays = std::to_string(s["sensors"][0]["rays"].get<int>());
  rays = rays.substr(0, rays.size() - 3) + " " + rays.substr(rays.size() - 3);
  EXPECT_TRUE(contains(ended.out, "lidar"));
  EXPECT_TRUE(contains(ended.out, rays));
  EXPECT_TRUE(contains(ended.out, "rays/s"));
  EXPECT_TRUE(contains(ended.out, (folder_ / "out").string()));
}

TEST_F(Simulate, FramesAndSeedReplaceTheScenes) {
  ASSERT_EQ(run("out", {"--frames", "3", "--seed", "18446744073709551615"}).exit_code, 0);
  EXPECT_EQ(summary("out")["frames"], 3);
  EXPECT_EQ(summary("out")["seed"].get<std::uint64_t>(), 18446744073709551615U);
}

TEST_F(Simulate, DigestIsDataOfSixteenDigits) {
  const Ended quiet = run("quiet", {"--digest", "--quiet", "--threads", "1"});
  ASSERT_EQ(quiet.exit_code, 0) << quiet.err;
  EXPECT_TRUE(std::regex_match(quiet.out, std::regex("lidar [0-9a-f]{16}\n"))) << quiet.out;
  EXPECT_EQ("lidar " + summary("quiet")["sensors"][0]["digest"].get<std::string>() + "\n", quiet.out);
  EXPECT_EQ(run("isa", {"--digest", "--quiet", "--threads", "3", "--isa", std::string(fathom::kIsaWords[0])}).out,
            quiet.out);
  EXPECT_NE(run("seed", {"--digest", "--quiet", "--seed", "2"}).out, quiet.out);
  const std::string table = run("table", {"--digest"}).out;
  EXPECT_TRUE(table.ends_with("\n" + quiet.out)) << table;
}

TEST_F(Simulate, FilesDependOnTheSeedAndNotOnThreads) {
  ASSERT_EQ(run("one", {"--threads", "1"}).exit_code, 0);
  ASSERT_EQ(run("two", {"--threads", "2"}).exit_code, 0);
  ASSERT_EQ(run("seven", {"--threads", "7"}).exit_code, 0);
  ASSERT_EQ(run("other", {"--seed", "2"}).exit_code, 0);
  EXPECT_EQ(contents("one").size(), 8U);
  EXPECT_TRUE(contents("one") == contents("two"));
  EXPECT_TRUE(contents("one") == contents("seven"));
  EXPECT_FALSE(text("one/lidar/range_000000.npy") == text("other/lidar/range_000000.npy"));
  EXPECT_TRUE(text("one/lidar/clean_range_000000.npy") == text("other/lidar/clean_range_000000.npy"));
}

TEST_F(Simulate, SetReplacesOneValue) {
  ASSERT_EQ(run("noisy").exit_code, 0);
  ASSERT_EQ(run("quiet", {"--set", "sensors.lidar.noise.distance.stddev_m=0", "--set", "frames=1"}).exit_code, 0);
  EXPECT_EQ(contents("quiet").size(), 4U);
  EXPECT_FALSE(text("noisy/lidar/range_000000.npy") == text("noisy/lidar/clean_range_000000.npy"));
  EXPECT_TRUE(text("quiet/lidar/range_000000.npy") == text("quiet/lidar/clean_range_000000.npy"));
}

TEST_F(Simulate, SetMayStandBeforeTheScene) {
  succeed({"simulate", "--set", "frames=1", scene_, "--out", folder_ / "out"});
}

/// The floats of an NPY file (version 1: 10 bytes, the header's length among them, then the header).
std::vector<float> floats(const std::string& npy) {
  const std::size_t header = 10 + static_cast<unsigned char>(npy.at(8)) + 256U * static_cast<unsigned char>(npy.at(9));
  std::vector<float> values((npy.size() - header) / sizeof(float));
  std::memcpy(values.data(), npy.data() + header, values.size() * sizeof(float));
  return values;
}

TEST_F(Simulate, IsaIsUsedAndChangesRangesByRoundingOnly) {
  ASSERT_EQ(run("wide").exit_code, 0);
  ASSERT_EQ(run("narrow", {"--isa", std::string(fathom::kIsaWords[0])}).exit_code, 0);
  EXPECT_EQ(summary("narrow")["run"]["instruction_set"], fathom::kIsaWords[0]);
  const std::vector<float> wide = floats(text("wide/lidar/range_000001.npy"));
  const std::vector<float> narrow = floats(text("narrow/lidar/range_000001.npy"));
  ASSERT_EQ(wide.size(), 16U * 1808U);
  ASSERT_EQ(narrow.size(), wide.size());
  // The noise is the same to the bit; the ray tracer's ranges differ by at most 6.5e-6 of themselves.
  for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_NEAR(wide[i], narrow[i], 1e-5F * wide[i]) << i;
}

TEST_F(Simulate, DevicesAreRefusedByNameAndWhereThereAreNone) {
  expect_refused("word", {"simulate", scene_, "--out", folder_ / "out", "--device", "gpu"},
                 {"device = 'gpu' is not one of cpu, cuda, cuda:0 to cuda:1023, auto"}, folder_ / "out");
  expect_refused("number", {"simulate", scene_, "--out", folder_ / "out", "--device", "cuda:1023"}, {"device cuda"},
                 folder_ / "out");
  ASSERT_EQ(run("cpu").exit_code, 0);
  ASSERT_EQ(run("auto", {"--device", "auto"}).exit_code, 0);
  EXPECT_TRUE(contents("auto") == contents("cpu"));
}

TEST_F(Simulate, ExistingFolderIsRefusedWithoutForce) {
  ASSERT_EQ(run("out", {"--frames", "2"}).exit_code, 0);
  const auto before = contents("out");
  EXPECT_TRUE(contains(refusal_of(run("out", {"--seed", "2"})), "force"));
  EXPECT_TRUE(contents("out") == before);
  ASSERT_EQ(run("out", {"--frames", "1", "--force"}).exit_code, 0);
  EXPECT_EQ(contents("out").size(), 4U);  // the second frame of the earlier run is gone
}

TEST_F(Simulate, ProgressIsPlainLinesWithoutATerminal) {
  const Ended ended = run("out", {"--frames", "200", "--set", "sensors.lidar.outputs=[]"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err.find('\r'), std::string::npos);
  const std::regex line(R"((frame \d+/200, [0-9.e+]+ [kMG]?( )?rays/s(, \d+ .*left)?\n)*)");
  EXPECT_TRUE(std::regex_match(ended.err, line)) << ended.err;
}

TEST_F(Simulate, ProgressIsABarOnATerminal) {
  int terminal = -1, other_end = -1;
  char name[128] = {};
  if (openpty(&terminal, &other_end, name, nullptr, nullptr) != 0) GTEST_SKIP() << "no pseudo-terminal here";
  Process process({"simulate", scene_, "--out", folder_ / "out", "--frames", "40"}, folder_.path(), name);
  std::string shown;
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  const auto drain = [&] {
    char bytes[4096];
    for (ssize_t n = 0; (n = read(terminal, bytes, sizeof bytes)) > 0;)
      shown.append(bytes, static_cast<std::size_t>(n));
    return false;
  };
  process.wait_until(drain);
  const Ended ended = process.wait();
  drain();
  close(terminal);
  close(other_end);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(contains(shown, "\r[========================] frame 40/40, "));
  EXPECT_TRUE(contains(shown, "rays/s"));
  ASSERT_GE(shown.size(), 2U);
  EXPECT_EQ(shown.substr(shown.size() - 2), "\r\n") << "the bar's line is ended";
}

TEST_F(Simulate, FullStandardOutputIsASystemError) {
  EXPECT_EQ(run("out").exit_code, 0);
  const std::string command = std::string(FATHOM_CLI) + " noise > /dev/full 2> " + (folder_ / "err").string();
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(count_lines(text("err")), 1U) << text("err");
}

}  // namespace
}  // namespace cli_test

// SPDX-License-Identifier: MIT
// Streams that are full, closed or without a reader. What a command is for must be written, or the exit code is 1;
// progress and messages are best effort.

#include "process.hpp"

namespace cli_test {
namespace {

class Streams : public testing::Test {
 protected:
  int run(const std::string& command) { return run_shell("\"$FATHOM\" " + command, folder_.path()); }
  [[nodiscard]] bool complete(const std::string& out) const {
    return std::filesystem::exists(folder_.path() / out / "summary.json");
  }
  void run_control() {
    run("simulate long.yaml --threads 1 --force --out control --frames " + std::to_string(frames_) +
        " > /dev/null 2> shown");
  }
  /// Long enough for progress to be shown: it is by a run like this one whose stderr goes to a file. One thread takes
  /// as long with less work, and what one test has found serves the others.
  [[nodiscard]] std::string long_run(const std::string& out) {
    while (!is_long_ && frames_ < 1000000) {
      frames_ *= 2;
      run_control();
      is_long_ = bytes_of(folder_ / "shown").rfind("frame ", 0) == 0;
    }
    EXPECT_TRUE(is_long_);
    return "simulate long.yaml --threads 1 --frames " + std::to_string(frames_) + " --out " + out;
  }

  TemporaryFolder folder_;
  inline static int frames_ = 4;
  inline static bool is_long_ = false;
  /// Frames that take long and leave little on disk.
  std::string long_ = write_text(folder_ / "long.yaml",
                                 "scene: {meshes: {m: {box: {size_m: [8, 6, 3]}}}, entities: [{name: m, mesh: m}]}\n"
                                 "sensors:\n"
                                 "  - {name: slow, preset: OS1-128, outputs: []}\n"
                                 "  - {name: quick, preset: RPLIDAR-A2, outputs: [range_image]}\n");
  std::string scene_ = write_text(folder_ / "room.yaml", room_scene("[range_image]"));
};

TEST_F(Streams, FullStderrStopsNoRun) {
  EXPECT_EQ(run(long_run("full") + " > /dev/null 2> /dev/full"), 0);
  EXPECT_TRUE(complete("full"));
}

TEST_F(Streams, ClosedStderrStopsNoRunAndNoFileTakesItsPlace) {
  EXPECT_EQ(run(long_run("closed") + " > /dev/null 2>&-"), 0);
  EXPECT_TRUE(complete("closed"));
  run_control();
  for (const auto& file : files_below(folder_ / "control")) {
    if (file.filename() == "summary.json") continue;
    const auto twin = folder_.path() / "closed" / file.lexically_relative(folder_ / "control");
    EXPECT_TRUE(bytes_of(file) == bytes_of(twin)) << twin;
  }
}

TEST_F(Streams, StderrWithoutAReaderStopsNoRun) {
  EXPECT_EQ(
      run_shell("{ \"$FATHOM\" " + long_run("pipe") + " 2>&1 > /dev/null; echo $? > code; } | true; exit $(cat code)",
                folder_.path()),
      0);
  EXPECT_TRUE(complete("pipe"));
}

TEST_F(Streams, StdoutThatCannotBeWrittenIsASystemError) {
  for (const char* command : {"--version", "--help", "simulate --help", "help", "noise", "sensors --json"}) {
    EXPECT_EQ(run(std::string(command) + " > /dev/full 2> err"), 1) << command;
    EXPECT_EQ(count_lines(bytes_of(folder_ / "err")), 1U) << command;
    EXPECT_EQ(run(std::string(command) + " >&- 2> err"), 1) << command;
    EXPECT_EQ(bytes_of(folder_ / "err").rfind("fathom: error: cannot write to standard output", 0), 0U) << command;
    EXPECT_EQ(run(std::string(command) + " <&- >&- 2>&-"), 1) << command;
  }
  EXPECT_EQ(run("simulate room.yaml --out told >&- 2> /dev/null"), 1);
  EXPECT_TRUE(complete("told"));
}

TEST_F(Streams, MessagesThatCannotBeWrittenKeepTheExitCode) {
  EXPECT_EQ(run("simulate missing.yaml --out no 2> /dev/full"), 2);
  EXPECT_EQ(run("simulate missing.yaml --out no 2>&-"), 2);
  EXPECT_EQ(run("simulate room.yaml --out /proc/no 2>&-"), 1);
}

TEST_F(Streams, LimitedFileSizeIsASystemError) {
  EXPECT_EQ(run_shell("ulimit -f 1; \"$FATHOM\" simulate room.yaml --out small > /dev/null 2>&1", folder_.path()), 1);
  EXPECT_FALSE(complete("small"));
}

TEST_F(Streams, QuietSaysNothing) {
  EXPECT_EQ(run(long_run("quiet") + " --quiet > out 2> err"), 0);
  EXPECT_EQ(bytes_of(folder_ / "out"), "");
  EXPECT_EQ(bytes_of(folder_ / "err"), "");
  EXPECT_TRUE(complete("quiet"));
  EXPECT_EQ(run("simulate missing.yaml --out no --quiet 2> err"), 2);
  EXPECT_EQ(count_lines(bytes_of(folder_ / "err")), 1U);
}

}  // namespace
}  // namespace cli_test

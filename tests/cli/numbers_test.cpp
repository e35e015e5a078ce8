// SPDX-License-Identifier: MIT
// Numbers in options are read as those in scene files: the whole text, decimal, within limits, or refused.

#include "beam_files.hpp"

namespace cli_test {
namespace {

/// `command` with the value of `option` is refused in one line that names both.
void expect_number_refused(const Words& command, const std::string& option, const std::string& value) {
  const Ended ended = run_fathom(command + Words{option + "=" + value});
  EXPECT_EQ(ended.exit_code, 2) << option << " " << value << ": " << ended.err;
  EXPECT_EQ(ended.err.rfind("fathom: error: " + option + " = " + value + " is not", 0), 0U) << ended.err;
  EXPECT_EQ(count_lines(ended.err), 1U) << ended.err;
}

const Words kNoWhole = {"-1",
                        "-0",
                        "1.5",
                        "1e3",
                        "0x10",
                        "0b1",
                        "1_000",
                        "1,000",
                        "ten",
                        "nan",
                        "inf",
                        " 1",
                        "1 ",
                        "1x",
                        "18446744073709551616",
                        "-18446744073709551615"};
/// Of every option a few, as the options share a reader.
const Words kFewNoWhole = {"-1", "1.5", "0x10", "1x"};
const Words kNoNumber = {"nan", "-nan", "inf",  "-inf", "infinity", "0x1p3",
                         "1,5", "1.5m", "1.5 ", " 1",   "1e999",    "--1"};

TEST(Numbers, WholeOptionsTakeWholeDecimalsOnly) {
  const Words simulate = {"simulate", "no.yaml", "--out", "no"};
  for (const std::string& value : kNoWhole) expect_number_refused(simulate, "--seed", value);
  for (const char* option : {"--frames", "--environment", "--episode", "--threads"}) {
    for (const std::string& value : kFewNoWhole) expect_number_refused(simulate, option, value);
  }
  expect_number_refused(simulate, "--frames", "0");
  expect_number_refused(simulate, "--frames", "1000001");
  expect_number_refused(simulate, "--episode", "4294967296");
  expect_number_refused(simulate, "--threads", "1025");
  for (const std::string& value : kFewNoWhole) {
    expect_number_refused({"beam", "sample"}, "--seed", value);
    expect_number_refused({"beam", "sample"}, "--rays", value);
    expect_number_refused({"score", "beam"}, "--ray-step", value);
    for (const char* option : {"--scan", "--headings", "--pixels", "--ray-step", "--threads"}) {
      expect_number_refused({"beam", "heatmap"}, option, value);
    }
  }
}

TEST(Numbers, RealOptionsTakeFiniteDecimalsOnly) {
  for (const std::string& value : kNoNumber) expect_number_refused({"fit", "beam"}, "--height", value);
  for (const char* value : {"nan", "inf", "1x"}) {
    for (const char* option : {"--max-range", "--min-range", "--step", "--hit-offset"}) {
      expect_number_refused({"fit", "beam"}, option, value);
    }
    expect_number_refused({"score", "beam"}, "--alpha", value);
    expect_number_refused({"beam", "sample"}, "--view", value);
    expect_number_refused({"beam", "heatmap"}, "--spacing", value);
  }
  expect_number_refused({"fit", "beam"}, "--height", "1000.5");
  expect_number_refused({"beam", "heatmap"}, "--headings", "100001");
  expect_number_refused({"beam", "heatmap"}, "--pixels", "255");
  expect_number_refused({"score", "beam"}, "--alpha", "0");
}

TEST(Numbers, LeadingZerosAreDecimalAsInScenes) {
  const TemporaryFolder folder;
  const std::string scene = write_text(folder / "room.yaml", room_scene("[]"));
  succeed({"simulate", scene, "--out", folder / "out", "--frames", "010", "--seed", "0777", "--episode", "010",
           "--threads", "01"});
  const auto summary = json::parse(bytes_of(folder / "out/summary.json"));
  EXPECT_EQ(summary["frames"], 10);
  EXPECT_EQ(summary["seed"], 777);
  EXPECT_EQ(summary["episode"], 10);
  succeed({"simulate", scene, "--out", folder / "max", "--seed", "18446744073709551615"});
  EXPECT_EQ(json::parse(bytes_of(folder / "max/summary.json"))["seed"], 18446744073709551615U);
}

TEST_F(Beam, SeedsWithLeadingZerosAreDecimal) {
  const auto sample = [&](const char* seed) {
    return run_fathom({"beam", "sample", "--map", files_.map(), "--poses", files_ / "poses.csv", "--rays", "3",
                       "--parameters", files_.parameters(), "--seed", seed})
        .out;
  };
  EXPECT_TRUE(sample("010") == sample("10"));
  EXPECT_FALSE(sample("010") == sample("8"));
}

}  // namespace
}  // namespace cli_test

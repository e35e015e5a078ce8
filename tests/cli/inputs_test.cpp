// SPDX-License-Identifier: MIT
// An output that is one of the inputs, under whatever name, is refused, with --force too.

#include "beam_files.hpp"

namespace cli_test {
namespace {

class Inputs : public Beam {
 protected:
  /// `arguments --out OUT --force` is refused and leaves OUT as it was.
  void expect_kept(const Words& arguments, const std::string& out) {
    const std::string before = bytes_of(out);
    ASSERT_NE(before, "") << out;
    EXPECT_TRUE(contains(refusal_of(run_fathom(arguments + Words{"--out", out, "--force"})), "is an input too"));
    EXPECT_TRUE(bytes_of(out) == before) << out;
  }
};

TEST_F(Inputs, OfScoreStay) {
  const Words score = {"score", "beam",       "--map",        files_.map(),
                       "--log", files_.log(), "--parameters", files_.parameters()};
  for (const char* name : {"room.yaml", "room.pgm", "log.csv", "parameters.yaml"}) expect_kept(score, files_ / name);
  std::filesystem::create_symlink(files_.log(), files_ / "alias.csv");
  expect_kept(score, files_ / "alias.csv");
  std::filesystem::create_hard_link(files_.log(), files_ / "twin.csv");
  expect_kept(score, files_ / "twin.csv");
}

TEST_F(Inputs, OfSampleStay) {
  expect_kept(
      {"beam", "sample", "--map", files_.map(), "--poses", files_ / "poses.csv", "--parameters", files_.parameters()},
      files_ / "poses.csv");
  expect_kept({"beam", "sample", "--map", files_.map(), "--log", files_.log(), "--parameters", files_.parameters()},
              files_.log());
  write_text(files_ / "expected.csv", "expected_m\n1\n2\n");
  expect_kept({"beam", "sample", "--expected", files_ / "expected.csv", "--parameters", files_.parameters()},
              files_ / "expected.csv");
}

TEST_F(Inputs, OfHeatmapStay) {
  write_text(files_ / "log.png", bytes_of(files_.log()));
  expect_kept({"beam", "heatmap", "--map", files_.map(), "--log", files_ / "log.png", "--scan", "1", "--parameters",
               files_.parameters()},
              files_ / "log.png");
}

TEST_F(Inputs, OfFitStay) {
  std::filesystem::create_directory(files_ / "fit");
  const std::string log = write_text(files_ / "fit/parameters.yaml", bytes_of(files_.log()));
  const std::string before = bytes_of(log);
  const Ended ended =
      run_fathom({"fit", "beam", "--map", files_.map(), "--log", log, "--out", files_ / "fit", "--force"});
  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_TRUE(bytes_of(log) == before);
}

TEST_F(Inputs, OfSimulateStay) {
  std::filesystem::create_directory(files_ / "out");
  const std::string scene = write_text(files_ / "out/summary.json", room_scene());
  EXPECT_TRUE(
      contains(refusal_of(run_fathom({"simulate", scene, "--out", files_ / "out", "--force"})), "is an input too"));
  EXPECT_EQ(bytes_of(scene), room_scene());
}

}  // namespace
}  // namespace cli_test

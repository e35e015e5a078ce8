// SPDX-License-Identifier: MIT
// examples/11_drive_bag: what a laser was simulated with is found again from the bag of the drive, as its README says.

#include <regex>

#include <fathom/noise/beam_density.hpp>

#include "beam_files.hpp"

namespace cli_test {
namespace {

const std::filesystem::path kDrive = std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/11_drive_bag";
const std::string kHouseMap = FATHOM_SOURCE_DIR "/examples/house/maps/map.yaml";

/// Its tests look at one drive.
class DriveBag : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    drive_ = std::make_unique<TemporaryFolder>();
    const TemporaryFolder& folder = *drive_;
    const std::string command = "FATHOM='" FATHOM_CLI "' '" + (kDrive / "run.sh").string() + "' '" +
                                (folder / "out").string() + "' > '" + (folder / "told").string() + "' 2> '" +
                                (folder / "err").string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << bytes_of(folder / "err");
  }
  static void TearDownTestSuite() { drive_.reset(); }
  [[nodiscard]] std::string bag() const { return folder_ / "out/drive.mcap"; }

  inline static std::unique_ptr<TemporaryFolder> drive_;
  const TemporaryFolder& folder_ = *drive_;
};

double number_after(const std::string& text, const std::string& key) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(key + ": ([0-9.]+)")) ? std::stod(match[1]) : NAN;
}

TEST_F(DriveBag, TheFitFindsTheErrorsOfTheLaserAgain) {
  const std::string scene = bytes_of(kDrive / "drive.yaml"), readme = bytes_of(kDrive / "README.md");
  const auto found = json::parse(bytes_of(folder_ / "out/fit/fit.json"));
  for (const auto& field : fathom::BeamParameters::fields()) {
    if (field.name == "hit_offset_m") continue;
    const std::string name(field.name);
    const double truth = number_after(scene, name), error = found["parameters"][name]["std_error"];
    EXPECT_NEAR(found["parameters"][name]["value"].get<double>(), truth, 3.2 * error) << name;
    EXPECT_LT(error, .06 * truth) << name;
    std::smatch row;
    ASSERT_TRUE(std::regex_search(readme, row, std::regex("`" + name + "` \\| ([0-9.]+)[^|]*\\| ([0-9.]+)"))) << name;
    EXPECT_EQ(std::stod(row[1]), truth) << name;
    EXPECT_NEAR(std::stod(row[2]), found["parameters"][name]["value"].get<double>(), .06 * error) << name;
  }
  EXPECT_TRUE(contains(bytes_of(folder_ / "told"), "/laser/scan  sensor_msgs/msg/LaserScan"));
}

TEST_F(DriveBag, ScoresAndHeatmapsTakeIt) {
  const std::string parameters = folder_ / "out/fit/parameters.yaml";
  const Ended score = succeed(
      {"score", "beam", "--map", kHouseMap, "--bag", bag(), "--frame", "world", "--parameters", parameters, "--quiet"});
  EXPECT_GT(read_csv(score.out).size(), 390U);
  succeed({"beam",   "heatmap",    "--map",        kHouseMap,  "--bag",
           bag(),    "--topic",    "/laser/scan",  "--frame",  "world",
           "--scan", "150",        "--parameters", parameters, "--spacing",
           "0.5",    "--headings", "36",           "--out",    folder_ / "map.png"});
  EXPECT_EQ(bytes_of(folder_ / "map.png").substr(1, 3), "PNG");
}

TEST_F(DriveBag, WhatIsWrongGetsOneLine) {
  const auto refused = [&](Words more, const std::string& part) {
    EXPECT_TRUE(contains(
        refusal_of(run_fathom(Words{"fit", "beam", "--map", kHouseMap, "--out", folder_ / "none"} + more)), part));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
  };
  refused({"--bag", bag()}, "drive.mcap: nothing connects frame 'laser' with frame 'map'; frames: laser robot world");
  refused({"--bag", bag(), "--topic", "/scan"}, "drive.mcap: has no scans on topic '/scan', but on /laser/scan");
  refused({"--bag", folder_ / "told"}, "told: this is no bag");
  refused({"--bag", folder_ / "gone.mcap"},
          "fathom: error: " + std::string(folder_ / "gone.mcap") + ": no such file\n");
  refused({"--bag", bag(), "--log", "a.log"}, "--log");
  refused({"--log", "a.log", "--topic", "/scan"}, "--bag");
  refused({}, "--log");
}

}  // namespace
}  // namespace cli_test

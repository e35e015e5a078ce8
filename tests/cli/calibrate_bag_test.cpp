// SPDX-License-Identifier: MIT
// `fathom fit pairs` finds the noise that a laser was simulated with from the bag of its drive.

#include "process.hpp"

namespace cli_test {
namespace {

const std::string kDriveScene = FATHOM_SOURCE_DIR "/examples/11_drive_bag/drive.yaml";
const std::string kMapOfDrive = FATHOM_SOURCE_DIR "/examples/house/maps/map.yaml";

class CalibrateBag : public testing::Test {
 protected:
  void simulate(const std::string& more_noise) {
    succeed(
        {"simulate", kDriveScene, "--frames", "60", "--out", folder_ / "run", "--bag", bag(), "--set",
         "sensors.laser.noise=[{distance: {mean_m: 0.01, stddev_m: 0.02, stddev_per_m: 0.004}}" + more_noise + "]"});
  }
  [[nodiscard]] std::string bag() const { return folder_ / "drive.mcap"; }
  Ended calibrate(const Words& more) { return run_fathom(Words{"fit", "pairs", "--model", "distance"} + more); }
  void expect_found(const Words& world) {
    const Ended ended =
        calibrate(world + Words{"--bag", bag(), "--topic", "/laser/scan", "--frame", "world", "--json"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const auto found = json::parse(ended.out);
    for (const auto& [name, truth] : {std::pair("mean_m", .01), {"stddev_m", .02}, {"stddev_per_m", .004}}) {
      const double error = found["parameters"][name]["std_error"];
      EXPECT_NEAR(found["parameters"][name]["value"].get<double>(), truth, 3.5 * error) << name;
      EXPECT_LT(error, .1 * truth) << name;
    }
    EXPECT_GT(found["details"]["pairs"].get<int>(), 10000);
    EXPECT_GT(found["details"]["skipped"].get<int>(), 1000);  // the dropouts
  }
  const TemporaryFolder folder_;
};

TEST_F(CalibrateBag, FindsTheNoiseAgainByMapAndByScene) {
  simulate(", {dropout: {probability: 0.1}}");
  expect_found({"--map", kMapOfDrive});
  expect_found({"--scene", kDriveScene, "--height", "0.25"});
}

TEST_F(CalibrateBag, LeavesOutReadingsOfSomethingElseAndSaysSo) {
  simulate(
      ", {beam_mixture: {w_hit: 0.9, w_short: 0.1, w_max: 0, w_rand: 0, sigma_hit_m: 0.001, lambda_short_per_m: 0.5}}");
  const Ended ended = calibrate({"--map", kMapOfDrive, "--bag", bag(), "--frame", "world"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "readings are farther than 0.3 m (--gate)"));
}

TEST_F(CalibrateBag, RefusesInOneLine) {
  simulate("");
  const auto refused = [&](const Words& words, const std::string& part) {
    EXPECT_TRUE(contains(refusal_of(calibrate(words)), part));
  };
  refused({}, "DATA, --log or --bag is required");
  refused({"--bag", bag()}, "--map or --scene is required");
  refused({"pairs.csv", "--bag", bag()}, "DATA has its expected ranges");
  refused({"--bag", bag(), "--map", kMapOfDrive}, "nothing connects frame 'laser' with frame 'map'");
  refused({"--bag", bag(), "--map", kMapOfDrive, "--frame", "world", "--gate", "6"}, "--gate = 6 is not in (0, 6) m");
}

}  // namespace
}  // namespace cli_test

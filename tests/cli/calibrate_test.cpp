// `fathom calibrate` finds the noise that frames were simulated with, from the folder of the run and from CSV.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "process.hpp"
#include "scenes.hpp"

namespace cli_test {
namespace {

using nlohmann::json;

/// A long room with the camera or lidar given as YAML.
std::string scene_of(const std::string& sensor) {
  return "scene:\n  meshes:\n    room: {box: {size_m: [16, 6, 3]}}\n    ball: {sphere: {radius_m: 1}}\n  entities:\n"
         "    - {name: room, mesh: room, position_m: [0, 0, 1.5]}\n"
         "    - {name: ball, mesh: ball, position_m: [3, 0, 1]}\n"
         "sensors:\n" +
         sensor + "frames: 2\nseed: 3\n";
}

void expect_found(const json& found, const char* name, double truth) {
  const double error = found[name]["std_error"];
  EXPECT_NEAR(found[name]["value"].get<double>(), truth, 3.5 * error) << name;
  EXPECT_GT(error, 0) << name;
}

class Calibrate : public testing::Test {
 protected:
  /// The run's folder.
  std::string simulate(const std::string& sensor) {
    const Ended ended =
        run_fathom({"simulate", write_text(folder_ / "scene.yaml", scene_of(sensor)), "--out", folder_ / "run"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return folder_ / "run";
  }
  TempFolder folder_;
};

TEST_F(Calibrate, DistanceFromARun) {
  const std::string run = simulate(
      "  - name: lidar\n    preset: VLP-16\n    position_m: [-5, 0, 1]\n"
      "    noise: [{distance: {mean_m: 0.01, stddev_m: 0.02, stddev_per_m: 0.004}}, {dropout: {probability: 0.1}}]\n"
      "    outputs: [{npy: {channels: [range, clean_range]}}]\n");
  const Ended ended = run_fathom({"calibrate", "distance", run, "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json found = json::parse(ended.out);
  expect_found(found, "mean_m", .01);
  expect_found(found, "stddev_m", .02);
  expect_found(found, "stddev_per_m", .004);
  EXPECT_GT(found["skipped"].get<int>(), 1000);  // the dropouts
  const Ended table = run_fathom({"calibrate", "distance", run, "--sensor", "lidar"});
  EXPECT_NE(table.out.find("- distance: {mean_m: 0.0"), std::string::npos) << table.out;
}

TEST_F(Calibrate, EnergyFromARun) {
  const std::string run = simulate(
      "  - name: camera\n    type: depth_camera\n    width: 320\n    height: 240\n    horizontal_fov_deg: 80\n"
      "    position_m: [-5, 0, 1.5]\n"
      "    noise: [{stereo_energy: {min_energy: 0.3, pow: 3, normalization: threshold}}]\n"
      "    outputs: [{npy: {channels: [energy, reason]}}]\n");
  const Ended ended = run_fathom({"calibrate", "energy", run, "--normalization", "threshold", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json found = json::parse(ended.out);
  expect_found(found, "min_energy", .3);
  expect_found(found, "pow", 3);
}

TEST_F(Calibrate, DistanceFromCsv) {
  // Deviations of one either way: mean and deviation are plain arithmetic.
  const Ended ended =
      run_fathom({"calibrate", "distance", "--json",
                  write_text(folder_ / "pairs.csv", "range_m,expected_m\n1.11,1\n1.09,1\n2.11,2\n2.09,2\n")});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json found = json::parse(ended.out);
  EXPECT_NEAR(found["mean_m"]["value"].get<double>(), .1, 1e-6);
  EXPECT_NEAR(found["stddev_m"]["value"].get<double>(), .01, 1e-6);
  EXPECT_EQ(found["pairs"], 4);
}

TEST_F(Calibrate, RefusesWhatItCannotUse) {
  const auto expect_refused = [&](const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const Ended ended = run_fathom(arguments);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_EQ(count_lines(ended.err), 1U) << ended.err;
    EXPECT_EQ(ended.out, "");
    for (const std::string& part : parts)
      EXPECT_NE(ended.err.find(part), std::string::npos) << part << ": " << ended.err;
  };
  expect_refused({"calibrate", "distance", folder_ / "gone.csv"}, {"gone.csv"});
  expect_refused({"calibrate", "distance", write_text(folder_ / "a.csv", "range_m,expectd_m\n1,1\n")},
                 {"a.csv:1", "expectd_m", "expected_m"});
  expect_refused({"calibrate", "distance", write_text(folder_ / "b.csv", "range_m,expected_m\n1,1\n1\n")}, {"b.csv:3"});
  expect_refused({"calibrate", "energy", write_text(folder_ / "c.csv", "energy,lost\n0.5,2\n")}, {"c.csv", "lost = 2"});
  expect_refused({"calibrate", "distance", folder_.path()}, {"summary.json"});
  const std::string run = simulate("  - {name: lidar, preset: VLP-16, outputs: [pcd]}\n");
  expect_refused({"calibrate", "distance", run}, {"clean_range"});
  expect_refused({"calibrate", "distance", run, "--sensor", "ladar"}, {"ladar"});
}

}  // namespace
}  // namespace cli_test

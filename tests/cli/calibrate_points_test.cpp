// SPDX-License-Identifier: MIT
// `fathom fit chain` on clouds of points: what ranges tell, and what only points do.

#include "calibrate_chain.hpp"

namespace cli_test {
namespace {

TEST_F(CalibrateChain, CloudsTellWhatTheRunTells) {
  const std::string sensors = replaced(kLidarScene, "clean_range]}}]", "clean_range]}}, pcd]");
  const std::string file = scene(sensors.c_str()), run = simulated(file, "run");
  const std::string clouds = folder_ / "clouds";
  std::filesystem::create_directory(clouds);
  for (const auto& entry : std::filesystem::directory_iterator(run + "/lidar")) {
    if (entry.path().extension() == ".pcd") {
      std::filesystem::copy(entry.path(), std::filesystem::path(clouds) / entry.path().filename());
    }
  }
  const auto learned = [&](const std::string& measured, Words more = {}) {
    return json::parse(succeed(Words{"fit", "chain", file, "--measured", measured, "--free", "distance.*_m", "--free",
                                     "dropout.*", "--json", "--set", kWrong} +
                               more)
                           .out);
  };
  const json of_run = learned(run), of_clouds = learned(clouds);
  EXPECT_EQ(of_run["details"]["returns"], of_clouds["details"]["returns"]);
  EXPECT_EQ(of_run["details"]["lost"], of_clouds["details"]["lost"]);
  for (const auto& [name, p] : of_run["parameters"].items()) {
    EXPECT_NEAR(p["value"].get<double>(), of_clouds["parameters"][name]["value"].get<double>(),
                0.01 * p["std_error"].get<double>());
  }
  EXPECT_EQ(learned(run + "/lidar", {"--files", "cloud*.pcd"})["parameters"], of_clouds["parameters"]);
  expect_refused("of another lidar",
                 {"score", "chain", file, "--measured", clouds, "--set", "sensors.lidar.preset=HDL-32E"},
                 {"cloud_000000.pcd", "points lie on no ray of sensor 'lidar'"}, folder_ / "out");
}

/// Points that noise turns by degrees lie on the rays of other columns: their places in an organised cloud tell theirs.
TEST_F(CalibrateChain, AnglesOfHitPointsAreLearnedFromPoints) {
  constexpr const char* kTurned =
      "noise: [{angular_hit: {axis: z, mean_deg: 0.5, stddev_deg: 3}}, {distance: {stddev_m: 0.02}}]\n"
      "    outputs: [{npy: {channels: [range, hit_sensor]}}, {pcd: {keep_misses: true}}]\nframes: 25\nseed: 3\n";
  const std::string sensors = std::string(kLidarScene).substr(0, std::string(kLidarScene).find("noise:")) + kTurned;
  const std::string file = scene(sensors.c_str()), run = simulated(file, "run");
  const auto learned = [&](const std::string& measured, Words more = {}) {
    return json::parse(succeed(Words{"fit", "chain", file, "--measured", measured, "--free", "*", "--json", "--set",
                                     "sensors.lidar.noise=[{angular_hit: {axis: z}}, {distance: {stddev_m: 0.1}}]"} +
                               more)
                           .out);
  };
  const json of_run = learned(run), of_clouds = learned(run + "/lidar", {"--files", "cloud*.pcd"});
  for (const json& fit : {of_run, of_clouds}) {
    expect_found(fit, "angular_hit.mean_rad", 0.5 * 3.14159265 / 180);
    expect_found(fit, "angular_hit.stddev_rad", 3 * 3.14159265 / 180);
    expect_found(fit, "distance.stddev_m", 0.02);
  }
  for (const auto& [name, p] : of_run["parameters"].items()) {
    EXPECT_NEAR(p["value"].get<double>(), of_clouds["parameters"][name]["value"].get<double>(),
                0.02 * p["std_error"].get<double>())
        << name;
  }
  // Ranges alone do not tell them.
  for (int k = 0; k < 25; ++k) {
    std::filesystem::remove(run + "/lidar/hit_sensor_" + std::to_string(1000000 + k).substr(1) + ".npy");
  }
  const json of_ranges = learned(run);
  EXPECT_TRUE(of_ranges["parameters"]["angular_hit.stddev_rad"]["std_error"].is_null());
  EXPECT_TRUE(contains(of_ranges["findings"].dump(), "cannot be learned from ranges")) << of_ranges["findings"];
  expect_found(of_ranges, "distance.stddev_m", 0.02);
  // Without their places most lie on no ray, or on one of a neighbour.
  const std::string dropped = simulated(file, "dropped", {"--set", "sensors.lidar.outputs=[pcd]"});
  expect_refused("without places", {"score", "chain", file, "--measured", dropped + "/lidar", "--files", "cloud*.pcd"},
                 {"cloud_000000.pcd", "needs the rows and columns of the sensor (keep_misses)"}, folder_ / "out");
}

}  // namespace
}  // namespace cli_test

// SPDX-License-Identifier: MIT
// `fathom calibrate chain` and `fathom score`: what is simulated is learned, from ranges and from depth images, and
// what is learned can be simulated.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "process.hpp"
#include "refusal.hpp"

namespace cli_test {
namespace {

using nlohmann::json;

constexpr const char* kRoom =
    "scene:\n  meshes:\n    room: {box: {size_m: [8, 6, 3]}}\n    ball: {sphere: {radius_m: 0.7}}\n  entities:\n"
    "    - {name: room, mesh: room, position_m: [0, 0, 1.5]}\n    - {name: ball, mesh: ball, position_m: [2, 0.3, "
    "1]}\n";

constexpr const char* kLidarScene =
    "sensors:\n  - name: lidar\n    preset: VLP-16\n    columns: 180\n    position_m: [-2, 0, 1]\n"
    "    noise: [{loss_angle: {max_incidence_deg: 70}}, {distance: {mean_m: 0.01, stddev_m: 0.02}}, {dropout: "
    "{probability: 0.1}}]\n    outputs: [{npy: {channels: [range, clean_range]}}]\nframes: 25\nseed: 3\n";

constexpr const char* kCameraScene =
    "sensors:\n  - name: cam\n    type: stereo_camera\n    width: 120\n    height: 90\n    fx: 90\n    baseline_m: "
    "0.1\n"
    "    position_m: [-2, 0, 1]\n    noise: [stereo_shadow: {}, disparity: {stddev_px: 0.1}, dropout: {probability: "
    "0.03}]\n    outputs: [depth_png, {npy: {channels: [range]}}]\nframes: 25\nseed: 4\n";

constexpr const char* kWrong =
    "sensors.lidar.noise=[{loss_angle: {max_incidence_deg: 80}}, {distance: {stddev_m: "
    "0.05}}, {dropout: {probability: 0.3}}]";

void expect_found(const json& fit, const std::string& name, double truth) {
  ASSERT_TRUE(fit["parameters"].contains(name)) << fit.dump();
  const json& found = fit["parameters"][name];
  const double error = found["std_error"];
  EXPECT_NEAR(found["value"].get<double>(), truth, 3.5 * error) << name;
  EXPECT_LT(error, 0.3 * truth) << name;
}

class CalibrateChain : public testing::Test {
 protected:
  std::string scene(const char* sensors) { return write_text(folder_ / "scene.yaml", std::string(kRoom) + sensors); }
  std::string simulated(const std::string& scene, const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"simulate", scene, "--out", folder_ / name, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = run_fathom(arguments);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return folder_ / name;
  }
  static Ended done(const std::vector<std::string>& arguments) {
    Ended ended = run_fathom(arguments);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended;
  }
  TemporaryFolder folder_;
};

TEST_F(CalibrateChain, LearnsALidarAndSimulatesWithWhatItLearned) {
  const std::string file = scene(kLidarScene), run = simulated(file, "run"), out = folder_ / "fit";
  const Ended ended = done({"calibrate", "chain", file, "--measured", run, "--free", "sensors.lidar.noise.*", "--set",
                            kWrong, "--out", out});
  const json fit = json::parse(bytes_of(out + "/fit.json"));
  expect_found(fit, "loss_angle.max_incidence_rad", 70 * 3.14159265 / 180);
  expect_found(fit, "distance.mean_m", 0.01);
  expect_found(fit, "distance.stddev_m", 0.02);
  expect_found(fit, "dropout.probability", 0.1);
  EXPECT_EQ(fit["parameters"]["distance.stddev_m"]["start"].get<float>(), 0.05F);
  EXPECT_EQ(fit["frames"], 25);
  EXPECT_EQ(fit["clusters"], 20);
  EXPECT_GT(fit["held_out_nats"]["gain"].get<double>(), 0.1);
  EXPECT_NE(ended.out.find("--set sensors.lidar.noise=@"), std::string::npos) << ended.out;
  const std::string page = bytes_of(out + "/report.html");
  for (const char* part : {"distance.stddev_m", "<svg", "Correlations", "max_incidence_rad"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  // The chain that was learned makes frames that score as those that were measured.
  const std::string set = "sensors.lidar.noise=@" + out + "/noise.yaml";
  const std::string again = simulated(file, "again", {"--set", set, "--seed", "8"});
  const json score =
      json::parse(done({"score", file, "--measured", again, "--compare", out + "/noise.yaml", "--json"}).out);
  EXPECT_LT(std::abs(score["difference"]["nats"].get<double>()), 0.01);
  EXPECT_EQ(score["by_frame"].size(), 25U);
  // Threads change no byte.
  done({"calibrate", "chain", file, "--measured", run, "--free", "*", "--set", kWrong, "--out", out, "--force",
        "--threads", "3"});
  EXPECT_EQ(json::parse(bytes_of(out + "/fit.json")), fit);
}

TEST_F(CalibrateChain, ScoreTellsTheTrueChainFromAWrongOne) {
  const std::string file = scene(kLidarScene), run = simulated(file, "run");
  const std::string wrong = write_text(folder_ / "wrong.yaml",
                                       std::string(kRoom) + replaced(kLidarScene, "stddev_m: 0.02", "stddev_m: 0.03"));
  const json score = json::parse(done({"score", file, "--measured", run, "--compare", wrong, "--json"}).out);
  const double difference = score["difference"]["nats"], error = score["difference"]["std_error"];
  // Of a return that came back log 1.5 + (1 / 1.5^2 - 1) / 2.
  const double share = 1.0 - score["lost"].get<double>() / score["returns"].get<double>();
  EXPECT_NEAR(difference, share * 0.12769, 4 * error);
  EXPECT_LT(error, 0.01);
  EXPECT_NEAR(score["score"]["nats"].get<double>() - score["other"]["nats"].get<double>(), difference, 1e-9);
  const Ended one = done({"score", file, "--measured", simulated(file, "one", {"--frames", "1"})});
  EXPECT_EQ(one.out.find("nan"), std::string::npos) << one.out;  // one frame has no error
  EXPECT_NE(one.out.find("returns of 1 frame,"), std::string::npos) << one.out;
  const std::string text = done({"score", file, "--measured", run, "--compare", wrong}).out;
  EXPECT_NE(text.find("the first less the second: +0."), std::string::npos) << text;
}

TEST_F(CalibrateChain, DepthImagesTellWhatTheRunTells) {
  const std::string file = scene(kCameraScene), run = simulated(file, "run");
  const auto learned = [&](const std::string& measured) {
    return json::parse(done({"calibrate", "chain", file, "--measured", measured, "--free", "disparity.stddev_px",
                             "--free", "dropout.probability", "--set", "sensors.cam.noise.disparity.stddev_px=0.3",
                             "--set", "sensors.cam.noise.dropout.probability=0.2", "--json"})
                           .out);
  };
  const json of_run = learned(run), of_images = learned(run + "/cam");
  for (const json& fit : {of_run, of_images}) {
    expect_found(fit, "disparity.stddev_px", 0.1);
    expect_found(fit, "dropout.probability", 0.03);
    EXPECT_GT(fit["left_out"]["hidden"].get<int>(), 100);
  }
  EXPECT_EQ(of_run["returns"], of_images["returns"]);
  for (const auto& [name, p] : of_run["parameters"].items()) {
    EXPECT_NEAR(p["value"].get<double>(), of_images["parameters"][name]["value"].get<double>(),
                0.2 * p["std_error"].get<double>());
  }
}

TEST_F(CalibrateChain, AnglesOfTurnedRaysAreLearnedFromRangesAndDepths) {
  const std::string file = scene(kCameraScene);
  const std::string turned =
      "sensors.cam.noise=[angular_ray: {axis: z, stddev_rad: 0.01}, stereo_shadow: {}, disparity: {stddev_px: 0.1}, "
      "dropout: {probability: 0.03}]";
  const std::string run = simulated(file, "run", {"--set", turned});
  const std::string start =
      replaced(replaced(turned, "stddev_rad: 0.01", "stddev_rad: 0.007"), "stddev_px: 0.1", "stddev_px: 0.2");
  for (const std::string& measured : {run, run + "/cam"}) {
    const std::vector<std::string> arguments = {
        "calibrate",           "chain", file, "--measured", measured, "--free", "angular_ray.stddev_rad", "--free",
        "disparity.stddev_px", "--set", start};
    std::vector<std::string> as_json = arguments;
    as_json.emplace_back("--json");
    const json fit = json::parse(done(as_json).out);
    expect_found(fit, "angular_ray.stddev_rad", 0.01);
    expect_found(fit, "disparity.stddev_px", 0.1);
    EXPECT_GT(fit["at_edges"].get<int>(), 1000);
    if (measured == run) {
      EXPECT_NE(done(arguments).out.find("meet several surfaces"), std::string::npos);
    }
  }
  const std::string straight = write_text(folder_ / "straight.yaml", std::string(kRoom) + kCameraScene);
  const json score =
      json::parse(done({"score", file, "--measured", run, "--set", turned, "--compare", straight, "--json"}).out);
  EXPECT_GT(score["difference"]["nats"].get<double>(), 5 * score["difference"]["std_error"].get<double>());
  const Ended ended = run_fathom({"score", file, "--measured", run, "--angle-scale", "1"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("--angle-scale"), std::string::npos) << ended.err;
}

TEST_F(CalibrateChain, RefusesInOneLine) {
  const std::string file = scene(kLidarScene), run = simulated(file, "run", {"--frames", "2"}), out = folder_ / "out";
  const auto refused = [&](const std::string& name, std::vector<std::string> more,
                           const std::vector<std::string>& parts) {
    std::vector<std::string> arguments = {"calibrate", "chain", file, "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(name, arguments, parts, out);
  };
  refused("pattern", {"--measured", run, "--free", "sensors.lidar.noise.distance.sttdev_m"},
          {"--free sensors.lidar.noise.distance.sttdev_m", "no parameter 'distance.sttdev_m'"});
  refused("sensor", {"--measured", run, "--free", "sensors.lidr.noise.*"}, {"no sensor 'lidr'", "lidar"});
  refused("two sensors", {"--measured", run, "--sensor", "lidar", "--free", "sensors.cam.noise.*"}, {"another sensor"});
  refused("path", {"--measured", run, "--free", "sensors.lidar.stddev"}, {"sensors.NAME.noise.MODEL.PARAMETER"});
  refused("no folder", {"--measured", folder_ / "none", "--free", "*"}, {"none: is not a folder"});
  refused("no images", {"--measured", folder_.path().string(), "--free", "*"}, {folder_.path().string()});
  refused("hold out", {"--measured", run, "--free", "*", "--hold-out", "1"}, {"--hold-out = 1"});
  refused("another scene", {"--measured", run, "--free", "*", "--set", "sensors.lidar.position_m=[1, 0, 1]"},
          {"clean_range_000000.npy", "are not those of the scene"});
  refused("shape", {"--measured", run, "--free", "*", "--set", "sensors.lidar.columns=90"},
          {"has the shape [16, 180]"});
  refused("beam",
          {"--measured", run, "--free", "*", "--set",
           "sensors.lidar.noise=[angular_ray: {axis: x, stddev_deg: 1}, angular_ray: {axis: y, stddev_deg: 1}, "
           "angular_ray: {axis: z, stddev_deg: 1}, dropout: {probability: 0.1}]"},
          {"angular_ray turns the rays about three axes"});
  refused("no noise", {"--measured", run, "--free", "*", "--set", "sensors.lidar.noise=[]"}, {"'lidar' has no noise"});
  expect_refused("file of --set", {"score", file, "--measured", run, "--set", "sensors.lidar.noise=@none.yaml"},
                 {"none.yaml"}, out);
  const std::string list = write_text(folder_ / "list.yaml", "- distance: {stddev_m: -1}\n");
  expect_refused("value in that file", {"score", file, "--measured", run, "--compare", list},
                 {"list.yaml:1", "stddev_m = -1"}, out);
}

}  // namespace
}  // namespace cli_test

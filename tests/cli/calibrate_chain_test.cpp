// SPDX-License-Identifier: MIT
// `fathom fit chain` and `fathom score chain`: what is simulated is learned, from ranges and from depth images, and
// what is learned can be simulated.

#include "calibrate_chain.hpp"

namespace cli_test {
namespace {

constexpr const char* kCameraScene =
    "sensors:\n  - name: cam\n    type: stereo_camera\n    width: 120\n    height: 90\n    fx: 90\n    baseline_m: "
    "0.1\n"
    "    position_m: [-2, 0, 1]\n    noise: [stereo_shadow: {}, disparity: {stddev_px: 0.1}, dropout: {probability: "
    "0.03}]\n    outputs: [depth_png, {npy: {channels: [range]}}]\nframes: 25\nseed: 4\n";

TEST_F(CalibrateChain, LearnsALidarAndSimulatesWithWhatItLearned) {
  const std::string file = scene(kLidarScene), run = simulated(file, "run"), out = folder_ / "fit";
  const Ended ended = succeed(
      {"fit", "chain", file, "--measured", run, "--free", "sensors.lidar.noise.*", "--set", kWrong, "--out", out});
  const json fit = json::parse(bytes_of(out + "/fit.json"));
  expect_found(fit, "loss_angle.max_incidence_rad", 70 * 3.14159265 / 180);
  expect_found(fit, "distance.mean_m", 0.01);
  expect_found(fit, "distance.stddev_m", 0.02);
  expect_found(fit, "dropout.probability", 0.1);
  EXPECT_EQ(fit["parameters"]["distance.stddev_m"]["start"].get<float>(), 0.05F);
  EXPECT_EQ(fit["details"]["frames"], 25);
  EXPECT_EQ(fit["blocks"]["count"], 20);
  EXPECT_GT(fit["held_out"]["gain_nats"].get<double>(), 0.1);
  EXPECT_TRUE(ended.out.starts_with("usable: yes\n")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "--set sensors.lidar.noise=@"));
  const std::string page = bytes_of(out + "/report.html");
  for (const char* part : {"distance.<wbr>stddev_m", "<svg", "Correlations", "max_incidence_rad"}) {
    EXPECT_TRUE(contains(page, part)) << part;
  }
  // Frames of the learned chain score like the measured frames.
  const std::string set = "sensors.lidar.noise=@" + out + "/noise.yaml";
  const std::string again = simulated(file, "again", {"--set", set, "--seed", "8"});
  const json score =
      json::parse(succeed({"compare", "chain", file, out + "/noise.yaml", "--measured", again, "--json"}).out);
  EXPECT_LT(std::abs(score["difference"]["nats"].get<double>()), 0.01);
  EXPECT_EQ(score["by_frame"].size(), 25U);
  // Threads change no byte.
  succeed({"fit", "chain", file, "--measured", run, "--free", "*", "--set", kWrong, "--out", out, "--force",
           "--threads", "3"});
  EXPECT_EQ(json::parse(bytes_of(out + "/fit.json")), fit);
}

TEST_F(CalibrateChain, ScoreTellsTheTrueChainFromAWrongOne) {
  const std::string file = scene(kLidarScene), run = simulated(file, "run");
  const std::string wrong = write_text(folder_ / "wrong.yaml",
                                       std::string(kRoom) + replaced(kLidarScene, "stddev_m: 0.02", "stddev_m: 0.03"));
  const json score = json::parse(succeed({"compare", "chain", file, wrong, "--measured", run, "--json"}).out);
  const double difference = score["difference"]["nats"], error = score["difference"]["std_error"];
  // Of a return that came back log 1.5 + (1 / 1.5^2 - 1) / 2.
  const double share = 1.0 - score["lost"].get<double>() / score["returns"].get<double>();
  EXPECT_NEAR(difference, share * 0.12769, 4 * error);
  EXPECT_LT(error, 0.01);
  EXPECT_NEAR(score["score"]["nats"].get<double>() - score["other"]["nats"].get<double>(), difference, 1e-9);
  const Ended one = succeed({"score", "chain", file, "--measured", simulated(file, "one", {"--frames", "1"})});
  EXPECT_FALSE(contains(one.out, "nan"));  // one frame has no error
  EXPECT_TRUE(contains(one.out, "returns of 1 frame,"));
  const std::string text = succeed({"compare", "chain", file, wrong, "--measured", run}).out;
  EXPECT_TRUE(contains(text, "the first less the second: +0."));
  const std::string same = succeed({"compare", "chain", file, file, "--measured", run, "--set",
                                    "sensors.lidar.noise.distance.stddev_m=0.03"})
                               .out;
  EXPECT_TRUE(contains(same, file + " (first): "));
  EXPECT_TRUE(contains(same, file + " (second): "));
}

TEST_F(CalibrateChain, DepthImagesTellWhatTheRunTells) {
  const std::string file = scene(kCameraScene), run = simulated(file, "run");
  const auto learned = [&](const std::string& measured) {
    return json::parse(succeed({"fit", "chain", file, "--measured", measured, "--free", "disparity.stddev_px", "--free",
                                "dropout.probability", "--set", "sensors.cam.noise.disparity.stddev_px=0.3", "--set",
                                "sensors.cam.noise.dropout.probability=0.2", "--max-returns", "40000", "--json"})
                           .out);
  };
  const json of_run = learned(run), of_images = learned(run + "/cam");
  for (const json& fit : {of_run, of_images}) {
    expect_found(fit, "disparity.stddev_px", 0.1);
    expect_found(fit, "dropout.probability", 0.03);
    EXPECT_GT(fit["details"]["left_out"]["hidden"].get<int>(), 30);
  }
  EXPECT_EQ(of_run["details"]["returns"], of_images["details"]["returns"]);
  for (const auto& [name, p] : of_run["parameters"].items()) {
    EXPECT_NEAR(p["value"].get<double>(), of_images["parameters"][name]["value"].get<double>(),
                0.2 * p["std_error"].get<double>());
  }
}

constexpr const char* kLaserScene =
    "sensors:\n  - name: laser\n    type: laser_2d\n    rays: 181\n    min_azimuth_deg: -90\n    max_azimuth_deg: 90\n"
    "    motion:\n      keyframes:\n        - {time_s: 0, position_m: [-3, -1, 0.5], rpy_deg: [0, 0, 10]}\n"
    "        - {time_s: 4, position_m: [0, 1.5, 0.5], rpy_deg: [0, 0, 150]}\n"
    "        - {time_s: 10, position_m: [3, -1, 0.5], rpy_deg: [0, 0, -60]}\n"
    "    noise: [{distance: {mean_m: 0.01, stddev_m: 0.02}}, {dropout: {probability: 0.1}}]\n"
    "    outputs: [{npy: {channels: [range, reason]}}, scan_log]\nframes: 100\nseed: 6\n";

/// The scans of a CSV as CARMEN has them, to the millimetre: FLASER after each line of another laser.
std::string carmen_text(const std::string& csv) {
  std::istringstream lines(csv);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || (std::isdigit(static_cast<unsigned char>(line[0])) == 0)) continue;
    std::vector<double> values;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::stod(cell));
    std::string ranges;
    for (std::size_t i = 4; i < values.size(); ++i) {
      char range[16];
      std::snprintf(range, sizeof range, " %.3f", std::isfinite(values[i]) ? values[i] : 81.91);
      ranges += range;
    }
    char pose[120], time[60];
    std::snprintf(pose, sizeof pose, " %.6f %.6f %.6f", values[1], values[2], values[3]);
    std::snprintf(time, sizeof time, " %.6f host %.6f\n", values[0], values[0]);
    text += "RLASER 2 1.00 2.00" + std::string(pose) + pose + time;
    text += "FLASER " + std::to_string(values.size() - 4) + ranges + pose + pose + time;
  }
  return text;
}

TEST_F(CalibrateChain, ALogOfALaserTellsWhatTheRunTells) {
  const std::string file = scene(kLaserScene), run = simulated(file, "run"), csv = run + "/laser/scans.csv";
  const std::string log = write_text(folder_ / "drive.log", carmen_text(bytes_of(csv)));
  // The sensor's position in the scene does not matter, except its height.
  const std::string elsewhere = write_text(
      folder_ / "elsewhere.yaml", replaced(bytes_of(file), "position_m: [-3, -1, 0.5]", "position_m: [1, -2, 0.5]"));
  const auto learned = [&](const std::string& where, const std::string& measured, Words more = {}) {
    return json::parse(succeed(Words{"fit", "chain", where, "--measured", measured, "--free", "distance.mean_m",
                                     "--free", "distance.stddev_m", "--free", "dropout.*", "--json", "--set",
                                     "sensors.laser.noise=[{distance: {stddev_m: 0.05}}, {dropout: "
                                     "{probability: 0.3}}]"} +
                               more)
                           .out);
  };
  const json of_run = learned(file, run), of_csv = learned(elsewhere, csv);
  expect_found(of_run, "distance.mean_m", 0.01);
  expect_found(of_run, "distance.stddev_m", 0.02);
  expect_found(of_run, "dropout.probability", 0.1);
  EXPECT_EQ(of_run["blocks"]["of"], "stretch");
  EXPECT_EQ(of_run["blocks"]["count"], 40);
  const json of_log = learned(elsewhere, log, {"--step", "0.001"});
  EXPECT_TRUE(contains(of_log["findings"].dump(), "100 RLASER lines were passed over")) << of_log["findings"];
  // To the digits of poses and ranges of the log; fathom's own have all.
  const std::vector<std::pair<const json*, double>> others = {{&of_csv, 1e-3}, {&of_log, 0.05}};
  for (const auto& [other, slack] : others) {
    EXPECT_EQ((*other)["details"]["returns"], of_run["details"]["returns"]);
    EXPECT_EQ((*other)["details"]["lost"], of_run["details"]["lost"]);
    for (const auto& [name, p] : of_run["parameters"].items()) {
      const json& q = (*other)["parameters"][name];
      const double error = p["std_error"];
      EXPECT_NEAR(p["value"].get<double>(), q["value"].get<double>(), slack * error) << name;
      EXPECT_NEAR(q["std_error"].get<double>(), error, slack * error) << name;
    }
  }
  EXPECT_EQ(learned(file, run, {"--stretches", "frame"})["blocks"]["count"], 80);
  EXPECT_EQ(learned(file, run, {"--stretches", "25"})["blocks"]["count"], 25);
  const json blocks = learned(file, run, {"--block-frames", "10"});
  EXPECT_EQ(blocks["blocks"]["count"], 10);
  EXPECT_EQ(blocks["blocks"]["of"], "frame");
  EXPECT_EQ(learned(file, csv, {"--scans", "::2"})["details"]["frames"], 50);
  // And scores: one number, with errors by stretches.
  const json by_run = json::parse(succeed({"score", "chain", file, "--measured", run, "--json"}).out),
             by_csv = json::parse(succeed({"score", "chain", elsewhere, "--measured", csv, "--json"}).out);
  EXPECT_NEAR(by_run["score"]["nats"].get<double>(), by_csv["score"]["nats"].get<double>(), 1e-5);
  EXPECT_NEAR(by_run["score"]["std_error"].get<double>(), by_csv["score"]["std_error"].get<double>(), 1e-5);

  const auto refused = [&](const std::string& name, Words more, const Words& parts) {
    expect_refused(name, Words{"fit", "chain", file, "--free", "*"} + more, parts, folder_ / "out");
  };
  refused("rays", {"--measured", log, "--set", "sensors.laser.rays=180"}, {"drive.log", "181 rays", "'laser' has 180"});
  refused("angles", {"--measured", log, "--set", "sensors.laser.max_azimuth_deg=89"},
          {"drive.log: its ray", "points at"});
  refused("laser", {"--measured", log, "--laser", "ROBOTLASER1"}, {"drive.log", "holds no scans"});
  refused("range", {"--measured", log, "--max-range", "20"}, {"drive.log: readings end at --max-range = 20 m"});
  refused("no scans", {"--measured", csv, "--scans", "200:"}, {"scans.csv", "selects none of 100 scans"});
  refused("both", {"--measured", run, "--stretches", "5", "--block-frames", "2"}, {"--stretches and --block-frames"});
  refused("clusters", {"--measured", run, "--stretches", "0"}, {"--stretches"});
  refused("no log", {"--measured", folder_ / "none.log"}, {"none.log: is not there"});
}

TEST_F(CalibrateChain, RingsAreLearnedAndWrittenBack) {
  const std::string rings =
      replaced(kLidarScene, "noise: [", "noise: [{gain_bias: {rings: {0: {bias_m: 0.05}, 7: {gain: 0.02}}}}, ");
  const std::string file = scene(rings.c_str()), run = simulated(file, "run"), out = folder_ / "fit";
  succeed({"fit", "chain", file, "--measured", run, "--free", "sensors.lidar.noise.gain_bias.rings.*", "--free",
           "distance.stddev_m", "--set",
           "sensors.lidar.noise=[{gain_bias: {}}, {loss_angle: {max_incidence_deg: 70}}, {distance: {mean_m: 0.01, "
           "stddev_m: "
           "0.05}}, {dropout: {probability: 0.1}}]",
           "--out", out});
  const json fit = json::parse(bytes_of(out + "/fit.json"));
  EXPECT_EQ(fit["parameters"].size(), 33U);
  expect_found(fit, "gain_bias.rings.0.bias_m", 0.05);
  expect_found(fit, "gain_bias.rings.7.gain", 0.02);
  expect_found(fit, "distance.stddev_m", 0.02);
  EXPECT_LE(fit["findings"].size(), 4U) << fit["findings"];  // of several rings one line
  // What was written makes frames that the true chain describes as its own.
  const std::string again =
      simulated(file, "again", {"--set", "sensors.lidar.noise=@" + out + "/noise.yaml", "--seed", "8"});
  const json score =
      json::parse(succeed({"compare", "chain", file, out + "/noise.yaml", "--measured", again, "--json"}).out);
  EXPECT_LT(std::abs(score["difference"]["nats"].get<double>()), 0.01);
}

TEST_F(CalibrateChain, RefusesAChainBeforeItReadsFrames) {
  const std::string file = scene(kLidarScene);
  const std::string broken = (folder_ / "broken");
  std::filesystem::create_directories(broken + "/lidar");
  write_text(broken + "/summary.json", "{}");  // would be refused, too
  const char* chain = "sensors.lidar.noise=[{uniform: {low_m: -1, high_m: 1}}, {uniform: {low_m: -1, high_m: 1}}]";
  for (const Words& command : {Words{"fit", "chain", file, "--free", "*"}, Words{"score", "chain", file}}) {
    expect_refused("chain", command + Words{"--measured", broken, "--set", chain}, {"two models of uniform errors"},
                   folder_ / "out");
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
    Words arguments = {"fit",
                       "chain",
                       file,
                       "--measured",
                       measured,
                       "--free",
                       "angular_ray.stddev_rad",
                       "--free",
                       "disparity.stddev_px",
                       "--set",
                       start};
    const json fit = json::parse(succeed(arguments + Words{"--max-returns", "30000", "--json"}).out);
    expect_found(fit, "angular_ray.stddev_rad", 0.01);
    expect_found(fit, "disparity.stddev_px", 0.1);
    EXPECT_GT(fit["details"]["at_edges"].get<int>(), 300);
    if (measured == run) {
      EXPECT_TRUE(contains(succeed(arguments + Words{"--max-returns", "10000"}).out, "meet several surfaces"));
    }
  }
  const std::string straight = write_text(folder_ / "straight.yaml", std::string(kRoom) + kCameraScene);
  const json score = json::parse(succeed({"compare", "chain", file, straight, "--measured", run, "--set", turned,
                                          "--max-returns", "30000", "--json"})
                                     .out);
  EXPECT_GT(score["difference"]["nats"].get<double>(), 5 * score["difference"]["std_error"].get<double>());
  EXPECT_TRUE(contains(refusal_of(run_fathom({"score", "chain", file, "--measured", run, "--angle-scale", "1"})),
                       "--angle-scale"));
}

/// Another room does not explain a sensor's frames: every command notes it. The right room gives no note.
TEST_F(CalibrateChain, AWrongSceneIsNamed) {
  const auto note = [&](const std::string& file, const std::string& measured, const std::string& set = "") {
    Words arguments = {"fit",      "chain",  file,        "--measured", measured,        "--free",
                       "*stddev*", "--free", "dropout.*", "--json",     "--max-returns", "20000"};
    if (!set.empty()) arguments.insert(arguments.end(), {"--set", set});
    const json fit = json::parse(succeed(arguments).out);
    const bool is_noted = fit["findings"].dump().find("the scene is of another place or size") != std::string::npos;
    EXPECT_EQ(fit["usable"], !is_noted) << fit["reason"];
    return is_noted;
  };
  const std::string of_lidar = scene(kLidarScene);
  const std::string larger =
      write_text(folder_ / "larger.yaml",
                 std::string(kRoom).replace(std::string(kRoom).find("[8, 6, 3]"), 9, "[9, 6, 3]") + kLidarScene);
  // Clean ranges of a run tell the scene; clouds have none.
  const std::string sensors = replaced(kLidarScene, "{npy: {channels: [range, clean_range]}}", "pcd");
  const std::string with_clouds = write_text(folder_ / "clouds.yaml", std::string(kRoom) + sensors);
  const std::string run = simulated(with_clouds, "run") + "/lidar";
  EXPECT_FALSE(note(of_lidar, run));
  EXPECT_TRUE(note(larger, run));
  EXPECT_TRUE(
      succeed({"score", "chain", larger, "--measured", run}).out.find("note: readings deviate from the scene by") !=
      std::string::npos);
  // Errors of a tenth of the range that each ray has for itself, and a gain of a tenth, are the sensor's.
  const char* coarse = "sensors.lidar.noise=[{gain_bias: {gain: 0.1}}, {distance: {stddev_per_m: 0.1}}, {dropout: {}}]";
  EXPECT_FALSE(note(with_clouds, simulated(with_clouds, "coarse", {"--set", coarse}) + "/lidar", coarse));
  const std::string of_camera = write_text(folder_ / "camera.yaml", std::string(kRoom) + kCameraScene),
                    images = simulated(of_camera, "camera") + "/cam";
  EXPECT_FALSE(note(of_camera, images));
  EXPECT_TRUE(note(of_camera, images, "sensors.cam.position_m=[-2.6, 1, 1]"));
  // A laser half a metre beside where its log says that it was.
  const std::string of_laser = write_text(folder_ / "laser.yaml", std::string(kRoom) + kLaserScene),
                    log = simulated(of_laser, "laser") + "/laser/scans.csv";
  EXPECT_FALSE(note(of_laser, log));
  EXPECT_TRUE(note(write_text(folder_ / "beside.yaml",
                              replaced(bytes_of(of_laser), "position_m: [0, 0, 1.5]", "position_m: [0.5, 0.4, 1.5]")),
                   log));
}

TEST_F(CalibrateChain, RefusesInOneLine) {
  const std::string file = scene(kLidarScene), run = simulated(file, "run", {"--frames", "2"}), out = folder_ / "out";
  const auto refused = [&](const std::string& name, Words more, const Words& parts) {
    expect_refused(name, Words{"fit", "chain", file, "--out", out} + more, parts, out);
  };
  refused("pattern", {"--measured", run, "--free", "sensors.lidar.noise.distance.sttdev_m"},
          {"--free sensors.lidar.noise.distance.sttdev_m", "no parameter 'distance.sttdev_m'"});
  refused("sensor", {"--measured", run, "--free", "sensors.lidr.noise.*"}, {"no sensor 'lidr'", "lidar"});
  refused("no such sensor", {"--measured", run, "--sensor", "foo", "--free", "sensors.lidar.noise.*"},
          {"no sensor 'foo'"});
  refused("two sensors", {"--measured", run, "--sensor", "lidar", "--free", "sensors.cam.noise.*"}, {"another sensor"});
  refused("path", {"--measured", run, "--free", "sensors.lidar.stddev"}, {"sensors.NAME.noise.MODEL.PARAMETER"});
  refused("no folder", {"--measured", folder_ / "none", "--free", "*"}, {"none: is not there"});
  refused("no images", {"--measured", folder_.path().string(), "--free", "*"}, {folder_.path().string()});
  refused("hold out", {"--measured", run, "--free", "*", "--hold-out", "1"}, {"--hold-out = 1"});
  refused("another scene", {"--measured", run, "--free", "*", "--set", "sensors.lidar.position_m=[1, 0, 1]"},
          {"clean_range_000000.npy", "differ from the scene"});
  refused("shape", {"--measured", run, "--free", "*", "--set", "sensors.lidar.columns=60"}, {"has the shape [16, 90]"});
  refused("beam",
          {"--measured", run, "--free", "*", "--set",
           "sensors.lidar.noise=[angular_ray: {axis: x, stddev_deg: 1}, angular_ray: {axis: y, stddev_deg: 1}, "
           "dropout: {probability: 0.1}]"},
          {"angular_ray turns the rays about x and about y"});
  refused("no noise", {"--measured", run, "--free", "*", "--set", "sensors.lidar.noise=[]"}, {"'lidar' has no noise"});
  expect_refused("file of --set",
                 {"score", "chain", file, "--measured", run, "--set", "sensors.lidar.noise=@none.yaml"}, {"none.yaml"},
                 out);
  const std::string list = write_text(folder_ / "list.yaml", "- distance: {stddev_m: -1}\n");
  expect_refused("value in that file", {"compare", "chain", file, list, "--measured", run},
                 {"list.yaml:1", "stddev_m = -1"}, out);
}

}  // namespace
}  // namespace cli_test

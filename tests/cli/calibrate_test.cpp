// SPDX-License-Identifier: MIT
// `fathom fit pairs` finds the noise that frames were simulated with, from the folder of the run and from CSV.

#include "process.hpp"

namespace cli_test {
namespace {

/// A long room with the camera or lidar given as YAML.
std::string scene_of(const std::string& sensor) {
  return "scene:\n  meshes:\n    room: {box: {size_m: [16, 6, 3]}}\n    ball: {sphere: {radius_m: 1}}\n  entities:\n"
         "    - {name: room, mesh: room, position_m: [0, 0, 1.5]}\n"
         "    - {name: ball, mesh: ball, position_m: [3, 0, 1]}\n"
         "sensors:\n" +
         sensor + "frames: 2\nseed: 3\n";
}

void expect_found(const json& found, const char* name, double truth) {
  const double error = found["parameters"][name]["std_error"];
  EXPECT_NEAR(found["parameters"][name]["value"].get<double>(), truth, 3.5 * error) << name;
  EXPECT_GT(error, 0) << name;
}

class Calibrate : public testing::Test {
 protected:
  /// The run's folder.
  std::string simulate(const std::string& sensor) {
    succeed({"simulate", write_text(folder_ / "scene.yaml", scene_of(sensor)), "--out", folder_ / "run"});
    return folder_ / "run";
  }
  /// `fathom fit pairs` of a run with min_energy 0.3 and pow 3.
  void expect_energy_found(const std::string& run) {
    const json found = calibrated({"energy", run, "--normalization", "threshold"});
    expect_found(found, "min_energy", .3);
    expect_found(found, "pow", 3);
  }
  /// `fathom fit pairs` of a run with mean 0.01 m and deviation 0.02 m + 0.004 of the range.
  json expect_distance_found(const std::string& run) {
    json found = calibrated({"distance", run});
    expect_found(found, "mean_m", .01);
    expect_found(found, "stddev_m", .02);
    expect_found(found, "stddev_per_m", .004);
    return found;
  }
  TemporaryFolder folder_;

 private:
  static json calibrated(const Words& arguments) {
    return json::parse(succeed(Words{"fit", "pairs", "--model"} + arguments + Words{"--json"}).out, nullptr, false);
  }
};

TEST_F(Calibrate, DistanceFromARun) {
  const std::string run = simulate(
      "  - name: lidar\n    preset: VLP-16\n    position_m: [-5, 0, 1]\n"
      "    noise: [{distance: {mean_m: 0.01, stddev_m: 0.02, stddev_per_m: 0.004}}, {dropout: {probability: 0.1}}]\n"
      "    outputs: [{npy: {channels: [range, clean_range]}}]\n");
  const json found = expect_distance_found(run);
  EXPECT_GT(found["details"]["skipped"].get<int>(), 1000);  // the dropouts
  EXPECT_EQ(found["blocks"]["count"], 2);                   // its frames
  EXPECT_GE(found["parameters"]["mean_m"]["std_error"].get<double>(),
            found["parameters"]["mean_m"]["naive_error"].get<double>());
  EXPECT_LT(found["parameters"]["mean_m"]["interval_95"][0].get<double>(),
            found["parameters"]["mean_m"]["value"].get<double>());
  const Ended table = run_fathom({"fit", "pairs", "--model", "distance", run, "--sensor", "lidar"});
  EXPECT_TRUE(contains(table.out, "- distance: {mean_m: 0.0"));
  const Ended quiet = succeed({"fit", "pairs", "--model", "distance", run, "--quiet"});
  EXPECT_EQ(count_lines(quiet.out), 5U) << quiet.out;  // the verdict, the head, and a parameter a line
  EXPECT_EQ(table.out.find(quiet.out), 0U) << quiet.out;
  EXPECT_EQ(quiet.err, "");
}

TEST_F(Calibrate, EnergyFromARun) {
  const std::string run = simulate(
      "  - name: camera\n    type: depth_camera\n    width: 320\n    height: 240\n    horizontal_fov_deg: 80\n"
      "    position_m: [-5, 0, 1.5]\n"
      "    noise: [{stereo_energy: {min_energy: 0.3, pow: 3, normalization: threshold}}]\n"
      "    outputs: [{npy: {channels: [energy, reason]}}]\n");
  expect_energy_found(run);
}

// Each loss has a separate reason, so other laws of loss do not disturb this one.
TEST_F(Calibrate, EnergyBesideOtherLosses) {
  const std::string run = simulate(
      "  - name: camera\n    type: stereo_camera\n    width: 320\n    height: 240\n    horizontal_fov_deg: 80\n"
      "    baseline_m: 0.1\n    min_range_m: 0.3\n    position_m: [-5, 0, 1.5]\n"
      "    noise:\n      - stereo_energy: {min_energy: 0.3, pow: 3, normalization: threshold}\n"
      "      - stereo_shadow: {}\n      - edge_loss: {min_angle_rad: 1.6, low_probability: 0.5, high_probability: 1}\n"
      "      - loss_angle: {max_incidence_deg: 85}\n      - dropout: {probability: 0.3}\n"
      "    outputs: [{npy: {channels: [energy, reason]}}]\n");
  expect_energy_found(run);
}

TEST_F(Calibrate, DistanceBesideWhatDoesNotMoveRanges) {
  const std::string run = simulate(
      "  - name: lidar\n    preset: VLP-16\n    position_m: [-5, 0, 1]\n"
      "    noise: [{distance: {mean_m: 0.01, stddev_m: 0.02, stddev_per_m: 0.004}}, {dropout: {probability: 0.1}},\n"
      "            {angular_hit: {axis: z, stddev_deg: 3}}, {loss_angle: {max_incidence_deg: 80}}]\n"
      "    outputs: [{npy: {channels: [range, clean_range]}}]\n");
  expect_distance_found(run);
}

TEST_F(Calibrate, NamesTheFileWhoseExpectedRangesAreWrong) {
  const std::string run = simulate(
      "  - name: lidar\n    preset: VLP-16\n    position_m: [-5, 0, 1]\n    noise: [{distance: {stddev_m: 0.02}}]\n"
      "    outputs: [{npy: {channels: [range, clean_range]}}]\n");
  const std::filesystem::path file = run + "/lidar/clean_range_000001.npy";
  const float below = -1.0F;
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  bytes.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) - sizeof(below)));
  bytes.write(reinterpret_cast<const char*>(&below), sizeof(below));
  bytes.close();
  EXPECT_TRUE(contains(refusal_of(run_fathom({"fit", "pairs", "--model", "distance", run})),
                       "lidar/clean_range_000001.npy: -1 m is expected where "));
}

/// Runs the chain and expects a refusal that names `part`.
class CalibrateRefuses : public Calibrate {
 protected:
  void expect_refused(const std::string& sensor, const Words& arguments, const std::string& part) {
    std::filesystem::remove_all(folder_ / "run");
    Words command = {"fit", "pairs", "--model", arguments.front(), simulate(sensor)};
    command.insert(command.end(), arguments.begin() + 1, arguments.end());
    const Ended ended = run_fathom(command);
    EXPECT_EQ(ended.exit_code, 2) << part << ": " << ended.out;
    EXPECT_EQ(count_lines(ended.err), 1U) << ended.err;
    EXPECT_TRUE(contains(ended.err, part)) << part << ": " << ended.err;
  }
};

TEST_F(CalibrateRefuses, RangesThatOtherModelsChanged) {
  const auto lidar = [](const std::string& noise, const std::string& more = "") {
    return "  - name: lidar\n    preset: VLP-16\n    columns: 90\n    position_m: [-5, 0, 1]\n" + more +
           "    noise: [" + noise + "]\n    outputs: [{npy: {channels: [range, clean_range]}}]\n";
  };
  const std::string distance = "{distance: {stddev_m: 0.02}}";
  expect_refused(lidar(distance + ", {angular_ray: {axis: z, stddev_deg: 0.1}}"), {"distance"}, "angular_ray");
  expect_refused(lidar("{uniform: {low_m: -0.01, high_m: 0.01}}, " + distance), {"distance"}, "uniform");
  expect_refused(lidar(distance + ", {gain_bias: {gain: 1e-3}}"), {"distance"}, "gain_bias");
  expect_refused(lidar(distance + ", {beam_mixture: {}}"), {"distance"}, "beam_mixture");
  expect_refused(lidar(distance + ", " + distance), {"distance"}, "distance is there twice");
  expect_refused(lidar("{distance: {stddev_m: 0.02, entities: {ball: {mean_m: 1}}}}"), {"distance"}, "entities");
  expect_refused(lidar("{distance: {stddev_m: 0.02, rings: {2: {mean_m: 1}}}}"), {"distance"}, "rings");
  expect_refused(lidar(distance, "    range_policy: clamp\n"), {"distance"}, "clamp");
}

TEST_F(CalibrateRefuses, EnergiesThatTheLawDoesNotDescribe) {
  const auto camera = [](const std::string& noise) {
    return "  - name: camera\n    type: stereo_camera\n    width: 64\n    height: 48\n    horizontal_fov_deg: 80\n"
           "    baseline_m: 0.1\n    position_m: [-5, 0, 1.5]\n    noise: [" +
           noise + "]\n    outputs: [{npy: {channels: [energy, reason]}}]\n";
  };
  const std::string energy = "{stereo_energy: {normalization: threshold}}";
  const Words threshold = {"energy", "--normalization", "threshold"};
  expect_refused(camera(energy), {"energy"}, "normalization is threshold, not document");
  expect_refused(camera(energy + ", " + energy), threshold, "stereo_energy is there twice");
  expect_refused(camera("{stereo_shadow: {}}"), threshold, "there is no stereo_energy");
  expect_refused(camera(energy + ", {beam_mixture: {}}"), threshold, "beam_mixture");
  expect_refused(camera("{stereo_energy: {normalization: threshold, entities: {ball: {pow: 2}}}}"), threshold,
                 "entities");
}

// The two examples of the help, on the scenes that are shipped.
TEST_F(Calibrate, TheExamplesOfTheHelpAreRight) {
  const std::string examples = std::string(FATHOM_SOURCE_DIR) + "/examples/";
  succeed({"simulate", examples + "06_stereo/stereo.yaml", "--out", folder_ / "stereo", "--set",
           "sensors.stereo.noise=[{stereo_energy: {min_energy: 0.18, pow: 14, normalization: threshold}}]"});
  const Ended energy =
      succeed({"fit", "pairs", "--model", "energy", folder_ / "stereo", "--normalization", "threshold", "--json"});
  expect_found(json::parse(energy.out), "min_energy", .18);
  expect_found(json::parse(energy.out), "pow", 14);

  succeed({"simulate", examples + "house/house.yaml", "--out", folder_ / "house", "--set", "sensors.lidar.outputs=[]",
           "--set", "sensors.camera.outputs=[]"});
  const Ended distance =
      succeed({"fit", "pairs", "--model", "distance", folder_ / "house", "--sensor", "laser", "--json"});
  expect_found(json::parse(distance.out), "stddev_m", .01 / 3);
  expect_found(json::parse(distance.out), "stddev_per_m", .02 / 15);
}

TEST_F(Calibrate, DistanceFromCsv) {
  // Deviations of one either way: mean and deviation are plain arithmetic.
  const Ended ended =
      succeed({"fit", "pairs", "--model", "distance", "--json",
               write_text(folder_ / "pairs.csv", "range_m,expected_m\n1.11,1\n1.09,1\n2.11,2\n2.09,2\n")});
  const json found = json::parse(ended.out);
  EXPECT_NEAR(found["parameters"]["mean_m"]["value"].get<double>(), .1, 1e-6);
  EXPECT_NEAR(found["parameters"]["stddev_m"]["value"].get<double>(), .01, 1e-6);
  EXPECT_EQ(found["details"]["pairs"], 4);
  EXPECT_EQ(found["blocks"]["of"], "pair");
  EXPECT_EQ(found["blocks"]["count"], 4);
}

TEST_F(Calibrate, DistanceFromCsvTakesScansTogether) {
  std::string text = "range_m,expected_m,scan\n";
  for (int scan = 0; scan < 30; ++scan) {
    for (int ray = 0; ray < 10; ++ray) {
      const double off_m = 0.01 * (scan % 3 - 1) + 0.002 * (ray % 2 == 0 ? 1 : -1);
      text += std::to_string(2.0 + off_m) + ",2," + std::to_string(scan) + "\n";
    }
  }
  const std::string csv = write_text(folder_ / "scans.csv", text);
  const auto learned = [&](const Words& more) {
    const Ended ended = succeed(Words{"fit", "pairs", "--model", "distance", csv, "--json"} + more);
    return json::parse(ended.out, nullptr, false);
  };
  const json by_scan = learned({"--stretches", "scan"}), stretches = learned({"--stretches", "25"});
  EXPECT_EQ(by_scan["blocks"]["count"], 30);
  EXPECT_EQ(by_scan["blocks"]["of"], "scan");
  EXPECT_EQ(stretches["blocks"]["count"], 25);
  EXPECT_EQ(stretches["blocks"]["of"], "stretch");
  const double error = by_scan["parameters"]["mean_m"]["std_error"],
               naive = by_scan["parameters"]["mean_m"]["naive_error"];
  // Means of scans deviate by 0.01 times the root of 2/3.
  EXPECT_NEAR(error, 0.01 * std::sqrt(20.0 / 29 / 30), 0.02 * error);
  EXPECT_GT(error, 2.5 * naive);
  const Ended table = run_fathom({"fit", "pairs", "--model", "distance", csv});
  EXPECT_TRUE(contains(table.out, "95 % interval"));
}

TEST_F(Calibrate, RefusesWhatItCannotUse) {
  const auto expect_refused = [&](const Words& arguments, const Words& parts) {
    const Ended ended = run_fathom(arguments);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_EQ(count_lines(ended.err), 1U) << ended.err;
    EXPECT_EQ(ended.out, "");
    for (const std::string& part : parts) EXPECT_TRUE(contains(ended.err, part)) << part << ": " << ended.err;
  };
  expect_refused({"fit", "pairs", "--model", "distance", folder_ / "gone.csv"}, {"gone.csv"});
  expect_refused({"fit", "pairs", "--model", "distance", write_text(folder_ / "a.csv", "range_m,expectd_m\n1,1\n")},
                 {"a.csv:1", "expectd_m", "expected_m"});
  expect_refused({"fit", "pairs", "--model", "distance", write_text(folder_ / "b.csv", "range_m,expected_m\n1,1\n1\n")},
                 {"b.csv:3"});
  expect_refused({"fit", "pairs", "--model", "energy", write_text(folder_ / "c.csv", "energy,lost\n0.5,2\n")},
                 {"c.csv", "lost = 2"});
  expect_refused({"fit", "pairs", "--model", "distance", write_text(folder_ / "e.csv", "expected_m,range_m\n1,1.01\n")},
                 {"e.csv: 1 pairs", "at least 3 are needed"});
  expect_refused({"fit", "pairs", "--model", "energy", write_text(folder_ / "f.csv", "energy,lost\n0.5,0\n")},
                 {"f.csv: 0 of 1 pixels were lost"});
  expect_refused({"fit", "pairs", "--model", "distance", folder_.path()}, {"summary.json"});
  const std::string plain = write_text(folder_ / "d.csv", "range_m,expected_m\n1,1\n1,1.1\n1,1.2\n");
  expect_refused({"fit", "pairs", "--model", "distance", plain, "--stretches", "scan"},
                 {"--stretches is for scans", "d.csv"});
  expect_refused({"fit", "pairs", "--model", "distance", plain, "--stretches", "0"}, {"--stretches", "0"});
  for (const std::string option : {"--gate", "--max-range"}) {
    expect_refused({"fit", "pairs", "--model", "distance", plain, option, "1"},
                   {option, "is for scans of a log or bag"});
  }
  expect_refused({"fit", "pairs", "--model", "distance", plain, "--sensor", "lidar"},
                 {"--sensor is of the folder of a run", "d.csv"});
  expect_refused({"fit", "pairs", "--model", "energy", plain, "--sensor", "lidar"},
                 {"--sensor is of the folder of a run", "d.csv"});
  const std::string run = simulate("  - {name: lidar, preset: VLP-16, noise: [], outputs: [pcd]}\n");
  expect_refused({"fit", "pairs", "--model", "distance", run}, {"clean_range"});
  expect_refused({"fit", "pairs", "--model", "distance", run, "--sensor", "ladar"}, {"ladar"});
}

}  // namespace
}  // namespace cli_test

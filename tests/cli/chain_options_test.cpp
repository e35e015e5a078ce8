// SPDX-License-Identifier: MIT
// Options of `fathom fit chain` and `fathom score chain` that do nothing to what was measured are refused, and what is
// learned is written without keys that do nothing.

#include "calibrate_chain.hpp"

namespace cli_test {
namespace {

/// A lidar, a laser that moves and a camera, three frames of each.
constexpr const char* kAllSensors = R"(sensors:
  - name: lidar
    type: spinning_lidar
    elevation_deg: [-8, 0, 8]
    columns: 90
    position_m: [-2, 0, 1]
    noise: [{dropout: {probability: 0.1}}]
    outputs: [pcd]
  - name: laser
    type: laser_2d
    rays: 31
    min_azimuth_deg: -60
    max_azimuth_deg: 60
    position_m: [-2, 0, 1]
    noise: [{dropout: {probability: 0.1}}]
    outputs: [{npy: {channels: [range]}}, scan_log]
  - name: cam
    type: stereo_camera
    width: 32
    height: 24
    fx: 24
    baseline_m: 0.1
    position_m: [-2, 0, 1]
    noise: [{texture_loss: {midpoint: 0.01}}, {dropout: {probability: 0.1, correlation: {time_s: 1}}}]
    outputs: [depth_png, {npy: {channels: [depth]}}]
frames: 3
seed: 3
)";

struct Ignored {
  std::string sensor, measured;
  Words options;
  std::string why;
};

TEST_F(CalibrateChain, OptionsThatWouldDoNothingAreRefused) {
  const std::string file = scene(kAllSensors), run = simulated(file, "run");
  const std::string clouds = run + "/lidar", csv = run + "/laser/scans.csv", images = run + "/cam";
  const std::string no_log = "is for a log, and this is a ", no_images = "is for 16-bit images, and this is a ",
                    no_files = "--files is for a folder of depth images or clouds, and this is a ";
  const std::vector<Ignored> all = {
      {"lidar", clouds, {"--scans", "odd"}, "--scans " + no_log + "folder of clouds; --files says"},
      {"lidar", clouds, {"--max-range", "5"}, "--max-range " + no_log + "folder of clouds"},
      {"lidar", clouds, {"--step", "0.01"}, "--step " + no_log + "folder of clouds"},
      {"lidar", clouds, {"--laser", "FLASER"}, "--laser " + no_log + "folder of clouds"},
      {"lidar", clouds, {"--ray-angle", "1"}, "--ray-angle " + no_log + "folder of clouds"},
      {"lidar", clouds, {"--mount", "1,0,0"}, "--mount " + no_log + "folder of clouds"},
      {"lidar", clouds, {"--levels-per-m", "1000"}, "--levels-per-m " + no_images + "folder of clouds"},
      {"laser", run, {"--scans", "odd"}, "--scans " + no_log + "run"},
      {"laser", run, {"--laser", "FLASER"}, "--laser " + no_log + "run"},
      {"laser", run, {"--max-range", "5"}, "--max-range " + no_log + "run; the scene says how far"},
      {"laser", run, {"--step", "0.01"}, "--step " + no_log + "run"},
      {"laser", run, {"--levels-per-m", "1000"}, "--levels-per-m " + no_images + "run"},
      {"laser", run, {"--files", "*.npy"}, no_files + "run"},
      {"laser", csv, {"--levels-per-m", "1000"}, "--levels-per-m " + no_images + "log"},
      {"laser", csv, {"--files", "*.csv"}, no_files + "log"},
      {"cam", images, {"--scans", "odd"}, "--scans " + no_log + "folder of depth images; --files says"},
      {"cam", images, {"--max-range", "5"}, "--max-range " + no_log + "folder of depth images"},
      {"cam", images, {"--step", "0.01"}, "--step " + no_log + "folder of depth images"},
      {"cam",
       images,
       {"--levels-per-m", "1000"},
       "depth_000000.npy: --levels-per-m is for 16-bit images, and this one has metres"},
      {"laser", csv, {"--angle-scale", "0.01"}, "--angle-scale is for chains with angular_ray"},
      {"lidar", clouds, {"--angle-scale", "0.01"}, "sensor 'lidar': --angle-scale is for chains with angular_ray"},
  };
  for (const Ignored& one : all) {
    for (const bool learns : {true, false}) {
      Words arguments = {learns ? "fit" : "score", "chain", file, "--measured", one.measured, "--sensor", one.sensor};
      if (learns) arguments = arguments + Words{"--free", "*", "--out", folder_ / "out"};
      expect_refused(one.sensor + " " + one.options[0], arguments + one.options, {one.why}, folder_ / "out");
    }
  }
  // What was given as it would be without does no harm, and an option that is of use is taken.
  succeed({"score", "chain", file, "--measured", clouds, "--sensor", "lidar", "--scans", "all", "--files",
           "*_00000[02].pcd"});
  succeed({"score", "chain", file, "--measured", images, "--sensor", "cam", "--files", "depth*.png", "--levels-per-m",
           "1000"});
}

TEST_F(CalibrateChain, WhatIsWrittenIsReadWithoutAWordOnKeysThatDoNothing) {
  const std::string file = scene(kAllSensors), run = simulated(file, "run"), out = folder_ / "fit";
  succeed({"fit", "chain", file, "--measured", run, "--sensor", "cam", "--free", "dropout.*", "--out", out});
  const Ended again =
      succeed({"simulate", file, "--set", "sensors.cam.noise=@" + out + "/noise.yaml", "--out", folder_ / "again"});
  EXPECT_FALSE(contains((again.out + again.err), "has no effect")) << again.out << again.err;
}

}  // namespace
}  // namespace cli_test

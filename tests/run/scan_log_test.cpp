// SPDX-License-Identifier: MIT
// Logs of a simulated planar laser, read back; and the closed loop: learning finds the simulated parameters in the
// files.

#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/pattern.hpp>

#include "fit/beam/synthetic.hpp"
#include "run/scene_fixture.hpp"

namespace fathom::test::scan_log_test {
namespace {

/// A laser that drives through a room of 10 m x 6 m with a box in it, 0.4 m above the floor.
const std::string kLaserScene = R"(frames: 60
rate_hz: 10
seed: 5
sensors:
  - name: laser
    type: laser_2d
    rays: 181
    min_azimuth_deg: -90
    max_azimuth_deg: 90
    min_range_m: 0
    max_range_m: 8
    noise: []
    outputs: [scan_log, npy]
    motion:
      keyframes:
        - {time_s: 0, position_m: [-4, -2, 0.4]}
        - {time_s: 3, position_m: [0, 2, 0.4], rpy_deg: [0, 0, 80]}
        - {time_s: 6, position_m: [4, -2, 0.4], rpy_deg: [0, 0, 200]}
scene:
  meshes:
    box: {box: {size_m: [1, 1, 1]}}
  entities:
    - {name: room, mesh: box, scale: [10, 6, 3]}
    - {name: crate, mesh: box, position_m: [1, 0.5, 0.3]}
)";

SceneSetup scene_with(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_scene_text(text, "scene.yaml", overrides);
}

RunOptions log_into(const std::filesystem::path& out) {
  RunOptions options;
  options.out = out;
  return options;
}

using SimulatedScanLog = InFolder;

TEST_F(SimulatedScanLog, HoldsThePosesTheRaysAndTheReadings) {
  const SceneSetup setup = scene_with(kLaserScene);
  const RunResult result = run_scene(setup, log_into(folder / "out"));
  const ScanLog log = read_scan_log(folder / "out" / "laser" / "scans.csv");
  ASSERT_EQ(log.scans(), 60U);
  ASSERT_EQ(log.rays(), 181U);
  for (std::size_t k = 0; k < 181; ++k) {
    EXPECT_NEAR(log.azimuth_rad[k], (static_cast<double>(k) - 90) * kRadPerDeg, 1e-6);
  }
  Simulator simulator(setup.scene, {.seed = 5, .rate_hz = 10});
  const SensorId id = simulator.add_sensor(setup.sensors[0].sensor);
  Frame frame({Channel::kRange, Channel::kReason});
  std::size_t misses = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    simulator.render(id, i, frame);
    const Pose pose = simulator.world_from_sensor(id, simulator.stamp_s(i));
    EXPECT_EQ(log.pose[i].x_m, pose.translation_m.x);
    EXPECT_EQ(log.pose[i].y_m, pose.translation_m.y);
    EXPECT_NEAR(norm(rotate(pose.rotation, {1, 0, 0}) - rotate(log.pose[i].at_height().rotation, {1, 0, 0})), 0, 1e-12);
    for (std::size_t k = 0; k < 181; ++k) {
      if (frame.reason()[k] == Reason::kHit) {
        ASSERT_EQ(log.scan(i)[k], frame.range_m()[k]);
      } else {
        ASSERT_TRUE(std::isinf(log.scan(i)[k])) << "a surface beyond 8 m is a reading without a return";
        ++misses;
      }
    }
  }
  EXPECT_GT(misses, 0U);
  const auto summary = nlohmann::json::parse(test::bytes_of(folder / "out" / "summary.json"));
  EXPECT_EQ(summary["files"].back(), "laser/scans.csv");
  EXPECT_EQ(result.files.size(), summary["files"].size() + 1);
}

TEST_F(SimulatedScanLog, TooNearIsNoEvidence) {
  run_scene(scene_with(kLaserScene, {"sensors.laser.min_range_m=2"}), log_into(folder / "out"));
  const ScanLog log = read_scan_log(folder / "out" / "laser" / "scans.csv");
  std::size_t near = 0;
  for (const float z : log.range_m) {
    near += std::isnan(z);
    ASSERT_FALSE(z < 2);
  }
  EXPECT_GT(near, 0U);
}

TEST_F(SimulatedScanLog, NothingIsWrittenForASensorThatIsNotPlanarOrLevel) {
  const auto refusal = [&](const std::string& text) {
    const std::string message = test::input_error([&] { run_scene(scene_with(text), log_into(folder / "out")); });
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
    return message;
  };
  EXPECT_EQ(refusal(test::replaced(test::kScene, "outputs: [pcd, range_image]", "outputs: [scan_log]")),
            "scene.yaml:5:5: sensor 'lidar': a scan_log needs rays in one plane from one point, as of laser_2d");
  EXPECT_EQ(refusal(test::replaced(kLaserScene, "rpy_deg: [0, 0, 200]", "rpy_deg: [0, 2, 200]")),
            "scene.yaml:5:5: sensor 'laser': a scan_log needs level poses, but the one at 3.1 s is tilted");
}

TEST_F(SimulatedScanLog, ParametersThatWereSimulatedAreLearnedFromTheFiles) {
  const BeamParameters truth = {.72, .13, .05, .10, .08, .6};
  for (const char* miss : {"book", "atom"}) {
    const TemporaryFolder folder;
    const std::string noise = std::string("noise: [beam_mixture: {w_hit: 0.72, w_short: 0.13, w_max: 0.05, w_rand: ") +
                              "0.1, sigma_hit_m: 0.08, lambda_short_per_m: 0.6, miss: " + miss + "}]";
    const SceneSetup setup = scene_with(test::replaced(kLaserScene, "noise: []", noise));
    run_scene(setup, log_into(folder / "out"));
    const ScanLog log = read_scan_log(folder / "out" / "laser" / "scans.csv");
    const auto expected = make_scene_ranges(setup.scene, {.pose_from_sensor = {{0, 0, 0.4}, {}}});
    const BeamData data = make_beam_data(log, select_scans("all", log.scans()), *expected, 8.0);
    const BeamSensor sensor = {.max_range_m = 8,
                               .expected_floor_m = expected->floor_m(),
                               .miss = miss == std::string("atom") ? MissPolicy::kAtom : MissPolicy::kBook};
    const BeamFit fit = fit_beam_model(data, sensor, {.compute = {.threads = 1}});
    SCOPED_TRACE(miss);
    expect_near_truth(fit, truth, 4);
    EXPECT_LT(judge_beam_model(truth, sensor, data).ks_distance, 2.3 / std::sqrt(static_cast<double>(fit.readings)));
  }
}

}  // namespace
}  // namespace fathom::test::scan_log_test

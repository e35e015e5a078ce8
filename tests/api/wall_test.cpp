// SPDX-License-Identifier: MIT
// A program learns the noise of its sensor from a wall, and writes the results.

#include <fathom/fit/reports.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

TEST(WallApi, LearnsFromFramesInMemoryAndWritesAFolder) {
  WallSensor sensor{.rows = 48, .cols = 64};
  sensor.camera = WallSensor::Camera{40.0, 40.0, 31.5, 23.5, 0.1};
  sensor.max_range_m = 10.0;
  std::vector<WallMeasure::Plane> planes(24);
  for (std::size_t k = 0; k < planes.size(); ++k) {
    planes[k].is_found = true, planes[k].distance_m = 0.7 + 0.05 * static_cast<double>(k);
  }
  WallFrames frames = simulate_wall(sensor, planes, {Disparity{.stddev_px = 0.08F}}, {.seed = 3});
  for (const WallMeasure::Plane& plane : planes) frames.tape_m.push_back(plane.distance_m);
  const WallOptions options{.most_returns = 5000};
  validate(options);
  const WallReport report = make_wall_report(frames, options, "memory");
  EXPECT_NEAR(report.simulated.deviation, report.fit.measure.deviation, 0.01);
  EXPECT_FALSE(report.findings().empty());
  EXPECT_TRUE(report.fit.correlation.correlation().is_white());
  EXPECT_TRUE(contains(report.sensor_yaml(), "type: stereo_camera"));
  const TemporaryFolder folder;
  check_result_folder(ResultKind::kWall, folder / "out", false);
  report.write(folder / "out");
  for (const std::filesystem::path& file : result_files(ResultKind::kWall, folder / "out"))
    EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_TRUE(contains(report.text(ReportForm::kJson), "\"is_exact\""));
}

TEST(WallApi, ScansOfALogAreFrames) {
  ScanLog log;
  for (int i = -40; i <= 40; ++i) log.azimuth_rad.push_back(0.02 * i);
  for (std::size_t k = 0; k < 3; ++k) {
    log.pose.emplace_back();
    for (const double azimuth : log.azimuth_rad) log.range_m.push_back(static_cast<float>(2.0 / std::cos(azimuth)));
  }
  const WallFrames frames =
      wall_frames_of_log(log, {.sector_rad = std::array{-0.5, 0.5}, .distances = wall_distances("0:2=2,scan 2=2.5")});
  EXPECT_EQ(frames.tape_m, (std::vector<double>{2.0, 2.0, 2.5}));
  const WallMeasure measure = measure_wall(frames);
  EXPECT_NEAR(measure.planes[2].distance_m, 2.0, 1e-5);
  EXPECT_EQ(measure.readings, 3U * 51U);
}

}  // namespace
}  // namespace fathom::test

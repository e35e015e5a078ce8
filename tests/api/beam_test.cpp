// SPDX-License-Identifier: MIT
// The beam model as a program uses it that has maps and logs in memory.

#include <fathom/fit/beam.hpp>

#include <fathom/noise/noise.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/pattern.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr BeamParameters kTruth = {0.8, 0.1, 0.04, 0.06, 0.05, 0.5};
constexpr double kFarthestM = 15.0;

/// A room of 8 m x 6 m in cells of 0.1 m.
GridMap make_room() {
  GridMap map;
  map.rows = 60, map.cols = 80, map.resolution_m = 0.1;
  map.cells.assign(60 * 80, Cell::kFree);
  for (std::uint32_t r = 0; r < map.rows; ++r) {
    for (std::uint32_t c = 0; c < map.cols; ++c) {
      if (r == 0 || c == 0 || r + 1 == map.rows || c + 1 == map.cols) map.cells[r * map.cols + c] = Cell::kOccupied;
    }
  }
  return map;
}

class RoomLog : public testing::Test {
 protected:
  RoomLog() {
    for (int i = 0; i < 60; ++i) log_.azimuth_rad.push_back(i * std::numbers::pi / 30);
    const RayFan fan = RayFan::planar(log_.azimuth_rad);
    std::vector<float> expected_m(fan.size()), reading_m(fan.size());
    for (std::uint32_t scan = 0; scan < 200; ++scan) {
      const PlanarPose pose = {2.0 + 0.02 * scan, 3.0, 0.01 * scan};
      const Pose world_from_sensor = pose.at_height();
      ranges_->cast({&world_from_sensor, 1}, fan, kFarthestM, expected_m);
      sample_scan(kTruth, sensor_, beam_key(5, scan), expected_m, reading_m);
      log_.pose.push_back(pose);
      log_.range_m.insert(log_.range_m.end(), reading_m.begin(), reading_m.end());
    }
    log_.max_range_m = kFarthestM;
  }

  GridMap map_ = make_room();
  std::unique_ptr<ExpectedRanges> ranges_ = make_grid_ranges(map_);
  BeamSensor sensor_ = {.max_range_m = kFarthestM};
  ScanLog log_;
  TemporaryFolder folder_;
};

TEST_F(RoomLog, IsLearnedFromAndJudged) {
  validate(log_);
  validate(sensor_);
  const BeamData learn = make_beam_data(log_, select_scans("odd", log_.scans()), *ranges_, kFarthestM);
  const BeamFit fit = fit_beam_model(learn, sensor_);
  EXPECT_TRUE(fit.converged);
  // 6000 readings: five standard errors.
  EXPECT_NEAR(fit.model.w_hit, kTruth.w_hit, 5 * fit["w_hit"].std_error);
  EXPECT_NEAR(fit.model.sigma_hit_m, kTruth.sigma_hit_m, 5 * fit["sigma_hit_m"].std_error);
  const BeamData rest = make_beam_data(log_, select_scans("even", log_.scans()), *ranges_, kFarthestM);
  EXPECT_LT(judge_beam_model(fit.model, sensor_, rest).ks_distance, 0.05);

  const BeamModel model = {.parameters = fit.model, .sensor = sensor_};
  model.write(folder_ / "parameters.yaml");
  EXPECT_EQ(BeamModel::read(folder_ / "parameters.yaml").parameters, fit.model);
}

TEST_F(RoomLog, IsWrittenAndRead) {
  write_text_file(folder_ / "log.csv", log_.csv());
  const ScanLog read = read_scan_log(folder_ / "log.csv");
  EXPECT_EQ(read.range_m, log_.range_m);
  EXPECT_EQ(read.max_range_m, kFarthestM);
  EXPECT_EQ(suspected_no_return_m(read, 2 * kFarthestM), kFarthestM) << "4 of 100 readings say so";
  EXPECT_EQ(suspected_no_return_m(read, kFarthestM), 0.0);
  const auto pairs = folder_.write("pairs.csv", "range_m,expected_m,scan\n1,1.5,0\n2,2.5,4\n");
  EXPECT_EQ(read_beam_pairs(pairs).scan, (std::vector<std::uint32_t>{0, 4}));
}

TEST_F(RoomLog, ScoresBestWhereItWasMade) {
  const RayFan fan = RayFan::planar(log_.azimuth_rad).every(1);
  ASSERT_EQ(fan.every(7).size(), 9U);
  ScanScorer scorer(kTruth, sensor_, *ranges_, fan);
  const std::vector<Pose> places = {log_.pose[50].at_height(), PlanarPose{5, 4, 1}.at_height()};
  std::vector<double> scores(2);
  scorer.score(places, log_.scan(50), scores);
  EXPECT_GT(scores[0], scores[1]);
  EXPECT_GT(scorer.bytes(), 0U);
}

/// The room looks the same after half a turn, so the program says which half of it the sensor is in.
TEST_F(RoomLog, IsFoundInTheMap) {
  const PlanarPose truth = log_.pose[50];
  const RayFan fan = RayFan::planar(log_.azimuth_rad);
  std::vector<float> reading_m(log_.scan(50).begin(), log_.scan(50).end());
  reading_m[0] = std::nanf("");
  PositionGrid grid = free_positions(map_, 0.3);
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t col = 0; col < grid.cols; ++col) {
      if (grid.position(row, col).x_m > 4) grid.wanted[row * grid.cols + col] = 0;
    }
  }
  HeatmapOptions options;
  options.headings = 90;
  const Heatmap heatmap = make_heatmap(kTruth, sensor_, *ranges_, fan, reading_m, grid, options);
  ASSERT_EQ(heatmap.log_likelihood.size(), grid.wanted.size());
  for (std::size_t i = 0; i < grid.wanted.size(); ++i) {
    EXPECT_EQ(std::isfinite(heatmap.log_likelihood[i]), grid.wanted[i] == 1) << i;
    EXPECT_FALSE(heatmap.log_likelihood[i] > heatmap.best_log_likelihood) << i;
  }
  // 60 readings that are off by 0.05 m: five standard errors.
  EXPECT_NEAR(heatmap.refined.x_m, truth.x_m, 0.06);
  EXPECT_NEAR(heatmap.refined.y_m, truth.y_m, 0.06);
  EXPECT_NEAR(heatmap.refined.yaw_rad, truth.yaw_rad, 0.03);
  EXPECT_GT(heatmap.refined_log_likelihood, heatmap.best_log_likelihood) << "the scan was made between positions";
  ScanScorer scorer(kTruth, sensor_, *ranges_, fan);
  const Pose refined = heatmap.refined.at_height();
  double score = 0.0;
  scorer.score({&refined, 1}, reading_m, {&score, 1});
  EXPECT_NEAR(score, heatmap.refined_log_likelihood, 1e-4);

  EXPECT_EQ(heatmap.rays, 59U) << "a NaN is no evidence";
}

/// The walls of a map are the map.
TEST_F(RoomLog, SeesTheSameInMapAndScene) {
  Scene scene;
  Entity walls;
  walls.name = "walls";
  walls.mesh = scene.add_mesh(make_walls(map_, 2.0));
  scene.add_entity(walls);
  const auto in_scene = make_scene_ranges(scene, {.pose_from_sensor = Pose{{0, 0, 1}, {}}});
  Laser2d laser;
  laser.rays = 33, laser.min_azimuth_rad = -1.5, laser.max_azimuth_rad = 1.5;
  const RayFan fan = RayFan::of(make_pattern(laser));
  ASSERT_EQ(fan.size(), 33U);
  std::vector<float> a(fan.size()), b(fan.size());
  const Pose pose = PlanarPose{3.33, 2.22, 0.3}.at_height();
  ranges_->cast({&pose, 1}, fan, kFarthestM, a);
  in_scene->cast({&pose, 1}, fan, kFarthestM, b);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4) << i;
}

/// Its density integrates to 1 with the mass at the end, and the noise model takes the same parameters.
TEST(BeamDensityTest, IsADensity) {
  const BeamDensity density(kTruth, {.max_range_m = kFarthestM}, 4.0);
  double sum = 0.0;
  const double step_m = 1e-3;
  for (double z = step_m / 2; z < kFarthestM; z += step_m) sum += density.density(z) * step_m;
  EXPECT_NEAR(sum + kTruth.w_max, 1.0, 1e-4);
  EXPECT_NEAR(density.cdf(density.quantile(0.3)), 0.3, 1e-9);
  validate(BeamMixture{});
}

}  // namespace
}  // namespace fathom::test

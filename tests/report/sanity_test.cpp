// SPDX-License-Identifier: MIT
// What is wrong with a log is said in words, with what to do; of a log that is in order nothing is said.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fathom/beam/log.hpp>

#include "beam/files.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

/// 12 m x 8 m in cells of 10 cm: walls around, a wall and a block inside that no turn or mirror leaves as they are.
/// `open`: the wall to the east is missing, and rays through there meet nothing.
GridMap hall(bool open = false) {
  GridMap map;
  map.rows = 80, map.cols = 120;
  map.resolution_m = 0.1;
  map.cells.assign(std::size_t{map.rows} * map.cols, Cell::kFree);
  for (std::uint32_t r = 0; r < map.rows; ++r) {
    for (std::uint32_t c = 0; c < map.cols; ++c) {
      const bool wall = r == 0 || r == 79 || c == 0 || (c == 119 && !open);
      const bool inside = (c == 75 && r < 30) || (r > 50 && r < 58 && c > 15 && c < 40);
      if (wall || inside) map.cells[std::size_t{r} * map.cols + c] = Cell::kOccupied;
    }
  }
  return map;
}

/// A cabin of 4 m x 3 m that stands free in a hall, nearer to its south wall.
GridMap cabin() {
  GridMap map = hall();
  for (std::uint32_t r = 1; r < 79; ++r) {
    for (std::uint32_t c = 1; c < 119; ++c) {
      const bool within = r >= 6 && r <= 36 && c >= 20 && c <= 60;
      const bool wall = within && (r == 6 || r == 36 || c == 20 || c == 60);
      map.cells[std::size_t{r} * map.cols + c] = wall ? Cell::kOccupied : Cell::kFree;
    }
  }
  return map;
}

GridMap upside_down(GridMap map) {
  for (std::uint32_t r = 0; r < map.rows / 2; ++r) {
    const auto low = map.cells.begin() + static_cast<std::ptrdiff_t>(r * map.cols);
    const auto high = map.cells.begin() + static_cast<std::ptrdiff_t>((map.rows - 1 - r) * map.cols);
    std::swap_ranges(low, low + static_cast<std::ptrdiff_t>(map.cols), high);
  }
  return map;
}

constexpr BeamParameters kTruth = {.80, .08, .04, .08, .06, .6};

BeamModel model_of(const BeamParameters& parameters, double max_range_m = 14) {
  BeamModel model;
  model.parameters = parameters;
  model.sensor = {.max_range_m = max_range_m, .expected_floor_m = 0.05};
  return model;
}

/// 120 scans of 121 rays along a way through the hall.
ScanLog drive(const BeamModel& model, const World& world) {
  std::vector<PlanarPose> poses;
  for (int i = 0; i < 120; ++i) poses.push_back({1.5 + 0.045 * i, 3.4 + 0.6 * std::sin(0.1 * i), 0.21 * i});
  return sample_log(model, world, poses, even_azimuths_rad(121, 240), 5, {.threads = 1});
}

/// As many within the cabin.
ScanLog drive_in_cabin(const BeamModel& model, const World& world) {
  std::vector<PlanarPose> poses;
  for (int i = 0; i < 120; ++i) poses.push_back({3.0 + 0.015 * i, 2.1 + 0.5 * std::sin(0.1 * i), 0.21 * i});
  return sample_log(model, world, poses, even_azimuths_rad(121, 240), 5, {.threads = 1});
}

FitLogOptions options() {
  FitLogOptions how;
  how.compute.threads = 1;
  return how;
}

/// The flag that has these words; empty: there is none.
std::string flag_with(const FitReport& report, std::string_view words) {
  for (const std::string& flag : report_flags(report)) {
    if (flag.find(words) != std::string::npos) return flag;
  }
  return "";
}

TEST(Sanity, OfALogInOrderNothingIsSaid) {
  const World world = World::from_map(hall());
  const FitReport report = fit_log(drive(model_of(kTruth), world), world, options());
  EXPECT_EQ(report.sanity, std::vector<std::string>{});
}

TEST(Sanity, AMapOfAnotherPlaceIsNamed) {
  const World within = World::from_map(cabin());
  const ScanLog in_cabin = drive_in_cabin(model_of(kTruth), within);
  EXPECT_EQ(flag_with(fit_log(in_cabin, within, options()), "another place"), "");
  const FitReport flipped = fit_log(in_cabin, World::from_map(upside_down(cabin())), options());
  EXPECT_NE(flag_with(flipped, "the map is of another place, or lies elsewhere than the log says"), "")
      << flipped.fit.parameters.w_short << ' ' << flipped.fit.parameters.sigma_hit_m;
  // A room twice as large: most readings are short.
  const World world = World::from_map(hall());
  const ScanLog log = drive(model_of(kTruth), world);
  GridMap large = hall();
  large.resolution_m = 0.2;
  large.world_from_map = {-8, -6, 0};
  const FitReport far = fit_log(log, World::from_map(large), options());
  EXPECT_EQ(flag_with(far, "the map is of another place").find("w_short is 0."), 0U)
      << far.fit.parameters.w_short << ' ' << far.fit.parameters.sigma_hit_m;
}

TEST(Sanity, AMapThatExplainsLittleIsNamed) {
  constexpr BeamParameters kScattered = {.30, .05, .04, .61, .06, .6};
  const World world = World::from_map(hall());
  const FitReport report = fit_log(drive(model_of(kScattered), world), world, options());
  EXPECT_EQ(flag_with(report, "the map is of another place").find("w_rand is 0.59, above 0.5"), 0U)
      << report.fit.parameters.w_rand << ' ' << report.fit.parameters.w_short;
}

/// The log writes 81.91 where nothing comes back, and says that the sensor measures up to 100 m.
ScanLog coded(ScanLog log) {
  for (float& reading : log.range_m) {
    if (reading >= 14.0F) reading = 81.91F;
  }
  log.max_range_m = 100;
  return log;
}

TEST(Sanity, ACodeForNoReturnIsNamedAndCanBeTaken) {
  const World world = World::from_map(hall());
  const ScanLog log = coded(drive(model_of(kTruth), world));
  const FitReport missed = fit_log(log, world, options());
  const std::string flag = flag_with(missed, "many readings are 81.91 m");
  EXPECT_NE(flag.find("give max_range_m 81.82, or let it be found (--max-range auto)"), std::string::npos) << flag;
  EXPECT_LT(missed.fit.parameters.w_max, 1e-6);

  FitLogOptions automatic = options();
  automatic.auto_max_range = true;
  const FitReport found = fit_log(log, world, automatic);
  EXPECT_DOUBLE_EQ(found.model.sensor.max_range_m, 81.82);
  EXPECT_NEAR(found.fit.parameters.w_max, kTruth.w_max, 4 * found.fit.std_error.w_max);
  EXPECT_EQ(flag_with(found, "many readings"), "");
}

TEST(Sanity, ZerosForNoReturnAreNamed) {
  const World world = World::from_map(hall());
  ScanLog log = drive(model_of(kTruth), world);
  for (float& reading : log.range_m) {
    if (reading >= 14.0F) reading = 0.0F;
  }
  log.max_range_m = 14;
  const std::string flag = flag_with(fit_log(log, world, options()), "of the readings are 0 m");
  EXPECT_NE(flag.find("give min_range_m 0.001 (--min-range 0.001)"), std::string::npos) << flag;
  FitLogOptions told = options();
  told.min_range_m = 0.001;
  const FitReport report = fit_log(log, world, told);
  EXPECT_EQ(flag_with(report, "are 0 m"), "");
  EXPECT_NEAR(report.fit.parameters.w_short, kTruth.w_short / (1 - kTruth.w_max), 4 * report.fit.std_error.w_short);
}

TEST(Sanity, WithoutACodeTheMaximumRangeIsTheLogs) {
  const World world = World::from_map(hall());
  ScanLog log = drive(model_of(kTruth), world);
  for (float& reading : log.range_m) {  // none comes back without a range, and none piles up
    if (reading >= 14.0F) reading = std::numeric_limits<float>::infinity();
  }
  FitLogOptions automatic = options();
  automatic.auto_max_range = true;
  EXPECT_EQ(fit_log(log, world, automatic).model.sensor.max_range_m, 14);
  log.max_range_m = 0;
  log.name = "some.log";
  EXPECT_EQ(test::input_error([&] { fit_log(log, world, automatic); }),
            "some.log: has no value beyond all others that many readings have, and does not say how far its sensor "
            "measures; give max_range_m");
}

TEST(Sanity, PairsHaveTheirCodesToo) {
  const World world = World::from_map(hall());
  const ScanLog log = coded(drive(model_of(kTruth), world));
  const BeamData pairs = make_beam_data(log, select_scans("all", log.scans()), world, 100);
  FitLogOptions how = options();
  how.max_range_m = 100;
  EXPECT_NE(flag_with(fit_pairs(pairs, how), "many readings are 81.91 m"), "");
  how.max_range_m.reset(), how.auto_max_range = true;
  const FitReport found = fit_pairs(pairs, how);
  EXPECT_DOUBLE_EQ(found.model.sensor.max_range_m, 81.82);
  EXPECT_EQ(flag_with(found, "many readings"), "");
}

TEST(Sanity, HitsWhereTheMapExpectsNothingAreNamed) {
  const World world = World::from_map(hall(true));
  BeamModel model = model_of(kTruth);
  model.sensor.miss = MissPolicy::kAtom;
  const ScanLog log = drive(model, world);
  const FitReport book = fit_log(log, world, options());
  EXPECT_NE(flag_with(book, "use miss: atom (--miss atom)"), "") << book.fit.parameters.w_max;
  FitLogOptions atom = options();
  atom.miss = MissPolicy::kAtom;
  EXPECT_EQ(flag_with(fit_log(log, world, atom), "miss: atom"), "");
}

TEST(Sanity, TailsHeavierThanTheModelsAreNamed) {
  const World world = World::from_map(hall());
  BeamParameters heavy = {.90, .03, .04, .03, .04, .6};
  heavy.tail = {HitLaw::kStudentT, 1.5, 0};
  const ScanLog log = drive(model_of(heavy), world);
  const FitReport book = fit_log(log, world, options());
  EXPECT_NE(flag_with(book, "its tails are too light; learn with hit: student_t (--hit student_t)"), "");
  FitLogOptions student = options();
  student.hit = HitLaw::kStudentT;
  EXPECT_EQ(flag_with(fit_log(log, world, student), "tails"), "");
}

TEST(Sanity, PosesThatAreNotExactAreNamed) {
  const World world = World::from_map(hall());
  BeamParameters sharp = kTruth;
  sharp.sigma_hit_m = .03;
  ScanLog log = drive(model_of(sharp), world);
  EXPECT_EQ(flag_with(fit_log(log, world, options()), "poses"), "");
  for (std::size_t i = 0; i < log.scans(); ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0, part = 0.2 + 0.8 * static_cast<double>(i % 5) / 4.0;
    log.pose[i].x_m += sign * 0.1 * part;
    log.pose[i].y_m -= 0.08 * part * (i % 3 == 0 ? 1.0 : -1.0);
    log.pose[i].yaw_rad += sign * 1.0 * kRadPerDeg * part;
  }
  const FitReport spoilt = fit_log(log, world, options());
  EXPECT_NE(flag_with(spoilt, "learn them, too (--refine-poses)"), "");
  FitLogOptions unasked = options();
  unasked.check_poses = false;
  EXPECT_EQ(flag_with(fit_log(log, world, unasked), "--refine-poses"), "");
}

TEST(Sanity, FlagsAreInTheFilesOfAFit) {
  const World world = World::from_map(hall());
  const FitReport report = fit_log(coded(drive(model_of(kTruth), world)), world, options());
  ASSERT_FALSE(report.sanity.empty());
  const test::TemporaryFolder folder;
  write_fit(folder.path() / "fit", report);
  const auto json = nlohmann::json::parse(test::bytes_of(folder.path() / "fit/fit.json"));
  const std::string page = test::bytes_of(folder.path() / "fit/report.html");
  for (const std::string& flag : report.sanity) {
    EXPECT_NE(std::find(json["flags"].begin(), json["flags"].end(), flag), json["flags"].end()) << flag;
    EXPECT_NE(page.find("<li>" + flag + "</li>"), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace fathom

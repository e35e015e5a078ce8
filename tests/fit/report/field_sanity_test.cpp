// SPDX-License-Identifier: MIT
// What is wrong where a likelihood field was learned is said in words; of a log that is in order nothing is said.

#include <fathom/core/random.hpp>

#include "fit/beam/likelihood_field.hpp"
#include "fit/report/sanity.hpp"
#include "fit/report/synthetic_report.hpp"
#include "report/report.hpp"

namespace fathom::test::field_sanity_test {
namespace {

constexpr std::string_view kWrongMap = "the map is of another place, or lies elsewhere than the log says";

constexpr std::string_view kElsewhereIs = "the map lies elsewhere than the log says";

/// Walls of one cell around 12 m x 8 m in cells of 5 cm, and `inside` in cells.
struct Box {
  std::uint32_t row, col, rows, cols;
};
GridMap hall_with(const std::vector<Box>& inside) {
  GridMap map;
  map.rows = 160, map.cols = 240;
  map.resolution_m = 0.05;
  map.cells.assign(std::size_t{map.rows} * map.cols, Cell::kFree);
  const auto draw = [&](const Box& box) {
    for (std::uint32_t r = box.row; r < box.row + box.rows; ++r) {
      for (std::uint32_t c = box.col; c < box.col + box.cols; ++c) {
        const bool edge = r == box.row || c == box.col || r + 1 == box.row + box.rows || c + 1 == box.col + box.cols;
        if (edge) map.cells[std::size_t{r} * map.cols + c] = Cell::kOccupied;
      }
    }
  };
  draw({0, 0, 160, 240});
  for (const Box& box : inside) draw(box);
  return map;
}
/// A wall and a block that no turn or mirror leaves as they are.
GridMap hall() { return hall_with({{0, 150, 60, 1}, {100, 32, 16, 48}}); }
GridMap cabin_south() { return hall_with({{12, 40, 62, 82}}); }
GridMap cabin_north() { return hall_with({{86, 40, 62, 82}}); }

BeamModel laser(double sigma_m, double max_range_m = 14) {
  BeamModel model;
  model.parameters = {.92, .03, .04, .01, sigma_m, .6};
  model.sensor = {.max_range_m = max_range_m, .expected_floor_m = 0.05};
  return model;
}

/// 120 scans of 121 rays.
ScanLog drive(const GridMap& map, const BeamModel& model) {
  std::vector<PlanarPose> poses;
  for (int i = 0; i < 120; ++i) poses.push_back({3.0 + 0.015 * i, 2.1 + 0.5 * std::sin(0.1 * i), 0.21 * i});
  return sample_log(model, World::from_map(map), poses, even_azimuths_rad(121, 240), 5, {.threads = 1});
}

TEST(FieldSanity, OfALogInOrderNothingIsSaid) {
  const GridMap map = hall();
  const FieldReport report = fit_field_log(drive(map, laser(.02)), map);
  EXPECT_EQ(texts_of(report.sanity), std::vector<std::string>{});
  EXPECT_EQ(texts_of(fit_field_log(drive(map, laser(.06)), map).sanity), std::vector<std::string>{});
}

TEST(FieldSanity, AMapOfAnotherPlaceIsNamed) {
  const ScanLog log = drive(cabin_south(), laser(.02));
  EXPECT_EQ(texts_of(fit_field_log(log, cabin_south()).sanity), std::vector<std::string>{});
  for (const GridMap& wrong : {cabin_north(), hall_with({})}) {
    const FieldReport report = fit_field_log(log, wrong);
    EXPECT_EQ(report.sanity.size(), 1U);
    EXPECT_EQ(flag_with(report, kWrongMap).find("hits spread over "), 0U) << report.fit.model.sigma_hit_m;
  }
  // Distances are cut, and sigma with them.
  EXPECT_NE(flag_with(fit_field_log(log, hall_with({}), {.max_distance_m = .5}), kWrongMap), "");
}

TEST(FieldSanity, AMapThatExplainsLittleIsNamed) {
  const GridMap map = hall();
  BeamModel scattered = laser(.02);
  scattered.parameters = {.25, 0, .04, .71, .02, .6};
  const FieldReport report = fit_field_log(drive(map, scattered), map);
  EXPECT_EQ(flag_with(report, kWrongMap).find("w_rand is 0."), 0U) << report.fit.model.w_rand;
}

TEST(FieldSanity, AMapThatLiesElsewhereIsNamed) {
  const GridMap map = hall();
  ScanLog log = drive(map, laser(.02));
  for (PlanarPose& pose : log.pose) pose.x_m += .18, pose.y_m -= .24;
  const FieldReport shifted = fit_field_log(log, map);
  EXPECT_EQ(flag_with(shifted, kElsewhereIs).find("scans fit best 0.3"), 0U) << flag_with(shifted, kElsewhereIs);
  for (PlanarPose& pose : log.pose) pose.x_m -= .18, pose.y_m += .24, pose.yaw_rad += .05;
  const std::string turned = flag_with(fit_field_log(log, map), "the laser is mounted otherwise than the log says");
  EXPECT_TRUE(contains(turned, "turned by -2."));
}

TEST(FieldSanity, ALogThatDoesNotLieOnItsMapIsNamed) {
  const GridMap map = hall();
  const ScanLog log = drive(map, laser(.02));
  ScanLog other = log;
  for (float& reading : other.range_m) reading *= 100;
  other.max_range_m = 1400;
  FieldReport report = fit_field_log(other, map);
  EXPECT_NE(flag_with(report, "divided by 100: are they centimetres?"), "");
  EXPECT_EQ(report.sanity.size(), 1U);
  EXPECT_EQ(first_unusable(report.sanity), report.sanity.front().text);
  other = log;
  for (PlanarPose& pose : other.pose) pose.yaw_rad += M_PI;
  EXPECT_NE(flag_with(fit_field_log(other, map), "with the laser turned by 180 degrees"), "");
  other = log;
  for (PlanarPose& pose : other.pose) pose.y_m += 300;
  EXPECT_EQ(input_error([&] { fit_field_log(other, map); }).find("no pose lies on the map, which covers x 0.0 to"), 0U);
  other = log;
  for (float& reading : other.range_m) reading = 0;
  EXPECT_EQ(input_error([&] { fit_field_log(other, map); }).find("no reading is a range: 0 are inf, 14520"), 0U);
  other = log;
  other.pose = std::vector<PlanarPose>(120, log.pose[0]);
  EXPECT_NE(flag_with(fit_field_log(other, map), "all scans are from one place"), "");
}

TEST(FieldSanity, AMaximumRangeThatTheReadingsContradictIsNamed) {
  const GridMap map = hall();
  ScanLog log = drive(map, laser(.02));
  for (float& reading : log.range_m) reading = reading >= 14.0F ? 81.91F : reading;
  EXPECT_EQ(flag_with(fit_field_log(log, map, {.max_range_m = 82}), "many readings are 81.91 m").find("many"), 0U);
  EXPECT_EQ(texts_of(fit_field_log(log, map, {.max_range_m = 80}).sanity), std::vector<std::string>{});
  const std::string flag = flag_with(fit_field_log(log, map, {.max_range_m = 4}), "beyond the maximum range");
  EXPECT_TRUE(contains(flag, " lie between 4 and 13."));
}

TEST(FieldSanity, PosesThatAreNotExactAreNamed) {
  const GridMap map = hall();
  ScanLog log = drive(map, laser(.02));
  for (std::uint32_t i = 0; i < log.scans(); ++i) {
    const PhiloxBlock words = keyed_block({7, 0, 3}, i, 0);
    const NormalPair xy = normals_from_words(words.word[0], words.word[1]);
    log.pose[i].x_m += .06 * double(xy.first), log.pose[i].y_m += .06 * double(xy.second);
    log.pose[i].yaw_rad += .01 * double(normals_from_words(words.word[2], words.word[3]).first);
  }
  const FieldReport report = fit_field_log(log, map);
  EXPECT_EQ(flag_with(report, "the poses of the log are not exact"),
            report.sanity.empty() ? "?" : report.sanity[0].text.text());
  EXPECT_EQ(flag_with(fit_field_log(log, map, {.check_poses = false}), "poses"), "");
}

/// Some readings lie 0.2 to 0.35 m before or behind their walls, as where people stand close or glass is.
TEST(FieldSanity, TailsHeavierThanTheModelsAreNamed) {
  const GridMap map = hall();
  ScanLog log = drive(map, laser(.02));
  for (std::uint32_t i = 0; i < log.range_m.size(); i += 8) {
    const PhiloxBlock words = keyed_block({9, 0, 3}, i, 0);
    const float by = .2F + .15F * uniform_from_word(words.word[0]);
    log.range_m[i] += words.word[1] % 2 == 0 ? by : -by;
  }
  FieldReport report = fit_field_log(log, map);
  const std::string flag = flag_with(report, "its tails are too light; the beam model has heavier ones");
  EXPECT_TRUE(contains(flag, ", which costs 0."))
      << flag << report.fit.model.sigma_hit_m << ' ' << report.fit.model.w_rand;
  // Where the model expects nearly as many, it costs too little for a flag.
  const double share =
      share_between(report, 3 * report.fit.model.sigma_hit_m, 10 * report.fit.model.sigma_hit_m).readings;
  report.level_m = {0.0, 5 * report.fit.model.sigma_hit_m};
  report.level_share = {1.0 - 0.7 * share, 0.7 * share};
  EXPECT_NE(field_disagreements(report), std::vector<std::string>{});
  EXPECT_EQ(heavy_tails_flag(report).text(), "");
}

/// The log writes 81.91 where nothing comes back, and says that the sensor measures up to 100 m.
ScanLog coded(ScanLog log) {
  for (float& reading : log.range_m) {
    if (reading >= 14.0F) reading = 81.91F;
  }
  log.max_range_m = 100;
  return log;
}

TEST(FieldSanity, ACodeForNoReturnIsNamedAndCanBeTaken) {
  const GridMap map = hall();
  ScanLog log = coded(drive(map, laser(.02)));
  const FieldReport missed = fit_field_log(log, map);
  const std::string flag = flag_with(missed, "many readings are 81.91 m");
  EXPECT_TRUE(contains(flag, "give max_range_m 81.82, or let it be found (auto_max_range)"));
  const FieldReport found = fit_field_log(log, map, {.auto_max_range = true});
  EXPECT_DOUBLE_EQ(found.fit.model.max_range_m, 81.82);
  EXPECT_EQ(texts_of(found.sanity), std::vector<std::string>{});
  EXPECT_LT(found.fit.readings, missed.fit.readings);
  log.max_range_m = 0, log.name = "some.log";
  for (float& reading : log.range_m) {
    if (reading > 14.0F) reading = std::numeric_limits<float>::infinity();
  }
  EXPECT_EQ(input_error([&] { fit_field_log(log, map, {.auto_max_range = true}); }),
            "some.log: has no value beyond all others that many readings have, and does not say how far its sensor "
            "measures; give max_range_m");
}

TEST(FieldSanity, FlagsAreInTheFilesOfAFit) {
  const GridMap map = hall();
  const FieldReport report = fit_field_log(coded(drive(map, laser(.02))), map);
  ASSERT_FALSE(report.sanity.empty());
  const TemporaryFolder folder;
  report.write(folder.path() / "fit");
  const auto json = nlohmann::json::parse(bytes_of(folder.path() / "fit/fit.json"));
  const std::string page = bytes_of(folder.path() / "fit/report.html");
  EXPECT_EQ(texts_of(json), texts_of(report.findings()));
  for (const std::string& flag : texts_of(report.sanity)) EXPECT_TRUE(contains(page, "<li>" + flag + "</li>")) << flag;
}

/// One wall, met head-on: the model's shares are sums over the cells of a line.
TEST(FieldShares, OfARayThroughOneWallAreThoseOfItsCells) {
  GridMap map;
  map.rows = 1, map.cols = 200, map.resolution_m = .05;
  map.cells.assign(200, Cell::kFree);
  map.cells[80] = Cell::kOccupied;
  ScanLog log;
  log.azimuth_rad = {0.0};
  log.pose = {{0, .025, 0}};
  log.range_m = {4};
  const DistanceField field(map, 1);
  FieldReport report;
  report.fit.model = {.7, .3, .04, 10, 0, 1};
  const std::vector<std::uint32_t> scans = {0};
  add_expected_shares(log, scans, field, report);
  EXPECT_EQ(report.modelled, 1U);
  double hits = 0, sum = 0;
  const auto hit = [&](int k) { return std::exp(-.5 * (.05 * k / .04) * (.05 * k / .04)); };
  for (int k = -20; k <= 20; ++k) hits += hit(k);
  for (int k = 0; k < 20; ++k) {
    const double expected = (k == 0 ? 1 : 2) * (.7 * hit(k) / hits + .3 / 200);
    EXPECT_NEAR(share_between(report, .05 * (k - .5), .05 * (k + .5)).expected, expected, 1e-9) << k;
  }
  for (const double share : report.level_share) sum += share;
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_NEAR(share_between(report, .975, 2).expected, .3 * (200 - 39) / 200.0, 1e-9);  // as far as can be
}

TEST(FieldShares, DisagreementsAreWords) {
  const GridMap map = hall();
  FieldReport report = fit_field_log(drive(map, laser(.02)), map);
  report.level_m = report.distance_m;  // as if the model expected what was read
  report.level_share.assign(report.level_m.size(), 1.0 / static_cast<double>(report.level_m.size()));
  EXPECT_EQ(field_disagreements(report), std::vector<std::string>{});
  EXPECT_TRUE(contains(report.text(ReportForm::kHtml), "Tails and masses of the readings agree with the model."));
  for (std::size_t i = 0; i < report.distance_m.size(); i += 10) {
    report.distance_m[i] = 5 * report.fit.model.sigma_hit_m;
  }
  ASSERT_FALSE(field_disagreements(report).empty());
  EXPECT_TRUE(contains(field_disagreements(report)[0], "tails heavier than the model's"));
  EXPECT_TRUE(contains(report.text(ReportForm::kHtml), "tails heavier than the model"));
}

/// Two offices in their own maps are in order; in a map that is upside down, of the other one, or 0.5 m off they are
/// not.
TEST(FieldSanity, RealLogsInTheirMapsAreInOrder) {
  const auto data = shared_data();
  if (!std::filesystem::exists(data / "logs/csail-corrected.log.gz")) GTEST_SKIP() << "skipped: no data";
  const auto read = [&](const char* name) {
    return read_scan_log(data / "logs" / (std::string(name) + "-corrected.log.gz"));
  };
  const auto map_of = [&](const char* name) {
    return read_grid_map(data / "maps" / (std::string(name) + "_5cm_even.yaml"));
  };
  const GridMap freiburg = map_of("freiburg-079"), csail = map_of("csail");
  ScanLog log = read("freiburg-079");
  const FieldLogOptions few = {.scans = "1::16", .test_scans = "9::16", .auto_max_range = true};
  EXPECT_EQ(texts_of(fit_field_log(log, freiburg, few).sanity), std::vector<std::string>{});
  const FieldLogOptions eighths = {.scans = "1::8", .test_scans = "5::8", .auto_max_range = true};
  EXPECT_EQ(texts_of(fit_field_log(read("csail"), csail, eighths).sanity), std::vector<std::string>{});
  EXPECT_NE(flag_with(fit_field_log(log, csail, few), kWrongMap), "");
  GridMap flipped = freiburg;
  for (std::uint32_t r = 0; r < freiburg.rows; ++r) {
    std::copy_n(
        freiburg.cells.begin() + static_cast<std::ptrdiff_t>(std::size_t{r} * freiburg.cols), freiburg.cols,
        flipped.cells.begin() + static_cast<std::ptrdiff_t>(std::size_t{freiburg.rows - 1 - r} * freiburg.cols));
  }
  EXPECT_NE(flag_with(fit_field_log(log, flipped, few), kWrongMap), "");
  for (PlanarPose& pose : log.pose) pose.x_m += .5;
  EXPECT_EQ(flag_with(fit_field_log(log, freiburg, few), kElsewhereIs).find("scans fit best 0."), 0U);
}

}  // namespace
}  // namespace fathom::test::field_sanity_test

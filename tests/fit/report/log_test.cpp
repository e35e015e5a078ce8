// SPDX-License-Identifier: MIT
// Whole programs over a log: they do what their parts do, joined in the right way.

#include <nlohmann/json.hpp>

#include <fathom/noise/beam_density.hpp>
#include <fathom/sensor/pattern.hpp>

#include "fit/beam/room.hpp"
#include "fit/beam/synthetic.hpp"

namespace fathom::test::log_test {
namespace {

BeamModel truth() { return beams_in_room({.72, .13, .05, .10, .08, .6}); }
ScanLog log_in_room() { return test::log_in_room(truth()); }

const FitLogOptions kOneThread = {.compute = {.threads = 1}};

TEST(FitLog, LearnsAsItsPartsDo) {
  const ScanLog log = log_in_room();
  const FitReport report = fit_log(log, room(), kOneThread);
  const BeamData learned = make_beam_data(log, select_scans("odd", 60), room(), 9),
                 others = make_beam_data(log, select_scans("even", 60), room(), 9);
  const BeamSensor sensor = truth().sensor;
  const BeamFit fit = fit_beam_model(learned, sensor, {.fit_hit_offset = true});
  EXPECT_EQ(report.fit.model, fit.model);
  EXPECT_EQ(report.fit.log_likelihood_by_iteration, fit.log_likelihood_by_iteration);
  EXPECT_EQ(report.model.parameters, fit.model);
  EXPECT_EQ(report.model.sensor.max_range_m, 9);  // as the log says
  EXPECT_EQ(report.model.sensor.expected_floor_m, 0.025);
  EXPECT_TRUE(report.fit.held_out);
  EXPECT_EQ(report.shown.reading_m, others.reading_m);
  EXPECT_EQ(report.judgement.nats_per_ray, judge_beam_model(fit.model, sensor, others).nats_per_ray);
  expect_near_truth(fit, truth().parameters, 4);
  EXPECT_EQ(report.notes, std::vector<Message>{});
}

TEST(FitLog, SaysWhatItLearnedFrom) {
  const ScanLog log = log_in_room();
  const auto facts = [&](const FitLogOptions& options, const World& world = room()) {
    std::string text;
    for (const FitReport::Fact& fact : fit_log(log, world, options).facts) text += fact.name + ": " + fact.value + "; ";
    return text;
  };
  EXPECT_EQ(facts(kOneThread),
            "log: log.csv, 61 rays a scan; learned from: odd (30 of 60 scans); "
            "held out: the others (30 of 60 scans); ");
  EXPECT_EQ(facts({.scans = "0::3", .test_scans = "1::3"}, World(make_grid_ranges(room_map()), "room.yaml")),
            "map: room.yaml; log: log.csv, 61 rays a scan; learned from: 0::3 (20 of 60 scans); "
            "held out: 1::3 (20 of 60 scans); ");
  EXPECT_EQ(facts({.scans = "all"}), "log: log.csv, 61 rays a scan; learned from: all (60 of 60 scans); ");
}

TEST(FitLog, JudgesByWhatItLearnedFromWhereNothingIsLeft) {
  const FitReport report = fit_log(log_in_room(), room(), {.scans = "all"});
  EXPECT_FALSE(report.fit.held_out);
  EXPECT_EQ(report.shown.reading_m.size(), 60U * 61U);
}

// A log without noise: only the world knows that its surfaces are no better than their cells.
TEST(FitLog, SigmaStopsAtTheCellsOfTheWorld) {
  ScanLog log = log_in_room();
  log.range_m = make_beam_data(log, select_scans("all", 60), room(), 9).expected_m;
  EXPECT_DOUBLE_EQ(fit_log(log, room()).fit.model.sigma_hit_m, 0.05 / std::sqrt(12.0));
  const World scene = World(std::shared_ptr<const ExpectedRanges>(make_scene_ranges(room_scene())));
  EXPECT_LT(fit_log(log, scene).fit.model.sigma_hit_m, 0.001);
}

TEST(FitLog, TakesTheSensorFromItsOptions) {
  ScanLog log = log_in_room();
  log.range_m[0] = std::numeric_limits<float>::quiet_NaN();
  const FitReport report = fit_log(log, room(),
                                   {.scans = "all",
                                    .max_range_m = 5.0,
                                    .min_range_m = 0.5,
                                    .step_m = 0.02,
                                    .miss = MissPolicy::kAtom,
                                    .nan = NanPolicy::kMax,
                                    .variant = FitOptions::Variant::kClosedForm,
                                    .stretches = 25});
  const BeamSensor& sensor = report.model.sensor;
  EXPECT_EQ(sensor.max_range_m, 5.0);
  EXPECT_EQ(sensor.min_range_m, 0.5);
  EXPECT_EQ(sensor.step_m, 0.02);
  EXPECT_EQ(sensor.miss, MissPolicy::kAtom);
  EXPECT_EQ(sensor.nan, NanPolicy::kMax);
  EXPECT_EQ(report.variant, FitOptions::Variant::kClosedForm);
  EXPECT_EQ(report.fit.blocks, 25U);
  EXPECT_EQ(report.fit.block, "stretch");
}

// Maps draw walls about a cell thick; scenes have walls at their true place.
TEST(FitLog, LearnsTheHitOffsetInMapsUnlessToldOtherwise) {
  const ScanLog log = log_in_room();
  const auto offset = [&](const World& world, const FitLogOptions& options) {
    return fit_log(log, world, options).fit;
  };
  const BeamFit learned = offset(room(), {});
  EXPECT_NE(learned.model.hit_offset_m, 0.0);
  EXPECT_TRUE(std::isfinite(learned["hit_offset_m"].std_error));
  EXPECT_EQ(offset(room(), {.hit_offset_m = 0.03}).model.hit_offset_m, 0.03);
  EXPECT_EQ(offset(room(), {.hit_offset_m = 0.03, .fit_hit_offset = true}).model.hit_offset_m, 0.03);
  EXPECT_EQ(offset(room(), {.fit_hit_offset = false}).model.hit_offset_m, 0.0);
  EXPECT_EQ(offset(room(), {.per_log = FitLogOptions::PerLog::kOffset}).model.hit_offset_m, 0.0);
  const World scene = World::from_scene(room_scene(), {});
  EXPECT_EQ(offset(scene, {}).model.hit_offset_m, 0.0);
  EXPECT_NE(offset(scene, {.fit_hit_offset = true}).model.hit_offset_m, 0.0);
}

/// Scans of one sensor that was mounted otherwise each day, and measured farther.
ScanLog log_of_day(int day, const FitReport::Correction& own) {
  std::vector<PlanarPose> poses, logged;
  for (int i = 0; i < 120; ++i) {
    const PlanarPose pose = {-3 + 0.025 * i, -2 + 0.03 * i, 0.37 * i + day};
    poses.push_back(pose);
    // The robot: pose = logged * mount.
    const double yaw = pose.yaw_rad - own.mount_yaw_rad, cos = std::cos(yaw), sin = std::sin(yaw);
    logged.push_back({pose.x_m - cos * own.mount_x_m + sin * own.mount_y_m,
                      pose.y_m - sin * own.mount_x_m - cos * own.mount_y_m, yaw});
  }
  ScanLog log = sample_log(truth(), room(), poses, even_azimuths_rad(61, 270), 5 + static_cast<std::uint64_t>(day),
                           {.threads = 1});
  for (float& z : log.range_m) {
    if (z < 9.0F) z = std::clamp(z + static_cast<float>(own.range_offset_m), 0.0F, 8.99F);
  }
  log.pose = logged;
  log.name = "day " + std::to_string(day);
  return log;
}

TEST(FitLogs, LearnsMountsAndOffsetsBesideCommonParameters) {
  const std::vector<FitReport::Correction> own = {{0.12, -0.05, 0.04, 0.03}, {-0.06, 0.08, -0.05, -0.02}, {}};
  std::vector<ScanLog> logs;
  for (std::size_t i = 0; i < own.size(); ++i) logs.push_back(log_of_day(static_cast<int>(i), own[i]));
  const auto learn = [&](FitLogOptions::PerLog per_log) {
    return fit_logs(logs.size(), [&](std::size_t i) { return logs[i]; }, room(),
                    {.per_log = per_log, .compute = {.threads = 1}});
  };
  const FitReport report = learn(FitLogOptions::PerLog::kBoth);
  EXPECT_EQ(texts_of(report.fit.findings), std::vector<std::string>{});
  ASSERT_EQ(report.logs.size(), own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const FitReport::Log& log = report.logs[i];
    EXPECT_EQ(log.name, logs[i].name);
    for (const auto number : {&FitReport::Correction::mount_x_m, &FitReport::Correction::mount_y_m,
                              &FitReport::Correction::mount_yaw_rad, &FitReport::Correction::range_offset_m}) {
      EXPECT_NEAR(log.correction.*number, own[i].*number, 4 * log.std_error.*number) << i;
      EXPECT_LT(log.std_error.*number, 0.004) << i;
      EXPECT_GT(log.std_error.*number, 0.0002) << i;
    }
  }
  expect_near_truth(report.fit, truth().parameters, 4);
  const FitReport blurred = learn(FitLogOptions::PerLog::kNothing), mounts = learn(FitLogOptions::PerLog::kMount);
  EXPECT_TRUE(blurred.logs.empty());
  EXPECT_GT(blurred.fit.model.sigma_hit_m, 1.3 * truth().parameters.sigma_hit_m);
  EXPECT_GT(report.judgement.nats_per_ray, mounts.judgement.nats_per_ray);
  EXPECT_GT(mounts.judgement.nats_per_ray, blurred.judgement.nats_per_ray);
  EXPECT_EQ(mounts.logs[0].correction.range_offset_m, 0.0);
  EXPECT_TRUE(std::isnan(mounts.logs[0].std_error.range_offset_m));
  EXPECT_TRUE(contains(input_error([&] {
                         fit_log(logs[0], room(), {.fit_hit_offset = true, .per_log = FitLogOptions::PerLog::kOffset});
                       }),
                       "only their sum"));
}

TEST(FitPairs, LearnAsALogWithTheSamePairsDoes) {
  const ScanLog log = log_in_room();
  BeamData pairs = make_beam_data(log, select_scans("all", 60), room(), 9);
  for (std::uint32_t& scan : pairs.scan) scan = 3 * scan + 7;  // the numbers do not matter
  for (const char* scans : {"odd", "0::3", "all"}) {
    const FitLogOptions options = {.scans = scans, .max_range_m = 9.0, .hit_offset_m = 0.0, .compute = {.threads = 1}};
    const FitReport of_log = fit_log(log, room(), options), of_pairs = fit_pairs(pairs, options, "a/table.csv");
    EXPECT_EQ(of_pairs.fit.model, of_log.fit.model);
    EXPECT_EQ(of_pairs.fit.log_likelihood_by_iteration, of_log.fit.log_likelihood_by_iteration);
    EXPECT_EQ(of_pairs.fit.held_out.has_value(), of_log.fit.held_out.has_value());
    EXPECT_EQ(of_pairs.shown.reading_m, of_log.shown.reading_m);
    EXPECT_EQ(of_pairs.judgement.nats_per_ray, of_log.judgement.nats_per_ray);
    EXPECT_EQ(of_pairs.model.sensor.expected_floor_m, of_log.model.sensor.expected_floor_m);
  }
  const auto refusal = [&](const FitLogOptions& options) {
    return input_error([&] { fit_pairs(pairs, options, "a/table.csv"); });
  };
  EXPECT_EQ(refusal({}), "a/table.csv: does not say how far its sensor measures; give max_range_m");
  EXPECT_EQ(refusal({.scans = "60:", .max_range_m = 9.0}).find("a/table.csv: scans '60:'"), 0U);
  EXPECT_TRUE(contains(refusal({.max_range_m = 9.0, .per_log = FitLogOptions::PerLog::kMount}), "has no poses"));
  pairs.scan.pop_back();
  EXPECT_TRUE(contains(refusal({.max_range_m = 9.0}), "as many of each are needed"));
}

// Nothing tells scans apart where all rows are of one, as of a table that beam sample made without them.
TEST(FitPairs, OfOneScanTakeEachRowForOne) {
  BeamData pairs = make_beam_data(log_in_room(), select_scans("all", 60), room(), 9);
  const FitLogOptions options = {.max_range_m = 9.0, .hit_offset_m = 0.0, .compute = {.threads = 1}};
  std::iota(pairs.scan.begin(), pairs.scan.end(), 0U);
  const FitReport of_rows = fit_pairs(pairs, options);
  std::fill(pairs.scan.begin(), pairs.scan.end(), 0U);
  const FitReport of_one = fit_pairs(pairs, options);
  EXPECT_EQ(of_one.fit.model, of_rows.fit.model);
  EXPECT_EQ(of_one.fit["w_hit"].std_error, of_rows.fit["w_hit"].std_error);
  EXPECT_EQ(of_one.judgement.nats_per_ray, of_rows.judgement.nats_per_ray);
  EXPECT_EQ(of_one.judgement.pairs, 1830U);
  EXPECT_EQ(of_one.fit.blocks, 40U);
  for (const FitReport* report : {&of_one, &of_rows}) {
    EXPECT_TRUE(report->rows_are_scans);
    ASSERT_FALSE(report->sanity.empty());
    EXPECT_EQ(report->sanity[0].text.text(),
              "the table tells no scans apart: each row counts as a scan, and stretches of neighbouring rows as "
              "independent; a column scan says which rows have correlated errors");
    EXPECT_EQ(report->facts.at(1).value, "odd (1 830 of 3 660 rows)");
  }
  expect_near_truth(of_one.fit, truth().parameters, 4);
}

// Scans that chose nothing are not known: users who name some vouch for them.
TEST(FitLog, SaysWhatIsNotKnownOfScansHeldOut) {
  const ScanLog log = log_in_room();
  const std::string note =
      "whether the map was made from these scans cannot be known, and their poses come from the log; name test "
      "scans that you vouch for";
  const FitReport report = fit_log(log, room(), kOneThread);
  EXPECT_EQ(report.fit.held_out->note, note);
  EXPECT_EQ(fit_log(log, room(), {.test_scans = "even"}).fit.held_out->note, "");
  EXPECT_FALSE(fit_log(log, room(), {.scans = "all"}).fit.held_out);
  EXPECT_EQ(fit_log(log, room(), {.scans = "all", .refine_poses = PosePrior{}}).fit.held_out->note,
            "whether the map was made from these scans cannot be known");
  const BeamData pairs = make_beam_data(log, select_scans("all", 60), room(), 9);
  EXPECT_TRUE(contains(fit_pairs(pairs, {.max_range_m = 9.0}).fit.held_out->note, "cannot be known"));
  EXPECT_EQ(fit_pairs(pairs, {.test_scans = "even", .max_range_m = 9.0}).fit.held_out->note, "");
  const FieldReport field = fit_field_log(log, room_map());
  EXPECT_EQ(field.fit.held_out->note, note);
  EXPECT_EQ(fit_field_log(log, room_map(), {.test_scans = "even"}).fit.held_out->note, "");

  const TemporaryFolder folder;
  report.write(folder.path() / "fit");
  field.write(folder.path() / "field");
  for (const char* name : {"fit", "field"}) {
    const auto json = nlohmann::json::parse(bytes_of(folder.path() / name / "fit.json"));
    EXPECT_EQ(json["held_out"]["note"], note);
    EXPECT_TRUE(contains(bytes_of(folder.path() / name / "report.html"), "<p>Held out: " + note + ".</p>"));
  }
}

TEST(FitLog, CanBeStopped) {
  const auto stop = [](const FitOptions::Iteration& i) {
    if (i.iteration == 2) throw Interrupted("enough");
  };
  EXPECT_THROW(fit_log(log_in_room(), room(), {.on_iteration = stop}), Interrupted);
}

TEST(FitLog, RefusalsNameTheLog) {
  ScanLog log = log_in_room();
  const auto refusal = [&](const FitLogOptions& options) {
    return input_error([&] { fit_log(log, room(), options); });
  };
  EXPECT_EQ(refusal({.scans = "60:"}).find("some/where/log.csv: "), 0U) << refusal({.scans = "60:"});
  EXPECT_EQ(refusal({.test_scans = "none"}).find("some/where/log.csv: "), 0U) << refusal({.test_scans = "none"});
  EXPECT_EQ(refusal({.scans = "odd", .test_scans = "2:6"}),
            "scan 3 is in scans odd and in test_scans 2:6: it would not be held out");
  EXPECT_EQ(refusal({.max_range_m = -1.0}).find("beam.max_range_m = -1"), 0U) << refusal({.max_range_m = -1.0});
  EXPECT_EQ(refusal({.compute = {.threads = -1}}), "threads = -1 is not in [0, 1024]");
  log.max_range_m = 0;
  EXPECT_EQ(refusal({}), "some/where/log.csv: does not say how far its sensor measures; give max_range_m");
  log.max_range_m = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal({}),
            "some/where/log.csv: its scans have range_max = inf m, which no sensor measures; give max_range_m");
  log.max_range_m = 3.4e38;
  EXPECT_TRUE(contains(refusal({}), "its scans have range_max = 3.4e+38 m"));
  log.max_range_m = 0, log.name = "";
  EXPECT_EQ(refusal({}), "does not say how far its sensor measures; give max_range_m");
}

TEST(LogNotes, TellWhatSpoilsAFit) {
  ScanLog log = log_in_room();
  log.laser = "FLASER";
  log.skipped = {{"RLASER", 7}};
  for (std::size_t i = 0; i < log.range_m.size(); i += 10) log.range_m[i] = 8.191F;
  for (float& z : log.range_m) z = std::min(z, 8.191F);
  const std::vector<Message> notes = {
      "7 RLASER lines were passed over; readings come from FLASER",
      "many readings are 8.191 m, the largest of the log; if that means no return, give max_range_m 8.18"};
  EXPECT_EQ(log_notes(log, 9.0), notes);
  EXPECT_EQ(log_notes(log), std::vector<Message>{"7 RLASER lines were passed over; readings come from FLASER"});
  EXPECT_EQ(log_notes(log, 8.1).size(), 1U);   // it is no return already
  const FitReport fit = fit_log(log, room());  // which has it as a flag
  EXPECT_EQ(fit.notes, log_notes(log));
  EXPECT_EQ(fit.sanity.front().text.text().find("many readings are 8.191 m, "), 0U) << fit.sanity.front().text.text();
}

TEST(ScoreLog, ScoresAsTheScorerDoes) {
  const ScanLog log = log_in_room();
  std::vector<double> progress;
  const LogScores scores =
      score_log(truth(), room(), log, "10:30:4",
                {.ray_step = 3, .alpha = 0.5, .compute = {.threads = 2}, .on_progress = [&](double done) {
                   progress.push_back(done);
                 }});
  ScanScorer scorer(truth().parameters, truth().sensor, room(), RayFan::planar(log.azimuth_rad),
                    {.ray_step = 3, .alpha = 0.5});
  ASSERT_EQ(scores.scans.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const ScanScore& score = scores.scans[i];
    const auto scan = static_cast<std::uint32_t>(10 + 4 * i);
    EXPECT_EQ(score.scan, scan);
    EXPECT_EQ(score.pose, log.pose[scan]);
    EXPECT_EQ(score.rays, 21U);
    const Pose pose = log.pose[scan].at_height();
    double expected = 0.0;
    scorer.score({&pose, 1}, log.scan(scan), {&expected, 1});
    EXPECT_EQ(score.log_likelihood, expected);
  }
  EXPECT_EQ(progress, (std::vector<double>{.2, .4, .6, .8, 1.0}));
  EXPECT_EQ(scores.judgement.pairs, 5U * 61U);  // of all rays
  EXPECT_EQ(input_error([&] { score_log(truth(), room(), log, "some"); }).find("some/where/log.csv: "), 0U);
}

TEST(FitLog, NotesWhatTheWorldSaysOfUnknownCells) {
  const World scene = World::from_scene(room_scene(), {}, UnknownCells::kOccupied);
  EXPECT_EQ(fit_log(log_in_room(), scene, kOneThread).model.unknown, UnknownCells::kOccupied);
  EXPECT_EQ(fit_log(log_in_room(), room(), kOneThread).model.unknown, UnknownCells::kFree);
}

TEST(HeatmapOfLog, IsThatOfItsParts) {
  const ScanLog log = log_in_room();
  const GridMap map = room_map();
  const LogHeatmap found =
      heatmap_of_log(truth(), room(), log, 17, map, {.spacing_m = 0.5, .headings = 12, .ray_step = 4});
  const RayFan fan = RayFan::planar(log.azimuth_rad);
  const Heatmap parts = make_heatmap(truth().parameters, truth().sensor, room(), fan, log.scan(17),
                                     free_positions(map, 0.5), {.headings = 12, .score = {.ray_step = 4}});
  EXPECT_EQ(found.heatmap.best, parts.best);
  EXPECT_EQ(found.heatmap.refined, parts.refined);
  EXPECT_EQ(found.heatmap.refined_log_likelihood, parts.refined_log_likelihood);
  EXPECT_EQ(found.heatmap.rays, 16U);
  EXPECT_EQ(found.logged, log.pose[17]);
  const LogScores scores = score_log(truth(), room(), log, "17:18", {.ray_step = 4});
  EXPECT_EQ(found.logged_log_likelihood, scores.scans.front().log_likelihood);
}

TEST(LogScoresTest, AddUpTheirScans) {
  LogScores scores;
  scores.scans = {{0, {}, 10, 4.0}, {3, {}, 6, -8.0}, {5, {}, 0, 0.0}, {9, {}, 0, -8.0}};
  EXPECT_EQ(scores.rays(), 16U);
  EXPECT_EQ(scores.log_likelihood(), -12.0);
  EXPECT_EQ(scores.mean_per_scan(), -3.0);
  EXPECT_EQ(scores.mean_per_ray(), -0.75);
  EXPECT_EQ(scores.least_likely().scan, 3U) << "the first of two";
}

TEST(HeatmapOfLog, RefusesScansThatTellNothing) {
  ScanLog log = log_in_room();
  const auto refusal = [&](std::uint32_t scan) {
    return input_error([&] { heatmap_of_log(truth(), room(), log, scan, room_map()); });
  };
  EXPECT_EQ(refusal(60), "some/where/log.csv: has scans 0 to 59, and no scan 60");
  std::fill_n(log.range_m.begin() + 17 * 61, 61, NAN);
  EXPECT_EQ(refusal(17), "some/where/log.csv: scan 17: no reading that would be scored carries evidence");
}

TEST(SampleLog, IsKeyedBySeedAndScan) {
  const ScanLog log = log_in_room();
  EXPECT_EQ(log.max_range_m, 9);
  EXPECT_EQ(log.range_m, log_in_room().range_m);
  EXPECT_NE(log.range_m, sample_log(truth(), room(), log.pose, log.azimuth_rad, 6).range_m);
  // A scan's readings equal the readings of sample_scan() for the expected ranges in the room.
  const BeamData pairs = make_beam_data(log, std::vector<std::uint32_t>{17}, room(), 9);
  std::vector<float> alone(61);
  sample_scan(truth().parameters, truth().sensor, beam_key(5, 17), pairs.expected_m, alone);
  const auto whole = log.scan(17);
  EXPECT_EQ(alone, std::vector<float>(whole.begin(), whole.end()));
  EXPECT_NE(input_error([] { sample_log(truth(), room(), {}, even_azimuths_rad(3, 90), 1); }), "");
}

TEST(SampleTable, RefusesColumnsOfDifferentLengths) {
  EXPECT_EQ(input_error([] {
              sample_table(truth(), {{1.0F, 2.0F}, {0}}, 1);
            }),
            "2 expected ranges cannot be of 1 scan");
}

TEST(EvenAzimuths, SpreadOverTheView) {
  const double quarter = std::numbers::pi / 2;
  EXPECT_EQ(even_azimuths_rad(1, 180), std::vector<double>{0.0});
  const std::vector<double> half = even_azimuths_rad(3, 180), turn = even_azimuths_rad(4, 360);
  ASSERT_EQ(half.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(half[i], quarter * (static_cast<double>(i) - 1));
  ASSERT_EQ(turn.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(turn[i], quarter * (static_cast<double>(i) - 2));
}

TEST(ScanHits, StandWhereReadingsEnd) {
  ScanLog log;
  log.azimuth_rad = {0.0, std::numbers::pi / 2, 0.3, 0.4};
  log.pose = {{0, 0, 0}, {1.0, 2.0, std::numbers::pi / 2}};
  log.range_m = {1, 1, 1, 1, 3.0F, 2.0F, 9.0F, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<Vec3> hits = scan_hits_world(log, 1, {.max_range_m = 9});
  ASSERT_EQ(hits.size(), 2U);  // no return, and no evidence, end nowhere
  EXPECT_NEAR(hits[0].x, 1, 1e-12);
  EXPECT_NEAR(hits[0].y, 5, 1e-12);
  EXPECT_NEAR(hits[1].x, -1, 1e-12);
  EXPECT_NEAR(hits[1].y, 2, 1e-12);
  EXPECT_EQ(hits[1].z, 0);
  EXPECT_EQ(input_error([&] { scan_hits_world(log, 2, {}); }), "scan 2 is not in [0, 2)");
}

TEST(FindScanLog, IsTheOnlyOneOfARun) {
  const TemporaryFolder folder;
  const std::string run = folder.path().string();
  EXPECT_EQ(find_scan_log(folder.path() / "log.gz"), folder.path() / "log.gz");
  EXPECT_EQ(input_error([&] { find_scan_log(run); }),
            run + ": a folder without */scans.csv; a run has it where a sensor has the output scan_log");
  for (const char* sensor : {"b", "a", "camera"}) std::filesystem::create_directory(folder.path() / sensor);
  const auto b = folder.write("b/scans.csv", "");
  EXPECT_EQ(find_scan_log(run), b);
  const auto a = folder.write("a/scans.csv", "");
  EXPECT_EQ(input_error([&] { find_scan_log(run); }),
            run + ": a run with 2 scan logs; choose one, such as " + a.string());
}

/// What a report says, to the bit.
std::string all_of(const FitReport& report) {
  std::string text;
  for (const Fit::Parameter& number : report.fit.parameters) {
    for (const double value : {number.value, number.std_error, number.naive_error, number.low_95, number.high_95}) {
      text.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  text.append(reinterpret_cast<const char*>(&report.judgement.log_likelihood), sizeof(double));
  text.append(reinterpret_cast<const char*>(report.shown.reading_m.data()),
              report.shown.reading_m.size() * sizeof(float));
  text.append(reinterpret_cast<const char*>(report.shown.scan.data()),
              report.shown.scan.size() * sizeof(std::uint32_t));
  for (const FitReport::Fact& fact : report.facts) text += fact.name + ": " + fact.value + "; ";
  for (const std::string& note : report.notes) text += note + "; ";
  return text;
}

/// The log in the room some times over, so that it has several parts, and shorter ones.
std::vector<ScanLog> some_logs() {
  std::vector<ScanLog> logs;
  for (const std::size_t times : {3U, 1U, 20U, 2U}) {
    ScanLog log = log_in_room();
    const ScanLog once = log;
    for (std::size_t k = 1; k < times; ++k) {
      log.pose.insert(log.pose.end(), once.pose.begin(), once.pose.end());
      log.range_m.insert(log.range_m.end(), once.range_m.begin(), once.range_m.end());
    }
    log.name = "log" + std::to_string(logs.size()) + ".csv";
    logs.push_back(log);
  }
  return logs;
}

TEST(FitLogs, OfOneLogAreItsFit) {
  const ScanLog log = log_in_room();
  const FitReport one = fit_log(log, room(), kOneThread);
  EXPECT_TRUE(all_of(fit_logs(
                  1, [&](std::size_t) { return log; }, room(), kOneThread)) == all_of(one));
}

TEST(FitLogs, LearnFromTwoHalvesWhatTheWholeLogTells) {
  const ScanLog log = log_in_room();
  std::vector<ScanLog> halves(2, log);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    const auto scans = static_cast<std::ptrdiff_t>(log.scans() / 2), first = static_cast<std::ptrdiff_t>(k) * scans;
    const auto readings = log.range_m.begin() + first * static_cast<std::ptrdiff_t>(log.rays());
    halves[k].pose.assign(log.pose.begin() + first, log.pose.begin() + first + scans);
    halves[k].range_m.assign(readings, readings + scans * static_cast<std::ptrdiff_t>(log.rays()));
  }
  const FitLogOptions all = {.scans = "all", .compute = {.threads = 1}};
  const BeamFit whole = fit_log(log, room(), all).fit,
                both = fit_logs(
                           2, [&](std::size_t i) { return halves[i]; }, room(), all)
                           .fit;
  EXPECT_EQ(both.model, whole.model);
  EXPECT_EQ(both.log_likelihood_by_iteration, whole.log_likelihood_by_iteration);
  EXPECT_EQ(both["sigma_hit_m"].std_error, whole["sigma_hit_m"].std_error);
  EXPECT_EQ(both.kinds, whole.kinds);
}

TEST(FitLogs, RefuseLogsThatDisagree) {
  std::vector<ScanLog> logs = some_logs();
  const auto read = [&](std::size_t i) { return logs[i]; };
  logs[2].max_range_m += 1.0;
  EXPECT_TRUE(contains(input_error([&] { return fit_logs(4, read, room(), kOneThread); }), "log2.csv up to"));
  logs[2].max_range_m = 0.0;
  EXPECT_TRUE(contains(input_error([&] { return fit_logs(4, read, room(), kOneThread); }), "log2.csv: does not say"));
  EXPECT_THROW(fit_logs(0, read, room(), kOneThread), InputError);
}

TEST(FitLogs, NameTheLogThatIsRefused) {
  std::vector<ScanLog> logs = some_logs();
  const auto refusal = [&] {
    return input_error([&] {
      return fit_logs(
          4, [&](std::size_t i) { return logs[i]; }, room(), kOneThread);
    });
  };
  logs[3].pose[1].y_m = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal().find("log3.csv: log: pose 1 = ("), 0U) << refusal();
  // Without a range a log tells nothing of hits, and would make readings without a return look frequent.
  std::ranges::fill(logs[1].range_m, std::numeric_limits<float>::infinity());
  EXPECT_EQ(refusal().find("log1.csv: no reading is a range"), 0U) << refusal();
}

// Written out from the densities of the components. Their sum is the density, so the scores of the beams of a scan add
// up to its score.
TEST(ScoreBeams, GivesDensityAndComponentsOfEveryReading) {
  ScanLog log = log_in_room();
  log.range_m[3] = 9.0F;
  log.range_m[4] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::uint32_t> scans = {0, 7};
  const std::vector<BeamScore> beams = score_beams(truth(), room(), log, scans, 1, {.threads = 1});
  ASSERT_EQ(beams.size(), 2 * log.rays());
  const BeamData pairs = make_beam_data(log, scans, room(), 9);
  double sum = 0;
  for (std::size_t i = 0; i < beams.size(); ++i) {
    const BeamScore& b = beams[i];
    EXPECT_EQ(b.scan, i < log.rays() ? 0U : 7U);
    EXPECT_EQ(b.ray, i % log.rays());
    EXPECT_EQ(b.azimuth_rad, log.azimuth_rad[b.ray]);
    EXPECT_EQ(b.expected_m, pairs.expected_m[i]);
    if (i == 4) {
      EXPECT_TRUE(std::isnan(b.reading_m) && std::isnan(b.log_density) && std::isnan(b.hit) && std::isnan(b.rand));
      continue;
    }
    EXPECT_NEAR(b.hit + b.shorts + b.max + b.rand, 1, 1e-12);
    const BeamDensity density(truth().parameters, truth().sensor, b.expected_m);
    EXPECT_NEAR(b.log_density, density.log_density(b.reading_m), 1e-9) << i;
    if (i == 3) {
      EXPECT_EQ(b.max, 1);
    }
    if (b.reading_m < 9) {
      EXPECT_NEAR(b.rand, .10 / 9 / density.density(b.reading_m), 1e-9);
      EXPECT_EQ(b.shorts > 0, b.reading_m <= density.expected_m());
    }
    sum += b.log_density;
  }
  const auto scored = score_log(truth(), room(), log, "0:8:7", {.compute = {.threads = 1}, .exact = true});
  EXPECT_NEAR(sum, scored.log_likelihood(), 1e-6);
  const auto third = score_beams(truth(), room(), log, scans, 3, {.threads = 1});
  EXPECT_EQ(third.size(), 2 * 21U);
  EXPECT_EQ(third[1].ray, 3U);
}

// Under `atom`, readings of Z are hits as well where nothing is expected.
TEST(ScoreBeams, SharesTheAtomWithHitsThatAreThere) {
  BeamModel model = truth();
  model.sensor.miss = MissPolicy::kAtom;
  GridMap open = room_map();
  std::fill(open.cells.begin(), open.cells.end(), Cell::kFree);
  ScanLog log = log_in_room();
  log.range_m[0] = 9.0F;
  const std::vector<std::uint32_t> first = {0};
  const BeamScore b = score_beams(model, World::from_map(open), log, first).front();
  EXPECT_NEAR(b.hit, .72 / .77, 1e-12);
  EXPECT_NEAR(b.max, .05 / .77, 1e-12);
  EXPECT_NEAR(b.log_density, std::log(.77), 1e-12);
}

TEST(ScoreBeams, RefusesWhatIsNotThere) {
  const ScanLog log = log_in_room();
  const std::vector<std::uint32_t> far = {60}, first = {0};
  EXPECT_NE(input_error([&] { score_beams(truth(), room(), log, far); }), "");
  EXPECT_TRUE(contains(input_error([&] { score_beams(truth(), room(), log, first, 0); }), "ray_step"));
}

}  // namespace
}  // namespace fathom::test::log_test

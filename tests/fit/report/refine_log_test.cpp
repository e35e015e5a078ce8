// SPDX-License-Identifier: MIT
// A log whose poses are refined, as the program does it: what takes part, what is written, and what is refused.

#include <nlohmann/json.hpp>

#include <fathom/files/log_files.hpp>
#include <fathom/fit/beam.hpp>

#include "fit/beam/refine.hpp"
#include "fit/beam/room.hpp"
#include "report/report.hpp"

namespace fathom::test::refine_log_test {
namespace {

BeamModel truth(double max_range_m) { return beams_in_room({.72, .13, .05, .10, .03, .6}, max_range_m); }

/// 40 scans whose poses in the log are off by up to 8 cm and 0.8 degrees.
ScanLog spoilt_log(double max_range_m = 9.0) {
  std::vector<PlanarPose> poses;
  for (int i = 0; i < 40; ++i) poses.push_back({-3 + 0.1 * i, -2 + 0.09 * i, 0.37 * i});
  ScanLog log = sample_log(truth(max_range_m), room(), poses, even_azimuths_rad(181, 180), 5, {.threads = 1});
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0, part = 0.2 + 0.8 * static_cast<double>(i % 5) / 4.0;
    log.pose[i].x_m += sign * 0.08 * part;
    log.pose[i].y_m -= 0.06 * part * (i % 3 == 0 ? 1.0 : -1.0);
    log.pose[i].yaw_rad += sign * 0.8 * kRadPerDeg * part;
  }
  log.name = "some/where/log.csv";
  return log;
}

FitLogOptions refining() {
  FitLogOptions options;
  options.refine_poses = PosePrior{};
  options.compute.threads = 1;
  return options;
}

TEST(RefineLog, DoesAsItsPartsDo) {
  const ScanLog log = spoilt_log();
  FitLogOptions options = refining();
  options.scans = "0:30";
  const FitReport report = fit_log(log, room(), options);
  ASSERT_TRUE(report.refined);
  ScanLog part = log;
  part.pose.resize(30), part.range_m.resize(30 * log.rays());
  RefineOptions how;
  how.fit.compute.threads = 1;
  how.fit.fit_hit_offset = true;  // as in maps
  const RefinedPoses refined = refine_poses(part, room(), truth(9).sensor, how);
  EXPECT_EQ(report.fit.model, refined.fit.model);
  EXPECT_EQ(report.model.parameters, refined.fit.model);
  EXPECT_EQ(report.refined->log.pose, refined.pose);
  EXPECT_EQ(report.refined->logged, part.pose);
  EXPECT_EQ(report.refined->log.range_m, part.range_m);
  EXPECT_EQ(report.refined->scan.size(), 30U);
  EXPECT_EQ(report.judgement.nats_per_ray, refined.after.nats_per_ray);
  EXPECT_EQ(report.refined->before.nats_per_ray, refined.before.nats_per_ray);
  EXPECT_TRUE(report.fit.held_out);
  EXPECT_TRUE(report.logs.empty());
  ASSERT_FALSE(report.fit.findings.empty());
  EXPECT_TRUE(contains(report.fit.findings.back().text.text(), "the poses of the log are not exact"));
  std::string facts;
  for (const FitReport::Fact& fact : report.facts) facts += fact.name + ": " + fact.value + "; ";
  EXPECT_EQ(facts,
            "log: log.csv, 181 rays a scan; learned from: 0:30 (30 of 40 scans): a third of the rays; "
            "poses refined by: another third; held out: the last third; ");
}

TEST(RefineLog, OfALogThatIsNotOnItsMapSaysThatAlone) {
  ScanLog log = spoilt_log();
  for (float& reading : log.range_m) reading *= 100;
  log.max_range_m *= 100;
  const FitReport report = fit_log(log, room(), refining());
  ASSERT_EQ(report.sanity.size(), 1U);
  EXPECT_TRUE(contains(report.sanity.front().text.text(), "are they centimetres?"));
  EXPECT_EQ(first_unusable(report.sanity), report.sanity.front().text);
}

TEST(RefineLog, LearnsTheMount) {
  ScanLog log = spoilt_log();
  for (PlanarPose& pose : log.pose) pose.yaw_rad -= 0.2;
  FitLogOptions options = refining();
  options.scans = "::2";
  options.per_log = FitLogOptions::PerLog::kMount;
  const FitReport report = fit_log(log, room(), options);
  ASSERT_EQ(report.logs.size(), 1U);
  EXPECT_EQ(report.logs[0].name, log.name);
  EXPECT_NEAR(report.logs[0].correction.mount_yaw_rad, 0.2, 4 * report.logs[0].std_error.mount_yaw_rad);
  EXPECT_LT(report.logs[0].std_error.mount_yaw_rad, 0.01);
  EXPECT_TRUE(std::isnan(report.logs[0].std_error.range_offset_m));
}

/// The pages and files that an independent reader finds.
TEST(RefineLog, WritesALogThatIsReadAgain) {
  for (const double max_range_m : {80.0, 9.0}) {
    const TemporaryFolder folder;
    const FitReport report = fit_log(spoilt_log(max_range_m), room(), refining());
    const auto out = folder.path() / "fit";
    report.write(out);
    for (const auto& file : fit_files(out, {}, true)) EXPECT_TRUE(std::filesystem::exists(file)) << file;
    const ScanLog read = read_scan_log(out / "refined.log");
    EXPECT_EQ(bytes_of(out / "refined.log").starts_with("FLASER 181 "), max_range_m == 80.0);
    EXPECT_EQ(read.pose, report.refined->log.pose);
    EXPECT_EQ(read.range_m, report.refined->log.range_m);
    EXPECT_EQ(read.max_range_m, max_range_m);
    const auto json = nlohmann::json::parse(bytes_of(out / "fit.json"));
    EXPECT_EQ(json["details"]["refined"]["scans"].size(), 20U);
    EXPECT_EQ(json["details"]["refined"]["scans"][3], 7);
    EXPECT_EQ(json["details"]["refined"]["held_out_nats_before"], report.refined->before.nats_per_ray);
    EXPECT_EQ(json["held_out"]["nats"], report.judgement.nats_per_ray);
    EXPECT_GT(json["details"]["refined"]["moved_rms_m"], 0.02);
    const std::string page = bytes_of(out / "report.html");
    EXPECT_TRUE(contains(page, "<h2>Poses</h2>"));
    EXPECT_TRUE(contains(page, "nats per ray, held-out rays"));
    EXPECT_FALSE(contains(page, "nan"));
  }
}

TEST(RefineLog, LeavesNoLogOfAnEarlierFit) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "fit";
  fit_log(spoilt_log(), room(), refining()).write(out);
  fit_log(spoilt_log(), room()).write(out, true);
  EXPECT_FALSE(std::filesystem::exists(out / "refined.log"));
  // One of the user's own stays.
  static_cast<void>(folder.write("fit/refined.log", "mine"));
  fit_log(spoilt_log(), room()).write(out, true);
  EXPECT_EQ(bytes_of(out / "refined.log"), "mine");
}

TEST(RefineLog, RefusesWhatDoesNotGoTogether) {
  const auto refusal = [](const auto& change) {
    FitLogOptions options = refining();
    change(options);
    return input_error([&] { static_cast<void>(fit_log(spoilt_log(), room(), options)); });
  };
  EXPECT_EQ(refusal([](FitLogOptions& o) { o.per_log = FitLogOptions::PerLog::kBoth; }),
            "per_log with refine_poses is nothing or mount");
  EXPECT_EQ(refusal([](FitLogOptions& o) { o.test_scans = "even"; }),
            "test_scans with refine_poses: a third of the rays of the scans learned from judges");
  EXPECT_EQ(refusal([](FitLogOptions& o) { o.refine_poses->stddev_m = std::numeric_limits<double>::quiet_NaN(); }),
            "refine.stddev_m = nan is not in [0.0001, 100] m");
  EXPECT_EQ(input_error([] {
              static_cast<void>(fit_logs(
                  2, [](std::size_t) { return spoilt_log(); }, room(), refining()));
            }),
            "refine_poses is for one log");
}

}  // namespace
}  // namespace fathom::test::refine_log_test

// SPDX-License-Identifier: MIT
// The likelihood field over a log, and its files.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/fit/beam.hpp>

#include "fit/beam/likelihood_field.hpp"
#include "fit/beam/room.hpp"
#include "fit/report/sanity.hpp"

namespace fathom::test::field_log_test {
namespace {

ScanLog log_of_room() { return log_in_room(beams_in_room({.8, .05, .05, .10, .06, .6})); }

TEST(FieldLog, LearnsAsItsPartsDo) {
  const ScanLog log = log_of_room();
  const GridMap map = room_map();
  const FieldReport report = fit_field_log(log, map);
  LikelihoodFieldModel start = {.5, .5, .2, 9};
  const DistanceField field(map, 2);
  const FieldData learned = make_field_data(log, select_scans("odd", 60), field, start),
                  others = make_field_data(log, select_scans("even", 60), field, start);
  const FieldFit fit = fit_likelihood_field(learned, field, start);
  EXPECT_EQ(report.fit.model.w_hit, fit.model.w_hit);
  EXPECT_EQ(report.fit.model.sigma_hit_m, fit.model.sigma_hit_m);
  EXPECT_EQ(report.fit["w_hit"].std_error, fit["w_hit"].std_error);
  EXPECT_TRUE(report.fit.held_out);
  EXPECT_EQ(report.nats_per_reading, field_nats_per_reading(others, field, fit.model));
  EXPECT_EQ(report.distance_m.size(), others.level.size());
  // Better than parameters that are not learned.
  LikelihoodFieldModel other = fit.model;
  for (const double factor : {.5, 2.0}) {
    other.sigma_hit_m = factor * fit.model.sigma_hit_m;
    EXPECT_LT(field_nats_per_reading(others, field, other), report.nats_per_reading);
  }
  EXPECT_GT(fit.model.w_hit, .5);  // most readings end at walls
  EXPECT_FALSE(fit_field_log(log, map, {.scans = "all"}).fit.held_out);
}

TEST(FieldLog, HeatmapFindsTheScan) {
  const ScanLog log = log_of_room();
  const GridMap map = room_map();
  const FieldReport report = fit_field_log(log, map);
  HeatmapLogOptions options;
  options.spacing_m = .25, options.headings = 60, options.compute.threads = 1;
  const LogHeatmap found = field_heatmap_of_log(report.fit.model, map, log, 20, options);
  EXPECT_NEAR(found.heatmap.refined.x_m, log.pose[20].x_m, .1);
  EXPECT_NEAR(found.heatmap.refined.y_m, log.pose[20].y_m, .1);
  EXPECT_GE(found.heatmap.refined_log_likelihood, found.logged_log_likelihood - 1);
  const std::vector<ScanScore> scores = score_field_log(report.fit.model, map, log, "20:21");
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_DOUBLE_EQ(scores[0].log_likelihood, found.logged_log_likelihood);
}

TEST(FieldLog, RefusesWhatIsNotThere) {
  ScanLog log = log_of_room();
  const GridMap map = room_map();
  EXPECT_EQ(input_error([&] { fit_field_log(log, map, {.scans = "some"}); }).find("some/where/log.csv: "), 0U);
  EXPECT_TRUE(contains(input_error([&] { fit_field_log(log, map, {.scans = "odd", .test_scans = "1:4"}); }),
                       "scan 1 is in scans odd and in test_scans 1:4"));
  EXPECT_TRUE(contains(input_error([&] { field_heatmap_of_log({}, map, log, 60); }), "no scan 60"));
  log.max_range_m = 0;
  EXPECT_TRUE(contains(input_error([&] { fit_field_log(log, map); }), "give max_range_m"));
}

// amcl and nav2 look cells up half a cell off, and their files have what is likeliest then.
TEST(FieldLog, WhatLocalizersGetIsLikeliestWithTheirLookUp) {
  const ScanLog log = log_of_room();
  const GridMap map = room_map();
  const FieldReport report = fit_field_log(log, map);
  const DistanceField rounded = DistanceField(map, 2).looked_up(CellLookup::kRounded);
  const FieldData learned = make_field_data(log, select_scans("odd", 60), rounded, report.fit.model);
  const LikelihoodFieldModel& found = model_for(report, Localizer::kNav2);
  const double best = field_nats_per_reading(learned, rounded, found);
  EXPECT_GT(found.sigma_hit_m, report.fit.model.sigma_hit_m);
  EXPECT_GT(best, field_nats_per_reading(learned, rounded, report.fit.model));
  for (const double factor : {.9, 1.1}) {
    LikelihoodFieldModel other = found;
    other.sigma_hit_m *= factor;
    EXPECT_GT(best, field_nats_per_reading(learned, rounded, other));
  }
  EXPECT_EQ(model_for(report, Localizer::kAmcl).sigma_hit_m, found.sigma_hit_m);
  EXPECT_EQ(model_for(report, Localizer::kBeluga).sigma_hit_m, report.fit.model.sigma_hit_m);
  // The file and the report name that look-up, the file of given parameters does not.
  std::string text = report.localizer_text(Localizer::kNav2);
  const std::string note = "# It looks cells up half a cell off, so its likeliest sigma_hit is not that of ";
  const std::size_t at = text.find(note);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.erase(at, text.find('\n', at) + 1 - at), found.localizer_text(Localizer::kNav2));
  EXPECT_EQ(report.localizer_text(Localizer::kBeluga), report.fit.model.localizer_text(Localizer::kBeluga));
  EXPECT_TRUE(contains(report.text(ReportForm::kHtml), "learned with their look-up of cells"));
  const auto json = nlohmann::json::parse(report.text(ReportForm::kJson));
  EXPECT_EQ(json["details"]["amcl_nav2"]["sigma_hit_m"], found.sigma_hit_m);
}

using FieldFiles = InFolder;

TEST_F(FieldFiles, HoldWhatWasFound) {
  const FieldReport report = fit_field_log(log_of_room(), room_map());
  const std::vector<Localizer> one = {Localizer::kBeluga};
  report.write(folder.path() / "fit", false, one);
  const LikelihoodFieldModel read = LikelihoodFieldModel::read(folder.path() / "fit/parameters.yaml");
  for (const auto& field : LikelihoodFieldModel::fields()) {
    EXPECT_EQ(read.*member_of<double>(field), report.fit.model.*member_of<double>(field)) << field.name;
  }
  EXPECT_EQ(bytes_of(folder.path() / "fit/beluga.yaml"), report.fit.model.localizer_text(Localizer::kBeluga));
  const auto json = nlohmann::json::parse(bytes_of(folder.path() / "fit/fit.json"));
  EXPECT_EQ(json["parameters"]["sigma_hit_m"]["value"], report.fit.model.sigma_hit_m);
  EXPECT_EQ(json["parameters"]["w_rand"]["std_error"], report.fit["w_rand"].std_error);
  EXPECT_EQ(json["held_out"]["nats"], report.nats_per_reading);
  EXPECT_EQ(bytes_of(folder.path() / "fit/report.html"), report.text(ReportForm::kHtml));
  // A fit of either model replaces one of the other, and leaves no parameters of localizers that it does not write.
  report.write(folder.path() / "fit", true);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "fit/beluga.yaml"));
  check_result_folder(ResultKind::kFit, folder.path() / "fit", true);
}

TEST_F(FieldFiles, ParametersOfOneModelAreNotTheOthers) {
  BeamModel{}.write(folder.path() / "beam.yaml");
  LikelihoodFieldModel{}.write(folder.path() / "field.yaml");
  EXPECT_TRUE(contains(input_error([&] { LikelihoodFieldModel::read(folder.path() / "beam.yaml"); }),
                       "beam.yaml:2:1: these are parameters of a beam model, not of a likelihood field"));
  EXPECT_TRUE(contains(input_error([&] { BeamModel::read(folder.path() / "field.yaml"); }),
                       "field.yaml:2:1: these are parameters of a likelihood field, not of a beam model"));
}

/// fit.json says what that of the beam model says, by the same names; where nothing is held out, so.
TEST_F(FieldFiles, HaveIntervalsAndNothingHeldOutWhereNothingWas) {
  const FieldReport report = fit_field_log(log_of_room(), room_map(), {.scans = "all"});
  report.write(folder.path() / "fit");
  const auto json = nlohmann::json::parse(bytes_of(folder.path() / "fit/fit.json"));
  EXPECT_TRUE(json["held_out"].is_null());
  EXPECT_FALSE(json["details"].contains("ks_distance"));
  EXPECT_EQ(json["parameters"]["sigma_hit_m"]["interval_95"][0], report.fit["sigma_hit_m"].low_95);
  EXPECT_EQ(json["parameters"]["w_rand"]["interval_95"][1], report.fit["w_rand"].high_95);
  EXPECT_EQ(json["parameters"]["w_hit"]["naive_error"], report.fit["w_hit"].naive_error);
  EXPECT_EQ(json["blocks"]["count"], 40);
  EXPECT_EQ(json["blocks"]["of"], "stretch");
  const std::string page = bytes_of(folder.path() / "fit/report.html");
  EXPECT_TRUE(contains(
      page, fmt::format("{:.4g} to {:.4g}", report.fit["sigma_hit_m"].low_95, report.fit["sigma_hit_m"].high_95)));
}

// The heights of all bars, including the lone one, are logarithms of the shares.
TEST(FieldPage, ShowsDistancesAndNeedsNothingFromOutside) {
  const FieldReport report = fit_field_log(log_of_room(), room_map());
  const std::string page = report.text(ReportForm::kHtml);
  for (const char* word : {"http:", "https:", "<script", "<link", "<img", "nan", "inf"}) {
    EXPECT_FALSE(contains(page, word)) << word;
  }
  for (const char* name : {"w_hit", "w_rand", "sigma_hit_m"}) {
    EXPECT_TRUE(contains(page, ">" + std::string(name) + "<"));
  }
  EXPECT_TRUE(contains(page, "class=\"bars beyond\""));
  EXPECT_TRUE(contains(page, "class=\"hit-line\""));
}

}  // namespace
}  // namespace fathom::test::field_log_test

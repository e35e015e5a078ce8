// SPDX-License-Identifier: MIT
// The folder of a fit.

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/beam/report.hpp>

#include "report/fit_page.hpp"
#include "report/model_text.hpp"
#include "report/pose_moves.hpp"
#include "report/result_folder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 3> kFitNames = {"parameters.yaml", "report.html", "fit.json"};
constexpr std::array<const char*, 4> kRefinedNames = {"parameters.yaml", "report.html", "refined.log", "fit.json"};
constexpr std::array<std::string_view, 2> kFitKeys = {"w_hit", "ks_distance"};

ResultKind kind_of(bool refined) {
  ResultKind kind = {.noun = "fit", .names = kFitNames, .of_ours = kFitKeys};
  if (refined) kind.names = kRefinedNames;
  kind.of_some = "refined.log";
  kind.of_some_key = "refined";
  return kind;
}

/// JSON has no NaN.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json refined_json(const FitReport& report) {
  const RefinedLog& refined = *report.refined;
  const PoseMoves moves = pose_moves(refined);
  return {{"scans", refined.scan},
          {"turns", refined.turns},
          {"prior_stddev_m", refined.prior.stddev_m},
          {"prior_stddev_rad", refined.prior.stddev_rad},
          {"moved_rms_m", moves.rms_m},
          {"moved_rms_rad", moves.rms_rad},
          {"sigma_hit_m_before", refined.parameters_before.sigma_hit_m},
          {"held_out_nats_per_ray_before", number_or_null(refined.before.nats_per_ray)}};
}

std::string fit_json(const FitReport& report) {
  Json json;
  for (const auto& field : BeamParameters::fields()) {
    json[std::string(field.name)] = {{"value", report.fit.parameters.*member_of<double>(field)},
                                     {"std_error", number_or_null(report.fit.std_error.*member_of<double>(field))}};
  }
  json["iterations"] = report.fit.log_likelihood.size() - 1;
  json["log_likelihood"] = report.fit.log_likelihood;
  json["held_out_nats_per_ray"] = report.held_out ? number_or_null(report.judgement.nats_per_ray) : Json(nullptr);
  json["ks_distance"] = report.held_out ? Json(report.judgement.ks_distance) : Json(nullptr);
  for (const FitReport::Log& log : report.logs) {
    Json& entry = json["logs"].emplace_back(Json{{"name", log.name}});
    const auto add = [&](const char* name, double LogCorrection::*number) {
      entry[name] = {{"value", log.correction.*number}, {"std_error", number_or_null(log.std_error.*number)}};
    };
    add("mount_x_m", &LogCorrection::mount_x_m);
    add("mount_y_m", &LogCorrection::mount_y_m);
    add("mount_yaw_rad", &LogCorrection::mount_yaw_rad);
    add("range_offset_m", &LogCorrection::range_offset_m);
  }
  if (report.refined) json["refined"] = refined_json(report);
  json["flags"] = report_flags(report);
  return json.dump(2) + "\n";
}

}  // namespace

std::vector<std::string> report_flags(const FitReport& report) {
  std::vector<std::string> flags = report.fit.flags;
  flags.insert(flags.end(), report.judgement.flags.begin(), report.judgement.flags.end());
  return flags;
}

std::vector<fs::path> fit_files(const fs::path& folder, bool refined) { return result_files(kind_of(refined), folder); }

void check_fit_folder(const fs::path& folder, bool force) { check_result_folder(kind_of(true), folder, force); }

void write_fit(const fs::path& folder, const FitReport& report, bool force) {
  check_fit_folder(folder, force);  // before the work
  std::vector<std::string> contents = {beam_model_text(report.model), fit_page(report)};
  if (report.refined) contents.push_back(refined_log_text(*report.refined));
  contents.push_back(fit_json(report));
  write_results(kind_of(report.refined.has_value()), folder, contents, force);
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
// The folder of a fit.

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <fathom/beam/report.hpp>

#include "report/fit_page.hpp"
#include "report/model_text.hpp"
#include "report/result_folder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 3> kFitNames = {"parameters.yaml", "report.html", "fit.json"};
constexpr std::array<std::string_view, 2> kFitKeys = {"w_hit", "ks_distance"};
constexpr ResultKind kFit = {.noun = "fit", .names = kFitNames, .of_ours = kFitKeys};

/// JSON has no NaN.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string fit_json(const FitReport& report) {
  Json json;
  for (const auto& field : BeamParameters::fields()) {
    const auto member = member_of<double>(field);
    Json& entry = json[std::string(field.name)];
    entry = {{"value", report.fit.parameters.*member},
             {"std_error", number_or_null(report.fit.std_error.*member)},
             {"naive_std_error", number_or_null(report.fit.naive_std_error.*member)},
             {"interval_95", nullptr}};
    if (std::isfinite(report.fit.std_error.*member)) {
      entry["interval_95"] = {report.fit.low_95.*member, report.fit.high_95.*member};
    }
  }
  json["clusters"] = report.fit.clusters;
  json["clustered_by"] = report.stretches > 0 ? "stretch" : "scan";
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
  json["flags"] = report_flags(report);
  return json.dump(2) + "\n";
}

}  // namespace

std::vector<std::string> report_flags(const FitReport& report) {
  std::vector<std::string> flags = report.fit.flags;
  flags.insert(flags.end(), report.judgement.flags.begin(), report.judgement.flags.end());
  return flags;
}

std::vector<fs::path> fit_files(const fs::path& folder) { return result_files(kFit, folder); }

void check_fit_folder(const fs::path& folder, bool force) { check_result_folder(kFit, folder, force); }

void write_fit(const fs::path& folder, const FitReport& report, bool force) {
  check_fit_folder(folder, force);  // before the work
  const std::array<std::string, 3> contents = {beam_model_text(report.model), fit_page(report), fit_json(report)};
  write_results(kFit, folder, contents, force);
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
// The folder of a fit.

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/beam/report.hpp>

#include "report/fit_folder.hpp"
#include "report/fit_page.hpp"
#include "report/model_text.hpp"
#include "report/number_json.hpp"
#include "report/pose_moves.hpp"
#include "report/result_folder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 7> kFitNames = {"parameters.yaml", "report.html", "amcl.yaml", "nav2.yaml",
                                                  "beluga.yaml",     "refined.log", "fit.json"};
constexpr std::size_t kLocalizersAt = 2;  // their files in kFitNames, in the order of Localizer
constexpr std::size_t kRefinedAt = 5;
constexpr std::array<std::string_view, 2> kFitKeys = {"w_hit", "log_likelihood"};
constexpr ResultKind kFit = {
    .noun = "fit", .names = kFitNames, .of_ours = kFitKeys, .of_some = "refined.log", .of_some_key = "refined"};

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
  for (const LearnedNumber& number : learned_numbers(report.fit)) {
    Json& entry = json[std::string(number.field.name)];
    entry = {{"value", number.value},
             {"std_error", number_or_null(number.std_error)},
             {"naive_std_error", number_or_null(number.naive_std_error)},
             {"interval_95", nullptr}};
    if (std::isfinite(number.std_error)) entry["interval_95"] = {number.low_95, number.high_95};
  }
  json["hit"] = kChoiceWords<HitLaw>[static_cast<std::size_t>(report.fit.parameters.tail.hit)];
  json["clusters"] = report.fit.clusters;
  json["clustered_by"] = report.stretches > 0 ? "stretch" : report.rows_are_scans ? "row" : "scan";
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
  json["held_out_note"] = report.held_out_note.empty() ? Json(nullptr) : Json(report.held_out_note);
  json["flags"] = report_flags(report);
  return json.dump(2) + "\n";
}

/// Whether the file is what localizer_text() once made, of any model.
bool is_localizer_text(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  return std::getline(stream, line) && line.starts_with("# The ") && line.ends_with(", as learned by fathom.");
}

}  // namespace

std::vector<std::string> report_flags(const FitReport& report) {
  std::vector<std::string> flags = report.fit.flags;
  flags.insert(flags.end(), report.judgement.flags.begin(), report.judgement.flags.end());
  flags.insert(flags.end(), report.sanity.begin(), report.sanity.end());
  return flags;
}

std::vector<fs::path> fit_files(const fs::path& folder, std::span<const Localizer> localizers, bool refined) {
  std::vector<fs::path> files;
  for (std::size_t k = 0; k < kFitNames.size(); ++k) {
    const bool is_localizer = k >= kLocalizersAt && k < kLocalizersAt + kChoiceWords<Localizer>.size();
    const auto is_it = [&](Localizer localizer) { return localizer_file_name(localizer) == kFitNames[k]; };
    const bool is_written =
        is_localizer ? std::any_of(localizers.begin(), localizers.end(), is_it) : k != kRefinedAt || refined;
    if (is_written) files.push_back(folder / kFitNames[k]);
  }
  return files;
}

void check_fit_folder(const fs::path& folder, bool force) { check_result_folder(kFit, folder, force); }

void write_fit_folder(const fs::path& folder, const FitContents& contents, bool force) {
  check_fit_folder(folder, force);
  std::array<std::string, kFitNames.size()> texts;  // what is empty is not written
  texts[0] = contents.parameters_yaml;
  texts[1] = contents.report_html;
  texts[kRefinedAt] = contents.refined_log;
  texts.back() = contents.fit_json;
  for (std::size_t k = 0; k < contents.localizers.size(); ++k) {
    texts[kLocalizersAt + k] = contents.localizers[k];
    const fs::path file = folder / kFitNames[kLocalizersAt + k];
    if (std::error_code error; contents.localizers[k].empty() && is_localizer_text(file) && !fs::remove(file, error)) {
      throw SystemError(file.string() + ": cannot be removed: " + error.message());
    }
  }
  write_results(kFit, folder, texts, force);
}

void write_fit(const fs::path& folder, const FitReport& report, bool force, std::span<const Localizer> localizers) {
  check_fit_folder(folder, force);  // before the work
  FitContents contents = {beam_model_text(report.model), fit_page(report), fit_json(report), {}, {}};
  if (report.refined) contents.refined_log = refined_log_text(*report.refined);
  for (const Localizer localizer : localizers) {
    contents.localizers[static_cast<std::size_t>(localizer)] =
        localizer_text(report.model.parameters, report.model.sensor, localizer);
  }
  write_fit_folder(folder, contents, force);
}

}  // namespace fathom

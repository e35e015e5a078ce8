// SPDX-License-Identifier: MIT
// The folder of a fit.

#include <algorithm>
#include <array>
#include <cmath>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/beam/report.hpp>

#include "report/fit_page.hpp"
#include "report/model_text.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kJsonName = "fit.json";
constexpr std::array<const char*, 3> kNames = {"parameters.yaml", "report.html", kJsonName};

/// JSON has no NaN.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

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
  json["flags"] = report_flags(report);
  return json.dump(2) + "\n";
}

bool is_ours(const fs::path& json_file) {
  std::ifstream stream(json_file);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  return json.is_object() && json.contains("w_hit") && json.contains("ks_distance");
}

/// Two fits into one folder write one after the other, so that its files are of one fit. A file system without locks
/// does not tell them apart.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) static_cast<void>(flock(descriptor_, LOCK_EX));
  }
  ~FolderLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

std::vector<std::string> report_flags(const FitReport& report) {
  std::vector<std::string> flags = report.fit.flags;
  flags.insert(flags.end(), report.judgement.flags.begin(), report.judgement.flags.end());
  return flags;
}

std::vector<fs::path> fit_files(const fs::path& folder) {
  std::vector<fs::path> files(kNames.size());
  std::transform(kNames.begin(), kNames.end(), files.begin(), [&](const char* name) { return folder / name; });
  return files;
}

void check_fit_folder(const fs::path& folder, bool force) {
  if (folder.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (!fs::is_directory(folder, error))
    throw InputError(fmt::format("{}: exists and is not a folder", folder.string()));
  if (fs::is_empty(folder, error)) return;
  if (!force) {
    throw InputError(
        fmt::format("{}: exists already; force (--force) replaces what an earlier fit wrote", folder.string()));
  }
  if (is_ours(folder / kJsonName)) return;
  for (const fs::path& file : fit_files(folder)) {
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    throw InputError(fmt::format("{}: no fit of fathom stands beside it; nothing is replaced here", file.string()));
  }
}

void write_fit(const fs::path& folder, const FitReport& report, bool force) {
  check_fit_folder(folder, force);
  const std::string parameters = beam_model_text(report.model), page = fit_page(report), json = fit_json(report);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw SystemError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  const FolderLock lock(folder);
  check_fit_folder(folder, force);  // another fit may have come first
  // While it stands it promises whole files.
  fs::remove(folder / kJsonName, error);
  if (error)
    throw SystemError(fmt::format("{}: cannot be removed: {}", (folder / kJsonName).string(), error.message()));
  write_whole_file(folder / kNames[0], parameters);
  write_whole_file(folder / kNames[1], page);
  write_whole_file(folder / kNames[2], json);
}

}  // namespace fathom

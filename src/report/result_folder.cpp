// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string_view>;

struct KindOfResult {
  std::string_view noun;  ///< in messages
  Names names;            ///< of files that such a result may have, the JSON last
  Names kinds;            ///< the values of "kind" in JSON that fathom wrote
};

/// By ResultKind.
const KindOfResult& facts_of(ResultKind kind) {
  static const std::array<KindOfResult, 4> all = {{
      {"fit",
       {"parameters.yaml", "report.html", "amcl.yaml", "nav2.yaml", "beluga.yaml", "refined.log", "fit.json"},
       {"beam", "likelihood_field"}},
      {"fit", {"noise.yaml", "report.html", "fit.json"}, {"chain"}},
      {"fit of a wall", {"noise.yaml", "sensor.yaml", "report.html", "fit.json"}, {"wall"}},
      {"measurement", {"report.html", "measure.json"}, {"depth_camera"}},
  }};
  return all.at(static_cast<std::size_t>(kind));
}

/// Null if fathom did not write the file.
nlohmann::json json_of_ours(const KindOfResult& kind, const fs::path& folder) {
  std::ifstream stream(folder / kind.names.back());
  nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string()) return nullptr;
  const bool is_ours = std::ranges::find(kind.kinds, json["kind"].get<std::string>()) != kind.kinds.end();
  return is_ours ? json : nlohmann::json(nullptr);
}

/// Whether its "files" name this one.
bool names_file(const nlohmann::json& json, std::string_view name) {
  const auto files = json.find("files");
  const auto is_it = [&](const nlohmann::json& file) { return file.is_string() && file.get<std::string>() == name; };
  return files != json.end() && files->is_array() && std::any_of(files->begin(), files->end(), is_it);
}

void remove_old(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw SystemError(fmt::format("{}: cannot be removed: {}", file.string(), error.message()));
}

/// Two results into one folder are written one after the other, so that its files are of one. A file system without
/// locks may mix them.
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

std::vector<fs::path> result_files(ResultKind kind, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const std::string_view name : facts_of(kind).names) files.push_back(folder / name);
  return files;
}

void check_result_folder(ResultKind kind, const fs::path& folder, bool force) {
  const KindOfResult& facts = facts_of(kind);
  if (folder.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (!fs::is_directory(folder, error))
    throw InputError(fmt::format("{}: exists and is not a folder", folder.string()));
  if (fs::is_empty(folder, error)) return;
  if (!force) {
    throw InputError(folder.string(), ": exists already; force", Hint{"force", "", true},
                     fmt::format(" replaces what an earlier {} wrote", facts.noun));
  }
  if (!json_of_ours(facts, folder).is_null()) return;
  for (const fs::path& file : result_files(kind, folder)) {
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    throw InputError(
        fmt::format("{}: no {} of fathom is beside it; nothing is replaced here", file.string(), facts.noun));
  }
}

void write_report(ResultKind kind, const fs::path& folder, const Report& report, std::vector<ResultFile> files,
                  bool force) {
  check_result_folder(kind, folder, force);  // before the work
  const KindOfResult& facts = facts_of(kind);
  files.push_back({"report.html", html_text(report)});
  std::vector<std::string> names;
  names.reserve(files.size() + 1);
  for (const ResultFile& file : files) names.push_back(file.name);
  names.emplace_back(facts.names.back());
  files.push_back({names.back(), json_text(report, names)});
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw SystemError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  const FolderLock lock(folder);
  check_result_folder(kind, folder, force);  // another result may have come first
  const nlohmann::json old = json_of_ours(facts, folder);
  remove_old(folder / facts.names.back());  // it promises whole files
  for (const std::string_view name : facts.names) {
    if (names_file(old, name) && std::ranges::find(names, name) == names.end()) remove_old(folder / name);
  }
  for (const ResultFile& file : files) write_whole_file(folder / file.name, file.text);
}

}  // namespace fathom

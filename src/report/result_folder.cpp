// SPDX-License-Identifier: MIT
#include "report/result_folder.hpp"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>

#include "text/whole_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// Null if fathom did not write the file.
nlohmann::json json_of_ours(const ResultKind& kind, const fs::path& folder) {
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
/// locks does not tell them apart.
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

std::vector<fs::path> result_files(const ResultKind& kind, const fs::path& folder) {
  std::vector<fs::path> files(kind.names.size());
  std::transform(kind.names.begin(), kind.names.end(), files.begin(), [&](const char* name) { return folder / name; });
  return files;
}

void check_result_folder(const ResultKind& kind, const fs::path& folder, bool force) {
  if (folder.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (!fs::is_directory(folder, error))
    throw InputError(fmt::format("{}: exists and is not a folder", folder.string()));
  if (fs::is_empty(folder, error)) return;
  if (!force) {
    throw InputError(fmt::format("{}: exists already; force (--force) replaces what an earlier {} wrote",
                                 folder.string(), kind.noun));
  }
  if (!json_of_ours(kind, folder).is_null()) return;
  for (const fs::path& file : result_files(kind, folder)) {
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    throw InputError(
        fmt::format("{}: no {} of fathom stands beside it; nothing is replaced here", file.string(), kind.noun));
  }
}

void write_results(const ResultKind& kind, const fs::path& folder, std::span<const ResultFile> files, bool force) {
  check_result_folder(kind, folder, force);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw SystemError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  const FolderLock lock(folder);
  check_result_folder(kind, folder, force);  // another result may have come first
  const nlohmann::json old = json_of_ours(kind, folder);
  remove_old(folder / kind.names.back());  // it promises whole files
  for (const char* name : kind.names) {
    const auto is_it = [&](const ResultFile& file) { return file.name == name; };
    if (names_file(old, name) && std::none_of(files.begin(), files.end(), is_it)) remove_old(folder / name);
  }
  for (const ResultFile& file : files) write_whole_file(folder / file.name, file.text);
}

void write_report(const ResultKind& kind, const fs::path& folder, const Report& report, std::vector<ResultFile> files,
                  bool force) {
  files.push_back({"report.html", html_text(report)});
  std::vector<std::string> names(files.size());
  std::ranges::transform(files, names.begin(), &ResultFile::name);
  names.emplace_back(kind.names.back());
  files.push_back({names.back(), json_text(report, names)});
  write_results(kind, folder, files, force);
}

}  // namespace fathom

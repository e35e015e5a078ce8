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

bool has_keys(const fs::path& json_file, std::span<const std::string_view> keys) {
  std::ifstream stream(json_file);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  return json.is_object() &&
         std::all_of(keys.begin(), keys.end(), [&](std::string_view key) { return json.contains(std::string(key)); });
}

bool is_ours(const ResultKind& kind, const fs::path& json_file) { return has_keys(json_file, kind.of_ours); }

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
  if (is_ours(kind, folder / kind.names.back())) return;
  for (const fs::path& file : result_files(kind, folder)) {
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    throw InputError(
        fmt::format("{}: no {} of fathom stands beside it; nothing is replaced here", file.string(), kind.noun));
  }
}

void write_results(const ResultKind& kind, const fs::path& folder, std::span<const std::string> contents, bool force) {
  check_result_folder(kind, folder, force);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw SystemError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  const FolderLock lock(folder);
  check_result_folder(kind, folder, force);  // another result may have come first
  // While it stands it promises whole files.
  const fs::path json = folder / kind.names.back();
  const bool has_more = kind.of_some != nullptr && has_keys(json, {&kind.of_some_key, 1});
  remove_old(json);
  if (has_more) remove_old(folder / kind.of_some);
  for (std::size_t k = 0; k < contents.size(); ++k) {
    if (!contents[k].empty()) write_whole_file(folder / kind.names[k], contents[k]);
  }
}

}  // namespace fathom

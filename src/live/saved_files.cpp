// SPDX-License-Identifier: MIT
#include "live/saved_files.hpp"

#include <system_error>

namespace fathom {

SavedFiles::Stamp SavedFiles::stamp_of(const std::filesystem::path& file) {
  std::error_code failed;
  const auto time = std::filesystem::last_write_time(file, failed);
  if (failed) return {};
  const std::uintmax_t bytes = std::filesystem::file_size(file, failed);
  return failed ? Stamp() : Stamp{time, bytes};
}

void SavedFiles::watch(const std::vector<std::filesystem::path>& files) {
  stamps_.clear();
  for (const auto& file : files) stamps_[file] = stamp_of(file);
}

bool SavedFiles::were_saved() {
  bool saved = false;
  for (auto& [file, stamp] : stamps_) {
    const Stamp now = stamp_of(file);
    if (now == Stamp() || now == stamp) continue;
    stamp = now;
    saved = true;
  }
  return saved;
}

}  // namespace fathom

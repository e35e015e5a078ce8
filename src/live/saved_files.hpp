// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <vector>

namespace fathom {

/// Tells whether files were saved, by their times of change and sizes. A file that is not there was not saved: editors
/// take it away for a moment.
class SavedFiles {
 public:
  void watch(const std::vector<std::filesystem::path>& files);
  /// Whether any was saved since it was watched, or since this was asked.
  bool were_saved();

 private:
  struct Stamp {
    std::filesystem::file_time_type time = {};
    std::uintmax_t bytes = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);

  std::map<std::filesystem::path, Stamp> stamps_;
};

}  // namespace fathom

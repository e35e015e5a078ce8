#pragma once
// The folder that a run writes into.

#include <filesystem>
#include <string>
#include <vector>

namespace fathom {

inline constexpr const char* kSummaryName = "summary.json";

class RunFolder {
 public:
  /// Looks, and changes nothing. Throws InputError when `out` exists and `force` is not set, is no folder, or holds a
  /// summary.json that is not ours or lists a file outside the folder.
  RunFolder(std::filesystem::path out, bool force);

  /// Makes the folder and its subfolders, or, where an earlier run wrote, removes its summary.json and then the files
  /// it lists. Throws SystemError.
  void open(const std::vector<std::string>& subfolders);

  [[nodiscard]] const std::filesystem::path& path() const { return out_; }

 private:
  void remove_old_files() const;

  std::filesystem::path out_;
  std::vector<std::filesystem::path> old_files_;  // relative to out_
};

}  // namespace fathom

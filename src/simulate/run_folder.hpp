// SPDX-License-Identifier: MIT
#pragma once
// The folder that a run writes into.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "simulate/run_record.hpp"

namespace fathom {

inline constexpr const char* kSummaryName = "summary.json";

class RunFolder {
 public:
  /// Looks, and changes nothing. Throws InputError when `out` is no folder, or is not empty and `force` is not set.
  RunFolder(std::filesystem::path out, bool force);

  /// Makes the folder, unless it is there, and takes it for this run alone; removes what an earlier run wrote; makes
  /// the subfolders. Throws InputError, and removes nothing, when another run has it, when it holds a summary.json or
  /// an unfinished.txt that is not ours or lists a file outside the folder, when a subfolder is a link, when a file to
  /// be removed or written is one of `inputs`, under whatever name, or is there and no run has listed it; SystemError.
  void open(const std::vector<PlannedFolder>& plan, std::uint32_t frames,
            const std::vector<std::filesystem::path>& inputs);

  /// Throws InputError when a run of this plan writes `file`, or when `file` is a folder around the run's folder. Links
  /// and other spellings of the name change nothing.
  void refuse_own(const std::filesystem::path& file, const std::vector<PlannedFolder>& plan,
                  std::uint32_t frames) const;

  /// summary.json is there.
  void finish() { record_->remove(); }

  [[nodiscard]] const std::filesystem::path& path() const { return out_; }

 private:
  [[nodiscard]] std::vector<std::filesystem::path> old_files() const;
  void refuse_inputs(const std::vector<std::filesystem::path>& files,
                     const std::vector<std::filesystem::path>& inputs) const;
  void remove(const std::vector<std::filesystem::path>& files);

  std::filesystem::path out_;
  bool force_;
  std::unique_ptr<RunRecord> record_;
};

}  // namespace fathom

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
  /// Looks, and changes nothing. Throws InputError when `out` is no folder, when it is not empty and `force` is not
  /// set, or when it holds a summary.json or an unfinished.txt that is not ours or lists a file outside the folder.
  RunFolder(std::filesystem::path out, bool force);

  /// Throws InputError when a file that the run would write, or that open() would remove, is one of `inputs`, under
  /// whatever name.
  void refuse_inputs(const std::vector<PlannedFolder>& plan, std::uint32_t frames,
                     const std::vector<std::filesystem::path>& inputs) const;

  /// Makes the folder, unless it is there, and takes it for this run alone; removes what an earlier run wrote; makes
  /// the subfolders. Throws InputError, and removes nothing, when another run has it, when a subfolder is a link, or
  /// when a file of the plan is there that no run has listed; SystemError.
  void open(const std::vector<PlannedFolder>& plan, std::uint32_t frames);

  /// summary.json is there.
  void finish() { record_->remove(); }

  [[nodiscard]] const std::filesystem::path& path() const { return out_; }

 private:
  [[nodiscard]] std::vector<std::filesystem::path> old_files() const;
  void check_planned(const std::vector<PlannedFolder>& plan, std::uint32_t frames,
                     const std::vector<std::filesystem::path>& old);
  void remove(const std::vector<std::filesystem::path>& files);

  std::filesystem::path out_;
  bool force_;
  std::unique_ptr<RunRecord> record_;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The folder that a run writes into, and unfinished.txt: the list of files of an incomplete run. The lock on that file
// shows which run owns the folder.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fathom {

inline constexpr const char* kSummaryName = "summary.json";
inline constexpr const char* kRecordName = "unfinished.txt";

/// The files that a run writes into one subfolder. A * in a file name means the six digits of a frame.
struct PlannedFolder {
  std::string name;
  std::vector<std::string> files;
  std::uint32_t frames = 0;  ///< of its sensor; 0: as many as the run has
};

/// The existing files of a run that never became complete, relative to `folder`; empty without a
/// record. Throws InputError when fathom did not write the record or it names a file outside the folder.
std::vector<std::filesystem::path> read_record(const std::filesystem::path& folder);

/// The record of a run. The process that has its lock owns the folder; the lock ends with the process.
class RunRecord {
 public:
  /// Takes an existing folder. Throws InputError when another run owns it, or, unless `force`, has left a record.
  RunRecord(const std::filesystem::path& folder, bool force);
  ~RunRecord();
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// Adds files of an earlier run, about to be removed.
  void add(const std::vector<std::filesystem::path>& files);
  /// Replaces the list by the files of a plan of this many frames. Call it after the added files are removed.
  void replace(const std::vector<PlannedFolder>& plan, std::uint32_t frames);
  /// This run does not begin: a record that existed before remains unchanged.
  void give_up();
  /// The run is complete, or never began.
  void remove();

 private:
  [[noreturn]] void fail(const char* action) const;
  [[nodiscard]] bool lock();
  void append(const std::string& text);

  std::filesystem::path file_;
  int descriptor_ = -1;
};

class RunFolder {
 public:
  /// Checks and changes nothing. Throws InputError when `out` is no folder, or is not empty and `force` is not set.
  RunFolder(std::filesystem::path out, bool force);

  /// Makes the folder if necessary and takes it for this run; removes the files of an earlier run; makes
  /// the subfolders. Throws SystemError. Throws InputError, and removes nothing, when
  ///   - another run owns the folder,
  ///   - fathom did not write its summary.json or unfinished.txt, or these list a file outside the folder,
  ///   - a subfolder is a link,
  ///   - a file to be removed or written is one of `inputs`, under any name,
  ///   - a file to be written exists and no run has listed it.
  void open(const std::vector<PlannedFolder>& plan, std::uint32_t frames,
            const std::vector<std::filesystem::path>& inputs);

  /// Throws InputError when a run of this plan writes `file`, or when `file` is a folder around the run's folder. Also
  /// recognises links and other spellings of the name.
  void refuse_own(const std::filesystem::path& file, const std::vector<PlannedFolder>& plan,
                  std::uint32_t frames) const;

  /// summary.json is written.
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

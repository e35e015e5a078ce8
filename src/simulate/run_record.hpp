// SPDX-License-Identifier: MIT
#pragma once
// unfinished.txt: which files a run that is not complete writes, and whose the folder is.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fathom {

inline constexpr const char* kRecordName = "unfinished.txt";

/// The files that a run writes into one subfolder. A * in a file name stands for the six digits of a frame.
struct PlannedFolder {
  std::string name;
  std::vector<std::string> files;
  std::uint32_t frames = 0;  ///< of its sensor; 0: as many as the run has
};

/// The existing files of a run that never became complete, relative to `folder`; none without a
/// record. Throws InputError when the record is not ours or names a file outside the folder.
std::vector<std::filesystem::path> read_record(const std::filesystem::path& folder);

/// The existing files that have names of a plan, relative to `folder`.
std::vector<std::filesystem::path> find_planned(const std::filesystem::path& folder,
                                                const std::vector<PlannedFolder>& plan, std::uint32_t frames);

/// Whether a plan has a folder or a file of this name, relative to the run's folder. Case does not count, because some
/// file systems ignore it.
bool is_planned(const std::filesystem::path& name, const std::vector<PlannedFolder>& plan, std::uint32_t frames);

/// Throws the InputError of a run without force that finds a folder in use.
[[noreturn]] void throw_taken(const std::filesystem::path& folder);

/// Throws InputError, naming `list`, unless `file`, relative to the folder, stays inside it, links followed, and is no
/// folder.
void check_inside(const std::filesystem::path& folder, const std::filesystem::path& file,
                  const std::filesystem::path& list);

/// The record being kept. Whoever has its lock owns the folder; the lock of a process ends with the process.
class RunRecord {
 public:
  /// Takes the folder, which is there. Throws InputError when another run has it, or, unless `force`, has had it.
  RunRecord(const std::filesystem::path& folder, bool force);
  ~RunRecord();
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// Adds files of an earlier run, about to be removed.
  void add(const std::vector<std::filesystem::path>& files);
  /// From now on these files alone, of so many frames; call it once the files added are removed.
  void replace(const std::vector<PlannedFolder>& plan, std::uint32_t frames);
  /// This run does not begin: a record that was there before stays as it was.
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

}  // namespace fathom

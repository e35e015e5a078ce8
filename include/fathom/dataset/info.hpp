// SPDX-License-Identifier: MIT
#pragma once
// What a dataset holds, and whether it is as it was written.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/dataset/format.hpp>
#include <fathom/dataset/unit.hpp>

namespace fathom {

struct DatasetInfo {
  std::string version;  ///< of fathom, that rendered it
  std::string scene;    ///< name of the scene file
  std::string command;  ///< that renders it, without --out; empty: unknown
  std::uint64_t seed = 0;
  DatasetFiles format;
  UnitList units;
  std::uint64_t complete = 0;                  ///< units that are there, made of the dataset's inputs
  std::uint64_t others = 0;                    ///< units that are there and made of something else
  std::optional<std::uint64_t> first_missing;  ///< the first that is not complete
  std::uint64_t unfinished = 0;                ///< units, or files of units, that a process began
  std::uint64_t foreign = 0;                   ///< links, and files and folders that are not part of the dataset
  std::optional<std::filesystem::path> first_foreign;
  std::uint64_t files = 0, bytes = 0;  ///< of the complete units
};

/// Reads the descriptions of the units that are there and the sizes of their files, but no array. The time grows with
/// these units, not with the number of units that the dataset will have. Throws InputError for a folder that is no
/// dataset.
FATHOM_API DatasetInfo read_dataset_info(const std::filesystem::path& dataset);

struct VerifyOptions {
  int threads = 0;                         ///< 0: one per core
  std::function<bool()> should_stop = {};  ///< asked before every unit, from any thread
  /// Removes the units and files at fault and the unfinished ones; rendering with resume then completes the dataset.
  /// Missing units are no faults then. Leaves links alone, units that hold one, and files that are not part of the
  /// dataset. No process may be rendering.
  bool remove_faulty = false;
};

struct VerifyResult {
  std::uint64_t units = 0, files = 0, bytes = 0;  ///< read
  std::uint64_t fault_count = 0;
  std::uint64_t removed = 0;        ///< units, and files with their units
  std::uint64_t left = 0;           ///< faults that remove_faulty leaves alone
  std::vector<std::string> faults;  ///< a sentence each, sorted by units; the first kMostFaults
};

inline constexpr std::size_t kMostFaults = 100;

/// Reads every file of a dataset and compares its size and digest with the ones written. Finds files and units
/// that are missing, changed, unfinished, foreign, or made of something else; opens no array by a library of its
/// format. Throws InputError for a folder that is no dataset; Interrupted; SystemError.
FATHOM_API VerifyResult verify_dataset(const std::filesystem::path& dataset, const VerifyOptions& options = {});

}  // namespace fathom

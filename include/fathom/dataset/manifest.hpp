// SPDX-License-Identifier: MIT
#pragma once
// What a dataset holds, its manifest, and whether both agree.

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
  std::uint64_t complete = 0;                  ///< units that are there
  std::uint64_t others = 0;                    ///< units that are there and made of something else
  std::optional<std::uint64_t> first_missing;  ///< the first that is not there, or made of something else
  std::uint64_t unfinished = 0;                ///< folders of units that somebody began
  std::uint64_t strays = 0;                    ///< files and folders that are none of the dataset
  std::optional<std::filesystem::path> first_stray;
  std::uint64_t files = 0, bytes = 0;  ///< of the complete units
  bool merged = false;                 ///< manifest.json is there
};

/// Reads the manifest, the names of the units and the sizes of files of many; opens a unit only where the manifest has
/// no line for it. Throws InputError for a folder that is no dataset.
FATHOM_API DatasetInfo read_dataset_info(const std::filesystem::path& dataset);

/// Checks that all units are there with the sizes that were written, sorts the manifest and writes manifest.json;
/// removes what is unfinished. Afterwards the bytes of all files are the same whoever rendered the dataset. Call it
/// when nobody renders any more. Units of other sizes lose their line in the manifest, so that rendering with resume
/// makes them again. Throws InputError for these, for a unit that is missing or made of something else, and for what is
/// none of the dataset, naming it; SystemError.
FATHOM_API DatasetInfo merge_dataset(const std::filesystem::path& dataset);

struct VerifyOptions {
  int threads = 0;                         ///< 0: one per core
  std::function<bool()> should_stop = {};  ///< asked before every unit, from any thread
  /// Removes the units and files at fault, those that are too many, and manifest.json where there is a fault: rendering
  /// with resume and merging then complete the dataset. Also of a dataset that was not merged, whose missing units are
  /// no faults. Nobody may be rendering.
  bool remove_faulty = false;
};

struct VerifyResult {
  std::uint64_t units = 0, files = 0, bytes = 0;  ///< read
  std::uint64_t fault_count = 0;
  std::uint64_t removed = 0;        ///< units, files with their units, and other files and folders
  std::vector<std::string> faults;  ///< a sentence each, sorted by units; the first kMostFaults
};

inline constexpr std::size_t kMostFaults = 100;

/// Reads every file of a merged dataset and compares its size and digest with unit.json, and that with the manifest.
/// Finds files and units that are missing, changed, too many, or made of something else. Throws InputError for a folder
/// that is no dataset or, unless faulty ones are to be removed, was not merged; Interrupted; SystemError.
FATHOM_API VerifyResult verify_dataset(const std::filesystem::path& dataset, const VerifyOptions& options = {});

}  // namespace fathom

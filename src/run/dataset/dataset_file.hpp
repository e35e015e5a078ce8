// SPDX-License-Identifier: MIT
#pragma once
// dataset.json: the units of a dataset, and their inputs.

#include <filesystem>
#include <string>

#include <fathom/simulate/dataset.hpp>

#include "run/dataset/pack.hpp"

namespace fathom {

inline constexpr const char* kDatasetName = "dataset.json";

struct DatasetFile {
  std::string version;  ///< of fathom
  std::string scene;    ///< name of the scene file
  std::string command;  ///< that makes it; empty: unknown
  std::string inputs;   ///< digest of the inputs that all units share
  std::uint64_t seed = 0;
  PackList packs;
  /// JSON of the sensors, a list of {name, rows, cols, noise, range_policy, channels}, with a timing its parameters,
  /// and for cameras intrinsics in pixels {fx, fy, cx, cy}. The noise has the middles of parameters that are drawn for
  /// each episode; channels are {name, type, unit}.
  std::string sensors = "[]";

  [[nodiscard]] const UnitList& units() const { return packs.units(); }
};

/// The file for these options, with a number of units per file even if they leave it open. `inputs`: their digest.
DatasetFile describe_dataset(const SceneSetup& setup, const DatasetOptions& options, std::string inputs);

/// Its `check` is the digest of the rest.
std::string dataset_text(const DatasetFile& file);
/// Throws InputError when the folder holds no dataset.json, or one that fathom did not write.
DatasetFile read_dataset_file(const std::filesystem::path& dataset);

/// Makes the folder of a dataset with its dataset.json if they do not exist; many processes may do so at once. Throws
/// InputError for a folder that holds something else, for links in it, and, without resume and force, for another
/// dataset or units whose dataset.json is lost. A dataset.json that differs in its command only is kept.
void open_dataset(const DatasetFile& file, const DatasetOptions& options);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// dataset.json: which units a dataset has, and what they are made of.

#include <filesystem>
#include <optional>
#include <string>

#include <fathom/dataset/dataset.hpp>

#include "dataset/digest.hpp"
#include "dataset/pack.hpp"

namespace fathom {

inline constexpr const char* kDatasetName = "dataset.json";

struct DatasetFile {
  std::string version;  ///< of fathom
  std::string scene;    ///< name of the scene file
  std::string command;  ///< that makes it; empty: unknown
  std::string inputs;   ///< digest of what all units are made of
  std::uint64_t seed = 0;
  PackList packs;
  std::string sensors = "[]";  ///< JSON: what they measure (sensor_description.hpp)

  [[nodiscard]] const UnitList& units() const { return packs.units(); }
};

/// Its `check` is the digest of the rest.
std::string dataset_text(const DatasetFile& file);
/// Throws InputError when the folder holds no dataset.json, or one that fathom did not write.
DatasetFile read_dataset_file(const std::filesystem::path& dataset);

}  // namespace fathom

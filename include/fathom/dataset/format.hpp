// SPDX-License-Identifier: MIT
#pragma once
// How the units of a dataset are kept.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fathom/base/field_member.hpp>

namespace fathom {

/// docs/scale.md describes the files of each.
enum class DatasetFormat : std::uint8_t {
  kFolders,     ///< a folder for each unit, with the files of a run
  kHdf5,        ///< files of many units each; in them an array [units, frames, rows, cols] for each channel
  kWebDataset,  ///< tar files of many units each; in them a NPY for each channel of a frame, and a JSON for the frame
};
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<DatasetFormat> = {"folders", "hdf5", "webdataset"};
constexpr std::string_view to_string(DatasetFormat format) {
  return kChoiceWords<DatasetFormat>[static_cast<std::size_t>(format)];
}

/// A format and its options.
struct DatasetFiles {
  DatasetFormat format = DatasetFormat::kFolders;
  /// Units of a file, of formats with many in each; 0: as many as have at most 64 MiB of arrays, at least one.
  /// Each thread keeps the HDF5 that it makes in memory.
  std::uint64_t units_per_file = 0;
  int compression = 1;  ///< of HDF5, in [0, 9]: 0 for none, 1 for the fastest deflate, 9 for the smallest

  friend bool operator==(const DatasetFiles&, const DatasetFiles&) = default;
};

}  // namespace fathom

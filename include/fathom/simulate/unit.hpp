// SPDX-License-Identifier: MIT
#pragma once
// The units of a dataset, and the formats in which it keeps them. A unit is a block of frames of one environment and
// episode. Units do not depend on each other: any process can render any of them, in any order.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <fathom/core/detail/field_member.hpp>
#include <fathom/core/export.hpp>

namespace fathom {

/// The whole numbers from `first` on, below `end`.
struct NumberRange {
  std::uint32_t first = 0, end = 1;

  [[nodiscard]] constexpr std::uint64_t size() const { return end > first ? end - first : 0; }
};

/// The frames [first_frame, first_frame + frames) of one environment and episode, as run_scene() renders them.
struct Unit {
  std::uint64_t index = 0;  ///< in its UnitList
  std::uint64_t environment = 0, episode = 0;
  std::uint64_t first_frame = 0;
  std::uint32_t frames = 1;

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// All units of a dataset, ordered by environment, then by episode, then by block. The last block of an episode may be
/// shorter than the others.
class FATHOM_API UnitList {
 public:
  UnitList() = default;
  /// `frames` of every episode, in blocks of `block` frames; 0: one block. Throws InputError for an empty range, for
  /// frames outside [1, kMaxFrames] and for more than kMaxUnits units.
  UnitList(NumberRange environments, NumberRange episodes, std::uint32_t frames, std::uint32_t block = 0);

  [[nodiscard]] std::uint64_t size() const { return environments_.size() * episodes_.size() * blocks(); }
  /// Throws InputError for an index that is not below size().
  [[nodiscard]] Unit at(std::uint64_t index) const;

  [[nodiscard]] NumberRange environments() const { return environments_; }
  [[nodiscard]] NumberRange episodes() const { return episodes_; }
  [[nodiscard]] std::uint32_t frames() const { return frames_; }  ///< of an episode
  [[nodiscard]] std::uint32_t block() const { return block_; }

 private:
  [[nodiscard]] std::uint64_t blocks() const { return (std::uint64_t{frames_} + block_ - 1) / block_; }

  NumberRange environments_, episodes_;
  std::uint32_t frames_ = 1, block_ = 1;
};

/// Names of units have nine digits.
inline constexpr std::uint64_t kMaxUnits = 1'000'000'000;

/// The folder of a unit within its dataset: "units/000/012/000012345". No folder above the units has more than 1000
/// entries.
FATHOM_API std::filesystem::path unit_folder(std::uint64_t index);

/// The units of one process among several: those whose index is `index` modulo `count`.
struct Shard {
  std::uint64_t index = 0, count = 1;

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// Parses "3/16". Throws InputError unless the index is below the count, and the count at most kMaxUnits.
FATHOM_API Shard parse_shard(const std::string& text);

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
  /// Units in each file of a format with many; 0: as many as fit into 64 MiB of arrays, at least one. Each thread keeps
  /// the HDF5 file that it makes in memory.
  std::uint64_t units_per_file = 0;
  int compression = 1;  ///< of HDF5, in [0, 9]: 0 for none, 1 for the fastest deflate, 9 for the smallest

  friend bool operator==(const DatasetFiles&, const DatasetFiles&) = default;
};

}  // namespace fathom

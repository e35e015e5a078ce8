// SPDX-License-Identifier: MIT
#pragma once
// What appears and is resumed as a whole: the folder of one unit, or a file that holds consecutive ones.

#include <cstdint>
#include <filesystem>
#include <string>

#include <fathom/dataset/format.hpp>
#include <fathom/dataset/unit.hpp>

namespace fathom {

struct Pack {
  std::uint64_t index = 0;             ///< in its PackList
  std::uint64_t first = 0, units = 1;  ///< of the UnitList: [first, first + units)

  friend bool operator==(const Pack&, const Pack&) = default;
};

inline constexpr std::uint64_t kPacksPerFolder = 1000;
inline constexpr const char* kUnitJson = "unit.json";

/// How many of so many a shard has.
std::uint64_t share_of(const Shard& shard, std::uint64_t size);

/// Where packs of a format stand below the folder of a dataset: packs/000/012/000012345.h5.
class PackPlaces {
 public:
  explicit PackPlaces(DatasetFormat format) : format_(format) {}

  [[nodiscard]] std::string_view root() const { return is_folder() ? "units" : "packs"; }
  /// Of their names, behind nine digits.
  [[nodiscard]] std::string_view extension() const;
  [[nodiscard]] std::filesystem::path operator()(std::uint64_t index) const;
  /// Of what describes the pack: unit.json of a folder, a JSON file beside another pack.
  [[nodiscard]] std::filesystem::path description(std::uint64_t index) const;
  [[nodiscard]] bool is_folder() const { return format_ == DatasetFormat::kFolders; }

 private:
  DatasetFormat format_;
};

/// All packs of a dataset. They depend on its units and its format alone, not on who renders them.
class PackList {
 public:
  PackList() = default;
  /// Throws InputError for files of no units or a compression outside [0, 9].
  PackList(const UnitList& units, const DatasetFiles& files);

  [[nodiscard]] std::uint64_t size() const {
    return units_.size() / per_pack_ + (units_.size() % per_pack_ != 0 ? 1 : 0);
  }
  [[nodiscard]] Pack at(std::uint64_t index) const;
  [[nodiscard]] const UnitList& units() const { return units_; }
  [[nodiscard]] const DatasetFiles& files() const { return files_; }
  [[nodiscard]] PackPlaces places() const { return PackPlaces(files_.format); }
  /// Of a pack; the last block of an episode may be shorter than the others.
  [[nodiscard]] std::uint64_t frames(const Pack& pack) const;
  /// What a pack is made of; `inputs`: digest of them.
  [[nodiscard]] std::string digest(const std::string& inputs, const Pack& pack) const;

 private:
  UnitList units_;
  DatasetFiles files_;
  std::uint64_t per_pack_ = 1;
};

/// The units in the packs of a shard.
std::uint64_t units_of(const Shard& shard, const PackList& packs);

}  // namespace fathom

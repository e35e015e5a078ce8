// SPDX-License-Identifier: MIT
#pragma once
// A pack appears and is resumed as a whole: the folder of one unit, or a file that holds consecutive ones. A text
// describes a complete pack: unit.json in a folder, a JSON file beside another pack. Each of these texts ends with a
// digest of all text before it, which reveals the change of any byte.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <fathom/simulate/dataset.hpp>

namespace fathom {

struct Pack {
  std::uint64_t index = 0;             ///< in its PackList
  std::uint64_t first = 0, units = 1;  ///< of the UnitList: [first, first + units)

  friend bool operator==(const Pack&, const Pack&) = default;
};

inline constexpr std::uint64_t kPacksPerFolder = 1000;
inline constexpr const char* kUnitJson = "unit.json";

/// The number of a shard's items among `size`.
std::uint64_t share_of(const DatasetOptions::Shard& shard, std::uint64_t size);

/// Places of the packs of a format below the folder of a dataset: packs/000/012/000012345.h5.
class PackPlaces {
 public:
  explicit PackPlaces(DatasetFormat format) : format_(format) {}

  [[nodiscard]] std::string_view root() const { return is_folder() ? "units" : "packs"; }
  [[nodiscard]] std::filesystem::path operator()(std::uint64_t index) const;
  /// Place of the description: unit.json in a folder, a JSON file beside another pack.
  [[nodiscard]] std::filesystem::path description(std::uint64_t index) const;
  [[nodiscard]] bool is_folder() const { return format_ == DatasetFormat::kFolders; }

 private:
  DatasetFormat format_;
};

/// All packs of a dataset. They depend on its units and its format only, not on the processes that render them.
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
  /// Frames of a pack; the last block of an episode may be shorter than the others.
  [[nodiscard]] std::uint64_t frames(const Pack& pack) const;
  /// Identifies the inputs of a pack; `inputs`: digest of the dataset's.
  [[nodiscard]] std::string digest(const std::string& inputs, const Pack& pack) const;

 private:
  UnitList units_;
  DatasetFiles files_;
  std::uint64_t per_pack_ = 1;
};

/// The units in the packs of a shard.
std::uint64_t units_of(const DatasetOptions::Shard& shard, const PackList& packs);

/// The description of a complete pack.
struct PackEntry {
  std::uint64_t index = 0;
  std::string digest = {};   ///< of the pack's inputs
  std::string content = {};  ///< digest of its file, or of its unit.json, which lists the digests of its files
  std::uint64_t files = 0, bytes = 0;

  friend bool operator==(const PackEntry&, const PackEntry&) = default;
};

/// Closes the text of a JSON object that lacks its last brace.
std::string with_check(std::string text);
/// Whether with_check() closed the text.
bool is_checked(std::string_view text);

/// The description of a file of many units.
std::string description_text(const PackEntry& entry);

/// The entry of a pack by its description; empty if the description is missing or not as fathom wrote it.
std::optional<PackEntry> read_entry(const std::filesystem::path& dataset, const PackPlaces& places,
                                    std::uint64_t index);

/// The entry of a pack whose kind and sizes on the disk match it: a regular file of as many bytes, or a folder of as
/// many files and bytes, without links. Reads no array: verify_dataset() does.
std::optional<PackEntry> whole_entry(const std::filesystem::path& dataset, const PackPlaces& places,
                                     std::uint64_t index);

/// Whether a pack of the list is whole and made of these inputs; `inputs`: digest of them.
bool is_complete(const std::filesystem::path& dataset, const PackList& packs, const std::string& inputs,
                 const Pack& pack);

}  // namespace fathom

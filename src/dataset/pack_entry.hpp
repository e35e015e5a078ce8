// SPDX-License-Identifier: MIT
#pragma once
// manifest/000/012.txt: a line for each complete pack of the thousand 12000 to 12999. Whoever completes a pack appends
// its line, so that nobody has to open a thousand of them. A line that was torn fails its check and is as good as none:
// of a folder the truth is unit.json, and a file without a line is rendered again.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dataset/pack.hpp"

namespace fathom {

inline constexpr std::uint64_t kPacksPerPart = 1000;
inline constexpr const char* kUnitJson = "unit.json";
inline constexpr const char* kManifestFolder = "manifest";

struct PackEntry {
  std::uint64_t index = 0;
  std::string digest = {};   ///< of the pack: what it was made of
  std::string content = {};  ///< of its file, or of its unit.json, which holds those of its files
  std::uint64_t files = 0, bytes = 0;

  friend bool operator==(const PackEntry&, const PackEntry&) = default;
};

/// "000012345 DIGEST CONTENT FILES BYTES CHECK\n"; the check is the digest of what stands before it.
std::string entry_line(const PackEntry& entry);
/// Nothing for a line that entry_line() did not make; `line` without its end.
std::optional<PackEntry> parse_entry(std::string_view line);

/// The part that holds pack `index`, relative to the dataset.
std::filesystem::path part_file(std::uint64_t index);

using PartEntries = std::map<std::uint64_t, PackEntry>;
/// The last good line of each pack; empty without a part. A pack whose last line says that it was removed is none.
PartEntries read_part(const std::filesystem::path& file);
/// Appends a line by one write. Throws SystemError.
void append_entry(const std::filesystem::path& dataset, const PackEntry& entry);
/// Says that the pack is about to be removed: what lines before say of it does not count.
void append_removal(const std::filesystem::path& dataset, std::uint64_t index);

/// The entry of a unit by its unit.json; nothing when this is not there or not ours.
std::optional<PackEntry> read_unit_json(const std::filesystem::path& folder, std::uint64_t index);

/// The entry of a pack as it is now: of a folder by its unit.json, of a file by the manifest, which may know one that
/// is gone.
std::optional<PackEntry> read_entry(const std::filesystem::path& dataset, const PackPlaces& places,
                                    std::uint64_t index);

}  // namespace fathom

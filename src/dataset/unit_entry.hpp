// SPDX-License-Identifier: MIT
#pragma once
// manifest/000/012.txt: a line for each complete unit of the thousand 12000 to 12999. Whoever completes a unit appends
// its line, so that nobody has to read a thousand unit.json. A line that was torn fails its check and is as good as
// none: the truth is unit.json.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

inline constexpr std::uint64_t kUnitsPerPart = 1000;
inline constexpr const char* kUnitJson = "unit.json";

struct UnitEntry {
  std::uint64_t index = 0;
  std::string digest = {};   ///< of the unit: what it was made of
  std::string content = {};  ///< of its unit.json, which holds those of its files
  std::uint64_t files = 0, bytes = 0;

  friend bool operator==(const UnitEntry&, const UnitEntry&) = default;
};

/// "000012345 DIGEST CONTENT FILES BYTES CHECK\n"; the check is the digest of what stands before it.
std::string entry_line(const UnitEntry& entry);
/// Nothing for a line that entry_line() did not make; `line` without its end.
std::optional<UnitEntry> parse_entry(std::string_view line);

/// The part that holds unit `index`, relative to the dataset.
std::filesystem::path part_file(std::uint64_t index);

using PartEntries = std::map<std::uint64_t, UnitEntry>;
/// The last good line of each unit; empty without a part. A unit whose last line says that it was removed is none.
PartEntries read_part(const std::filesystem::path& file);
/// Appends a line by one write. Throws SystemError.
void append_entry(const std::filesystem::path& dataset, const UnitEntry& entry);
/// Says that the unit is about to be removed: what lines before say of it does not count.
void append_removal(const std::filesystem::path& dataset, std::uint64_t index);

/// The entry of a unit by its unit.json; nothing when this is not there or not ours.
std::optional<UnitEntry> read_unit_json(const std::filesystem::path& folder, std::uint64_t index);

}  // namespace fathom

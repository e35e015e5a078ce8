// SPDX-License-Identifier: MIT
#pragma once
// The description of a complete pack: unit.json in a folder, a JSON file beside another pack. Each of these texts ends
// with a digest of all text before it, which shows the change of any byte.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dataset/pack.hpp"

namespace fathom {

struct PackEntry {
  std::uint64_t index = 0;
  std::string digest = {};   ///< of the pack: what it was made of
  std::string content = {};  ///< of its file, or of its unit.json, which holds those of its files
  std::uint64_t files = 0, bytes = 0;

  friend bool operator==(const PackEntry&, const PackEntry&) = default;
};

/// Closes the text of a JSON object that lacks its last brace.
std::string with_check(std::string text);
/// Whether with_check() closed the text.
bool is_checked(std::string_view text);

/// The description of a file of many units.
std::string description_text(const PackEntry& entry);

/// The entry of a pack by its description; nothing where this is not there or not as fathom wrote it.
std::optional<PackEntry> read_entry(const std::filesystem::path& dataset, const PackPlaces& places,
                                    std::uint64_t index);

/// Whether the pack on the disk has the kind and the sizes of its entry: a regular file of as many bytes, or a folder
/// of as many files, of as many bytes in all, and no links. Reads no array: verify_dataset() does.
bool is_whole(const std::filesystem::path& dataset, const PackPlaces& places, const PackEntry& entry);

/// The entry of a pack that is whole.
std::optional<PackEntry> whole_entry(const std::filesystem::path& dataset, const PackPlaces& places,
                                     std::uint64_t index);

/// Whether a pack of the list is whole and made of these inputs; `inputs`: digest of them.
bool is_complete(const std::filesystem::path& dataset, const PackList& packs, const std::string& inputs,
                 const Pack& pack);

}  // namespace fathom

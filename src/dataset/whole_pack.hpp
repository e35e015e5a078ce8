// SPDX-License-Identifier: MIT
#pragma once
// Whether a pack has what its entry says.

#include <filesystem>

#include "dataset/pack_entry.hpp"

namespace fathom {

/// Whether what stands at the place of a pack has the kind and the sizes of its entry: a regular file of as many bytes,
/// or a folder with the unit.json of the entry and as many files, of as many bytes in all. Reads no array: what has
/// other bytes of the same number is for verify_dataset() to find.
bool is_whole(const std::filesystem::path& dataset, const PackPlaces& places, const PackEntry& entry);

/// Removes whatever has the name. It gets a hidden name first, so that nobody sees half of it. Throws SystemError.
void remove_place(const std::filesystem::path& place, const std::filesystem::path& hidden);

}  // namespace fathom

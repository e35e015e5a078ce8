// SPDX-License-Identifier: MIT
#pragma once
// Nothing outside the folder of a dataset is written or removed: below that folder no link is followed, and none is
// removed. The folder itself may be a link.

#include <filesystem>
#include <optional>

namespace fathom {

bool is_link(const std::filesystem::path& path);

/// The first link below a folder, at any depth; nothing where the path is no folder.
std::optional<std::filesystem::path> link_below(const std::filesystem::path& folder);

/// Throws InputError naming a link that is on the way to the place, or is the place.
void check_way(const std::filesystem::path& dataset, const std::filesystem::path& place);
/// As check_way(), and throws for a link below the place, too.
void check_own(const std::filesystem::path& dataset, const std::filesystem::path& place);

/// Removes the place and all below it, unless check_own() throws. The place gets the name `hidden` in its folder first,
/// so that half of it is never visible. A place that is not there is no error. Throws SystemError.
void remove_own(const std::filesystem::path& dataset, const std::filesystem::path& place,
                const std::filesystem::path& hidden);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The files in the folder of a dataset. Nothing outside of it is written or removed: below the folder no link is
// followed or removed. The folder itself may be a link.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

/// Throws SystemError: "FILE: cannot ACTION: message of the system".
[[noreturn]] void fail_at(const std::filesystem::path& path, std::string_view action, int reason);

bool is_link(const std::filesystem::path& path);

/// The first link below a folder, at any depth; empty if the path is no folder.
std::optional<std::filesystem::path> link_below(const std::filesystem::path& folder);

/// Throws InputError naming a link that is on the way to the place, or is the place.
void check_way(const std::filesystem::path& dataset, const std::filesystem::path& place);
/// As check_way(), and throws for a link below the place, too.
void check_own(const std::filesystem::path& dataset, const std::filesystem::path& place);

/// Removes the place and everything below it, unless check_own() throws. First renames the place to `hidden` in its
/// folder, so that half of it is never visible. Does nothing if the place does not exist. Throws SystemError.
void remove_own(const std::filesystem::path& dataset, const std::filesystem::path& place,
                const std::filesystem::path& hidden);

/// The bytes of a regular file. Nothing for a link or another kind, for an unreadable file, and above 4 GiB, which no
/// file that fathom reads as a whole has. Faster for small files than a stream.
std::optional<std::string> read_bytes(const std::filesystem::path& file);

/// Calls f for blocks of at most `block` bytes, until the end of a regular file. False for a link or another kind, and
/// if the file cannot be read: errno has the reason.
bool read_blocks(const std::filesystem::path& file, std::size_t block, const std::function<void(std::string_view)>& f);

}  // namespace fathom

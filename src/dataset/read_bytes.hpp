// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

/// The bytes of a regular file; nothing for a link or another kind, for a file that cannot be read, and above 4 GiB,
/// which no file that fathom reads as a whole has. Faster for small files than a stream.
std::optional<std::string> read_bytes(const std::filesystem::path& file);

/// Calls f for blocks of at most `block` bytes, until the end of a regular file. False for a link or another kind, and
/// where the file cannot be read: errno has the reason.
bool read_blocks(const std::filesystem::path& file, std::size_t block, const std::function<void(std::string_view)>& f);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

/// The bytes of a regular file; nothing when it is none, cannot be read, or has more than 4 GiB, which no file that
/// fathom reads as a whole has. Faster for small files than a stream.
std::optional<std::string> read_bytes(const std::filesystem::path& file);

/// Calls f for blocks of at most so many bytes, until the end of a regular file; false when it is none or cannot be
/// read, and errno says why.
bool read_blocks(const std::filesystem::path& file, std::size_t block, const std::function<void(std::string_view)>& f);

}  // namespace fathom

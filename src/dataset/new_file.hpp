// SPDX-License-Identifier: MIT
#pragma once
// Files that are hidden until they are whole, or in a folder that is: they need no other name meanwhile.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace fathom {

/// Writes a file that is not there. Throws SystemError.
void write_new_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

/// Throws SystemError: "FILE: cannot ACTION: what the system said".
[[noreturn]] void fail_at(const std::filesystem::path& path, std::string_view action, int reason);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fathom {

/// All bytes of a file, without a check of what it is; nothing when it cannot be read.
std::optional<std::string> read_bytes(const std::filesystem::path& file);

}  // namespace fathom

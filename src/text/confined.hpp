// SPDX-License-Identifier: MIT
#pragma once
// The rule for files that other files name: they are opened in certain folders alone, after links are followed.

#include <filesystem>
#include <optional>
#include <span>

namespace fathom {

/// Where `path` leads, after links are followed; nothing where that is outside of all folders. No file need be there.
std::optional<std::filesystem::path> confined(const std::filesystem::path& path,
                                              std::span<const std::filesystem::path> folders);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The one rule on files that files name: they are opened inside of certain folders, links followed, and nowhere else.

#include <filesystem>
#include <optional>
#include <span>

namespace fathom {

/// Where `path` leads, links followed; nothing where that is outside of all folders. It need not be there.
std::optional<std::filesystem::path> confined(const std::filesystem::path& path,
                                              std::span<const std::filesystem::path> folders);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fathom {

/// Clouds of a folder, PCD and PLY: those that the pattern names, or all where there is none and no image. Empty where
/// it names or holds others.
std::vector<std::filesystem::path> cloud_files(const std::filesystem::path& folder, const std::string& pattern);

}  // namespace fathom

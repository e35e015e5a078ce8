// SPDX-License-Identifier: MIT
#pragma once
// What the live page writes.

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/simulate/run.hpp>

namespace fathom {

/// A name in `folder` that no file has: STEM_001.pcd, STEM_002.pcd and so on; makes the folder. Throws InputError where
/// `folder` is empty, as nothing is saved then, or `stem` is no plain name, SystemError.
std::filesystem::path free_file(const std::filesystem::path& folder, std::string_view stem, std::string_view extension);

/// Writes a scene file that reads as `scene_file` with `overrides`, but for the noise of the sensors in `turned`, which
/// is as `simulator` has it. Names of files in it become absolute. Comments are lost. Throws InputError where the file
/// that would come out could not be read, SystemError.
void write_scene(const std::filesystem::path& file, const std::filesystem::path& scene_file,
                 const std::vector<std::string>& overrides, const SceneSetup& setup, const Simulator& simulator,
                 const std::set<std::size_t>& turned);

}  // namespace fathom

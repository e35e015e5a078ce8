// SPDX-License-Identifier: MIT
#pragma once
// A scene file whose text is already in memory.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/simulate/run.hpp>

namespace fathom {

/// As read_scene_file; `file` names the text in messages, and its folder is where other files are looked for.
SceneSetup read_scene_text(std::string_view text, const std::filesystem::path& file,
                           const std::vector<std::string>& overrides);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Files that are about to be written.

#include <filesystem>
#include <vector>

namespace fathom_cli {

using Paths = std::vector<std::filesystem::path>;

/// Throws fathom::InputError when one of `files` is, under whatever name, one of `inputs`.
void refuse_inputs(const Paths& files, const Paths& inputs);

/// Throws fathom::InputError when `file` is one of `inputs` or a folder, or exists and `force` is not set, so that a
/// slip replaces nothing.
void check_new_file(const std::filesystem::path& file, bool force, const Paths& inputs);

}  // namespace fathom_cli

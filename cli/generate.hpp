// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace CLI {
class App;
}

namespace fathom_cli {

/// Writes what an installation puts into share: manual pages of all commands, completion for bash and zsh. For the
/// build, which runs `fathom generate DIR`.
void generate_share(const CLI::App& root, const std::filesystem::path& folder);

}  // namespace fathom_cli

// SPDX-License-Identifier: MIT
#pragma once
// What an installation puts into share, made from the help of the commands.

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace fathom_cli {

/// Scripts that complete the words of the command line: commands, options, the words that an option takes, names of
/// presets, models, outputs and channels, files.
std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);

/// Writes manual pages of all commands and completion for bash and zsh. For the build, which runs
/// `fathom generate DIR`.
void generate_share(const CLI::App& root, const std::filesystem::path& folder);

}  // namespace fathom_cli

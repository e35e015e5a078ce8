// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace fathom_cli {

/// Completion of commands, options, their words, files and the names that the library knows, for a shell.
std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);

}  // namespace fathom_cli

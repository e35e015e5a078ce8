// SPDX-License-Identifier: MIT
#pragma once
// Messages about words that are neither a command nor an option. CLI11 says only that something is missing.

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace fathom_cli {

/// The command that the words (without the name of the program) lead to. `help` among the names of commands becomes
/// --help at the end. Throws fathom::InputError, naming the nearest that there is, for a word that is no command or
/// option there, and for a group of commands of which none is named.
const CLI::App& find_command(const CLI::App& root, std::vector<std::string>& words);

/// Throws fathom::InputError "<what> (see fathom beam fit --help)".
[[noreturn]] void fail_usage(const CLI::App& command, const std::string& what);

}  // namespace fathom_cli

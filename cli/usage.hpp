// SPDX-License-Identifier: MIT
#pragma once
// Messages about words that are neither a command nor an option. CLI11 says only that something is missing.

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fathom_cli {

/// "fathom beam fit"
std::string full_name(const CLI::App& command);

/// The commands right below, in order.
std::vector<const CLI::App*> commands_of(const CLI::App& command);

/// The options of a command, those of its groups too; the positionals, in order, where `positional`.
std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional = false);

/// The command that the words (without the name of the program) lead to. `help` among the names of commands becomes
/// --help at the end. Throws fathom::InputError, naming the nearest that there is, for a word that is no command or
/// option there, and for a group of commands of which none is named.
const CLI::App& find_command(const CLI::App& root, std::vector<std::string>& words);

/// Throws fathom::InputError "<what> (see fathom beam fit --help)".
[[noreturn]] void fail_usage(const CLI::App& command, const std::string& what);

}  // namespace fathom_cli

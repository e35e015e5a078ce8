// SPDX-License-Identifier: MIT
#pragma once
// The commands of the program and their options, as CLI11 holds them.

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

}  // namespace fathom_cli

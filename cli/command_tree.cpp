// SPDX-License-Identifier: MIT
#include "command_tree.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace fathom_cli {

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* c) { return !c->get_name().empty() && !c->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
  std::vector<const CLI::Option*> options =
      command.get_options([&](const CLI::Option* o) { return o->get_positional() == positional; });
  for (const CLI::App* group : command.get_subcommands([](const CLI::App* c) { return c->get_name().empty(); })) {
    const auto more = options_of(*group, positional);
    options.insert(options.end(), more.begin(), more.end());
  }
  // A group has a --help of its own, the command's.
  std::vector<const CLI::Option*> once;
  for (const CLI::Option* option : options) {
    const bool known = std::any_of(once.begin(), once.end(), [&](const CLI::Option* o) {
      return o->get_name(false, true) == option->get_name(false, true);
    });
    if (!known) once.push_back(option);
  }
  return once;
}

}  // namespace fathom_cli

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace fathom_cli {

/// The whole command line: every command with its options and help. Parsing runs the command that was named.
std::unique_ptr<CLI::App> make_commands();

}  // namespace fathom_cli

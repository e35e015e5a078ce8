// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {
class App;
}

namespace fathom_cli {

/// `fathom measure depth`: its options and help.
void add_measure_commands(CLI::App& app);

}  // namespace fathom_cli

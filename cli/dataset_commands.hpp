// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {
class App;
}

namespace fathom_cli {

/// Adds `fathom dataset` with its commands.
void add_dataset_commands(CLI::App& app);

}  // namespace fathom_cli

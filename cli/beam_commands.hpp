// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {
class App;
}

namespace fathom_cli {

/// `fathom beam fit|score|sample|heatmap`: their options and help.
void add_beam_commands(CLI::App& app);

}  // namespace fathom_cli

// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {
class App;
}

namespace fathom_cli {

/// `fathom calibrate distance|energy|chain`: their options and help.
void add_calibrate_commands(CLI::App& app);
/// `fathom score`, whose data are those of `calibrate chain`.
void add_score_command(CLI::App& app);

}  // namespace fathom_cli

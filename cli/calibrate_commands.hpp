// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {
class App;
}

namespace fathom_cli {

/// `fathom calibrate distance|energy`: their options and help.
void add_calibrate_commands(CLI::App& app);

}  // namespace fathom_cli

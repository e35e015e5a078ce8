// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {
class App;
}

namespace fathom_cli {

/// `wall` of `fathom calibrate`.
void add_wall_command(CLI::App& calibrate);

}  // namespace fathom_cli

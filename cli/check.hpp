// SPDX-License-Identifier: MIT
#pragma once

#include "simulate.hpp"

namespace fathom_cli {

/// `fathom check SCENE [--json | --quiet] ...`
struct CheckOptions {
  SimulateOptions run;
  bool json = false;
};

/// Reads the scene and prints what a run of it would do. Throws fathom::Error.
void check_scene(const CheckOptions& options);

}  // namespace fathom_cli

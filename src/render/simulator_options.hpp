// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// Throws InputError for an option outside its limits, and for instructions that this computer lacks.
void check(const SimulatorOptions& options);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// Frames per second, above 0.
inline constexpr double kMostRateHz = 1e6;

/// Throws InputError for an option outside its limits, and for instructions that this computer lacks.
void check(const SimulatorOptions& options);

}  // namespace fathom

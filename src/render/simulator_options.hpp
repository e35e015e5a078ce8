// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// Frames per second, above 0.
inline constexpr double kMostRateHz = 1e6;

/// Throws InputError for an option outside its limits, and for instructions that this computer lacks.
void check(const SimulatorOptions& options);

inline SceneClock clock_of(const SimulatorOptions& options) { return {options.rate_hz, options.start_s}; }

/// Throws InputError where the timing of the sensor does not suit this clock.
void check_clock(const Sensor& sensor, const SimulatorOptions& options);

}  // namespace fathom

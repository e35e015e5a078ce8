// SPDX-License-Identifier: MIT
#pragma once
// Pairs to calibrate from, out of the NPY files of a run (fathom/simulate/run.hpp). A run is taken when it is complete.

#include <filesystem>
#include <optional>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/calibrate/calibrate.hpp>

namespace fathom {

/// Measured against noise-free ranges, from the channels range and clean_range of one sensor; lost returns stay as NaN.
/// `sensor`: empty where only one sensor has them. Throws InputError naming the file, or the model of the sensor's
/// chain that calibrate_distance() does not describe: whatever changes ranges but one `distance` for all returns.
FATHOM_API RangePairs read_run_range_pairs(const std::filesystem::path& run, const std::string& sensor = {});

/// Energies and losses, from the channels energy and reason; rays that the energy law did not judge are left out, and
/// so are those that range noise carried beyond the limits (few, unless much stands there). Throws InputError naming
/// the file, or what calibrate_energy() does not describe: a chain with none or several energy laws, with a law that
/// differs by entity or ring, with readings of no surface (beam_mixture), or with another normalization than `law`.
FATHOM_API EnergyPairs read_run_energy_pairs(const std::filesystem::path& run, const std::string& sensor = {},
                                             std::optional<EnergyNormalization> law = {});

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Pairs to calibrate from, out of a CSV or out of the NPY files of a run (fathom/simulate/run.hpp). A run is taken when
// it is complete. What is a folder counts as a run, all else as a CSV, which calibrate.hpp describes.

#include <filesystem>
#include <optional>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/calibrate/calibrate.hpp>

namespace fathom {

/// Of a run: measured and noise-free ranges, from the channels range and clean_range of one sensor; lost returns stay
/// as NaN, and a frame counts as a scan. `sensor` may be empty where only one sensor has these channels. Throws
/// InputError naming the file, or the
/// model of the sensor's chain that calibrate_distance() does not describe: any that changes ranges, except one
/// `distance` that is the same for all returns.
FATHOM_API RangePairs read_range_pairs(const std::filesystem::path& csv_or_run, const std::string& sensor);

/// Of a run: energies and losses, from the channels energy and reason. Left out are rays that the energy law did not
/// judge, and those that range noise carried beyond the range limits; these are few, unless many surfaces stand near a
/// limit. Throws InputError naming the file, or what in the chain calibrate_energy() does not describe: no energy law
/// or several, a law that differs by entity or ring, readings that need no surface (beam_mixture), or another
/// normalization than `law`.
FATHOM_API EnergyPairs read_energy_pairs(const std::filesystem::path& csv_or_run, const std::string& sensor,
                                         std::optional<EnergyNormalization> law = {});

}  // namespace fathom

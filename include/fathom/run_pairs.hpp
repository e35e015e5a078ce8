#pragma once
// Pairs to calibrate from, out of the NPY files of a run (fathom/run.hpp). A run is taken when it is complete.

#include <filesystem>
#include <string>

#include <fathom/calibrate.hpp>
#include <fathom/export.hpp>

namespace fathom {

/// Measured against noise-free ranges, from the channels range and clean_range of one sensor; lost returns stay as NaN.
/// `sensor`: empty where only one sensor has them. Throws InputError naming the file.
FATHOM_API RangePairs read_run_range_pairs(const std::filesystem::path& run, const std::string& sensor = {});

/// Energies and losses, from the channels energy and reason; rays that an energy law did not judge are left out.
FATHOM_API EnergyPairs read_run_energy_pairs(const std::filesystem::path& run, const std::string& sensor = {});

}  // namespace fathom

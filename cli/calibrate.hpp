// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <fathom/noise/stereo_energy.hpp>

namespace fathom_cli {

/// `fathom calibrate distance|energy DATA ...`
struct CalibrateOptions {
  std::filesystem::path data;  ///< CSV of pairs, or the folder of a run
  std::string sensor;          ///< of a run; empty: the only one
  fathom::EnergyNormalization normalization = fathom::EnergyNormalization::kDocument;
  bool json = false, quiet = false;
};

/// Learn a noise model from pairs and print its parameters, as a table with a line for scene files or as JSON. Throw
/// fathom::Error.
void calibrate_distance(const CalibrateOptions& options);
void calibrate_energy(const CalibrateOptions& options);

}  // namespace fathom_cli

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <fathom/calibrate/log_pairs.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "beam_world.hpp"

namespace fathom_cli {

/// `fathom calibrate distance|energy DATA ...`, or `distance --bag B --map M ...`
struct CalibrateOptions {
  std::filesystem::path data;  ///< CSV of pairs, or the folder of a run; empty: `log` and `world` are there
  BeamLogOptions log;
  BeamWorldOptions world;
  fathom::LogPairsOptions pairs;
  fathom::DistanceCalibrationOptions distance;
  bool asks_clusters = false;  ///< whether they were typed
  std::string sensor;          ///< of a run; empty: the only one
  fathom::EnergyNormalization normalization = fathom::EnergyNormalization::kDocument;
  bool json = false, quiet = false;
};

/// Learn a noise model from pairs and print its parameters, as a table with a line for scene files or as JSON. Throw
/// fathom::Error.
void calibrate_distance(const CalibrateOptions& options);
void calibrate_energy(const CalibrateOptions& options);

}  // namespace fathom_cli

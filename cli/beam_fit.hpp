// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include <fathom/beam/log.hpp>

#include "beam_world.hpp"

namespace fathom_cli {

/// `fathom beam fit --map M --log L --out DIR ...`, or `--pairs CSV`
struct BeamFitOptions {
  BeamWorldOptions world;
  BeamLogOptions log;
  std::vector<std::filesystem::path> also;  ///< read as the first log is
  std::filesystem::path pairs;              ///< in place of world and logs
  double cell_m = 0.0;                      ///< of the world that its expected ranges are from
  std::filesystem::path out;
  std::vector<fathom::Localizer> localizers;  ///< to write parameters for
  fathom::FitLogOptions fit;
  ScanModel model = ScanModel::kBeam;
  double max_distance_m = 2.0;  ///< of the likelihood field
  fathom::UnknownCells unknown = fathom::UnknownCells::kFree;
  bool force = false, quiet = false;
};

/// Learns the parameters with progress on stderr, writes the folder and prints what was found. Throws fathom::Error.
void fit_beam(const BeamFitOptions& options);

}  // namespace fathom_cli

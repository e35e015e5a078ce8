// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include <fathom/beam/log.hpp>

#include "learning.hpp"

namespace CLI {
class App;
}

namespace fathom_cli {

/// `fathom fit beam` and `fathom fit field`: --map M --log L --out DIR ...; of the beam model --pairs CSV, too
struct BeamFitOptions {
  BeamWorldOptions world;
  BeamLogOptions log;
  std::vector<std::filesystem::path> also;  ///< read as the first log is
  std::filesystem::path pairs;              ///< in place of world and logs
  double cell_m = 0.0;                      ///< of the world that its expected ranges are from
  std::filesystem::path out;
  std::vector<fathom::Localizer> localizers;  ///< to write parameters for
  fathom::FitLogOptions fit;
  double max_distance_m = 2.0;  ///< of the likelihood field
  fathom::UnknownCells unknown = fathom::UnknownCells::kFree;
  bool force = false, quiet = false;
  std::vector<fathom::SettingName> names;  ///< of settings, as options of the command
};

/// Learn the parameters with progress on stderr, write the folder and print what was found. Throw fathom::Error.
void fit_beam(const BeamFitOptions& options);
void fit_field(const BeamFitOptions& options);

// Options of both commands.
void add_fit_scans(CLI::App& c, fathom::FitLogOptions& fit);
void add_localizers(CLI::App& c, std::vector<fathom::Localizer>& localizers);

}  // namespace fathom_cli

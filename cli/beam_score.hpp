// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <fathom/beam/score.hpp>

#include "beam_world.hpp"

namespace fathom_cli {

/// `fathom beam score --map M --log L --parameters P ...`
struct BeamScoreOptions {
  BeamWorldOptions world;
  BeamLogOptions log;
  std::filesystem::path parameters;
  std::filesystem::path out;  ///< empty: stdout
  std::string scans = "all";
  ScanModel model = ScanModel::kBeam;
  bool per_beam = false;  ///< a line for every beam, not for every scan
  fathom::ScoreOptions score;
  bool force = false, quiet = false;
};

/// Writes the log-likelihood of every scan at its pose as CSV, and a summary: on stdout, or on stderr when the CSV goes
/// there. Throws fathom::Error.
void score_beam(const BeamScoreOptions& options);

}  // namespace fathom_cli

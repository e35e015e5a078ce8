// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "beam_world.hpp"

namespace fathom_cli {

/// `fathom beam fit --map M --log L --out DIR ...`
struct BeamFitOptions {
  BeamWorldOptions world;
  std::filesystem::path log, out;
  std::string scans = "odd";
  std::string test_scans;  ///< empty: those not learned from
  std::optional<double> max_range_m;
  double min_range_m = 0.0, step_m = 0.0;
  std::string unknown = "free", miss = "book", nan = "skip", variant = "exact";
  std::optional<double> hit_offset_m = 0.0;  ///< nothing: learned
  int threads = 0;
  bool force = false, quiet = false;
};

/// Learns the parameters with progress on stderr, writes the folder and prints what was found. Throws fathom::Error.
void fit_beam(const BeamFitOptions& options);

}  // namespace fathom_cli

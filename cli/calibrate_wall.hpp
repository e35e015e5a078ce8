// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include <fathom/calibrate/wall_report.hpp>

#include "beam_world.hpp"

namespace fathom_cli {

/// `fathom calibrate wall DIR --camera ...`, `DIR --sensor ...` or `--log L`
struct CalibrateWallOptions {
  std::filesystem::path folder;  ///< of depth images or clouds; empty: scans
  std::string sensor;            ///< of clouds: a preset or a file
  std::optional<fathom::WallCamera> camera;
  std::optional<double> levels_per_m;
  std::string files;
  std::filesystem::path mask;
  BeamLogOptions log;
  std::optional<std::array<double, 2>> sector_rad;
  std::optional<double> max_range_m;
  std::optional<std::string> scans;
  double step_m = 0.0;  ///< of the ranges of scans
  std::string distances;
  fathom::WallOptions wall;
  std::optional<double> rate_hz;  ///< of still frames
  std::filesystem::path out;      ///< empty: nothing is written
  bool json = false, force = false, quiet = false;
};

/// Learns and prints, as tables or as JSON. Throws fathom::Error.
void calibrate_wall(const CalibrateWallOptions& options);

}  // namespace fathom_cli

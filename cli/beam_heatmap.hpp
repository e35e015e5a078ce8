// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include <fathom/beam/log.hpp>

#include "beam_world.hpp"

namespace fathom_cli {

/// `fathom beam heatmap --map M --log L --scan K --parameters P --out PNG ...`
struct BeamHeatmapOptions {
  BeamWorldOptions world;
  BeamLogOptions log;
  std::filesystem::path parameters, out;
  std::uint32_t scan = 0;
  ScanModel model = ScanModel::kBeam;
  fathom::HeatmapLogOptions heatmap;
  bool has_spacing = false;  ///< whether the spacing was given
  std::uint32_t pixels = 1600;
  bool force = false, quiet = false;
};

/// Draws where the scan could have been made, and prints where it most likely was. Throws fathom::Error.
void draw_beam_heatmap(const BeamHeatmapOptions& options);

}  // namespace fathom_cli

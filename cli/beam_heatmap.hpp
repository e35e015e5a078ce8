// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "beam_world.hpp"

namespace fathom_cli {

/// `fathom beam heatmap --map M --log L --scan K --parameters P --out PNG ...`
struct BeamHeatmapOptions {
  BeamWorldOptions world;
  std::filesystem::path log, parameters, out;
  std::uint32_t scan = 0;
  double spacing_m = 0.1;
  std::size_t headings = 180;
  std::optional<std::size_t> ray_step;  ///< chosen to keep about 90 rays
  std::uint32_t pixels = 1600;
  int threads = 0;
  bool force = false, quiet = false;
};

/// Draws where the scan could have been made, and prints where it most likely was. Throws fathom::Error.
void draw_beam_heatmap(const BeamHeatmapOptions& options);

}  // namespace fathom_cli

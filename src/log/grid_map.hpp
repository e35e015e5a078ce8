// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// map_server's modes, which here differ in what an alpha channel means. kTrinary averages it in with the colours (so
/// opaque pixels are a quarter of the way to white, and transparent black is black); to kScale a pixel that is not
/// fully opaque is unknown. The occupancies between the thresholds that `scale` gives a planner are neither free nor a
/// wall to a ray: unknown, as to amcl.
enum class MapMode : std::uint8_t { kTrinary, kScale };

/// How an image becomes cells. p = (255 - value) / 255 is the occupancy of a pixel (value / 255 when `negate`), value
/// the average of its colours; occupied above occupied_thresh, free below free_thresh, unknown between.
struct MapImageOptions {
  double resolution_m = 0.05;
  PlanarPose world_from_map;
  bool negate = false;
  double occupied_thresh = 0.65;
  double free_thresh = 0.196;
  MapMode mode = MapMode::kTrinary;
};

/// Reads an image alone, the first pixel row at the top of the map.
GridMap read_grid_image(const std::filesystem::path& image_file, const MapImageOptions& options = {});

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// map_server's modes. Here they differ in the meaning of an alpha channel. kTrinary averages it with the colours, so
/// opaque pixels are a quarter of the way to white, and transparent black is black. With kScale a pixel that is not
/// fully opaque is unknown. Occupancies between the thresholds, which `scale` passes to planners, are unknown to rays,
/// as in amcl.
enum class MapMode : std::uint8_t { kTrinary, kScale };

/// How an image becomes cells. `value` is the average of a pixel's colours. Its occupancy is (255 - value) / 255, or
/// value / 255 with `negate`. A cell is occupied above occupied_thresh, free below free_thresh, and else unknown.
struct MapImageOptions {
  double resolution_m = 0.05;
  PlanarPose world_from_map;
  bool negate = false;
  double occupied_thresh = 0.65;
  double free_thresh = 0.196;
  MapMode mode = MapMode::kTrinary;
};

/// Reads an image without its YAML. The first row of pixels is the top of the map.
GridMap read_grid_image(const std::filesystem::path& image_file, const MapImageOptions& options = {});

}  // namespace fathom

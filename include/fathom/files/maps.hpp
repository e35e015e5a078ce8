// SPDX-License-Identifier: MIT
#pragma once
// Readers of maps, height fields and trajectories. They throw InputError naming the file (and the line, where there are
// lines) if it is missing, unreadable, truncated, not understood, or holds values that are not allowed.

#include <filesystem>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/trajectory.hpp>

namespace fathom {

/// An occupancy grid from map_server's files.
struct GridMapFile {
  GridMap map;
  std::vector<std::string> notes = {};            ///< on parts of the files that are not read, a line each
  std::vector<std::filesystem::path> files = {};  ///< all opened files
};

/// As read_grid_map(), with notes on unknown keys and on bytes behind the pixels of a PGM.
FATHOM_API GridMapFile read_grid_map_file(const std::filesystem::path& yaml_file);

/// The scale of a picture of heights.
struct HeightImageOptions {
  double size_x_m = 1.0, size_y_m = 1.0;  ///< in (0, kMostPrimitiveM]: width and height of the picture
  double elevation_m = 1.0;               ///< in (0, kMostPrimitiveM]: height of white; black is 0 m
  bool stretch = false;                   ///< the lowest pixel is 0 m and the highest elevation_m, as in MuJoCo
  double base_m = 0.0;                    ///< as in HeightField
};

/// Reads a grey picture, PNG or PGM of 8 or 16 bits, by its stored levels (ignores gamma). A pixel is a height. The top
/// row has the greatest y. Refuses colours and transparency.
FATHOM_API HeightField read_height_image(const std::filesystem::path& file, const HeightImageOptions& options);

/// Reads a NumPy array [rows, cols] of heights in metres, of any type that docs/output-formats.md lists. The first row
/// has the least y. Sizes and base of the result keep HeightField's defaults.
FATHOM_API HeightField read_height_array(const std::filesystem::path& file);

/// Reads a trajectory in TUM format: lines `stamp tx ty tz qx qy qz qw` (s, m, unit quaternion), # comments.
FATHOM_API Trajectory read_trajectory(const std::filesystem::path& file);

}  // namespace fathom

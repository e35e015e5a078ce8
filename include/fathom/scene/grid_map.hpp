// SPDX-License-Identifier: MIT
#pragma once
// Occupancy grids, as map_server (ROS) writes them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

enum class Cell : std::uint8_t { kFree = 0, kOccupied = 1, kUnknown = 2 };

/// A pose in the plane: x and y in metres, heading from +x to +y in radians.
struct PlanarPose {
  double x_m = 0.0, y_m = 0.0, yaw_rad = 0.0;

  /// The upright pose in space at the height `z_m`.
  [[nodiscard]] FATHOM_API Pose at_height(double z_m = 0.0) const;
  friend constexpr bool operator==(const PlanarPose&, const PlanarPose&) = default;
};

/// Cells [rows, cols], row-major, row 0 at the bottom: cell (r, c) is the half-open square [c, c + 1) x [r, r + 1) in
/// units of the resolution, in the map frame. `world_from_map` is the pose of its lower left corner.
struct GridMap {
  std::uint32_t rows = 0, cols = 0;
  double resolution_m = 0.05;
  PlanarPose world_from_map;
  std::vector<Cell> cells;
  std::vector<std::string> notes = {};            ///< on parts of its files that are not read, a line each
  std::vector<std::filesystem::path> files = {};  ///< all opened files
};

/// Throws InputError when there are no cells, their number is not rows * cols, a side exceeds 32768 cells, the
/// resolution is not in [1e-4, 1e4] m or the pose is not finite.
FATHOM_API void validate(const GridMap& map);

/// Reads a map_server YAML file (image, resolution, origin [x, y, yaw], negate, occupied_thresh, free_thresh, mode:
/// trinary or scale) and the image that it names, PGM (P2, P5) or PNG. Throws InputError naming file and line, also
/// when the image holds less than its header says. Notes unknown keys and bytes behind the pixels of a PGM.
FATHOM_API GridMap read_grid_map(const std::filesystem::path& yaml_file);

/// The image that a map_server YAML file names.
FATHOM_API std::filesystem::path grid_map_image(const std::filesystem::path& yaml_file);

/// Most triangles that a map may be raised to: a noisy map of 4000 x 4000 cells needs about a million.
inline constexpr std::size_t kMaxWallTriangles = std::size_t{1} << 24U;

/// Limits of the height of walls.
inline constexpr double kLeastWallM = 1e-6, kMostWallM = 1000.0;

/// The occupied cells as blocks of this height on the world's x-y plane, faces between neighbours left out and faces in
/// line joined: a world in which the map is right. Throws InputError when no cell is occupied, the height is not in
/// [kLeastWallM, kMostWallM], or there would be more than kMaxWallTriangles.
FATHOM_API Mesh make_walls(const GridMap& map, double height_m);

}  // namespace fathom

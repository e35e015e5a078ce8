// SPDX-License-Identifier: MIT
#pragma once
// Posed rays, in blocks: rays with a frame of their own. Such a ray is the map sensor_from_ray; it starts at its
// translation and points along its z axis, the third column, which need not be a unit vector.
//
// Whoever casts rays asks for them block by block, so that sources, transforms and noise work on 256 rays in the
// cache and no array of all changed rays exists.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/base/affine.hpp>
#include <fathom/base/export.hpp>
#include <fathom/base/isa.hpp>
#include <fathom/noise/drive.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom {

/// A map as callers store it: row-major [3][4], single precision.
using Matrix34 = std::array<std::array<float, 4>, 3>;

inline Affine to_affine(const Matrix34& m) {
  Affine a;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) a.m[i][j] = double{m[i][j]};
  }
  return a;
}

/// How a list of rays lies in rows, as that of most scanners does: what makes packets of nearly parallel rays.
struct RayGrid {
  std::uint32_t row = 0;        ///< rays in a row; 0: there are no rows
  std::uint32_t tile_rows = 1;  ///< rows of a tile: 1, 2, 4, 8 or 16
};

/// Which rays the lanes of a block hold: tile after tile, and of each tile row after row. A tile of two rows is 8 rays
/// wide, one of more is 4. One row: rays in their order.
struct RayTiles {
  std::uint32_t first = 0;   ///< number of the first ray, a multiple of 4
  std::uint32_t count = 0;   ///< rays; whole tiles where there are rows
  std::uint32_t rows = 1;    ///< of a tile: 1, 2, 4, 8 or 16
  std::uint32_t stride = 0;  ///< from a ray to that below it; a multiple of 4

  /// Rays in a row of a tile.
  [[nodiscard]] constexpr std::uint32_t cols() const { return rows == 1 ? 16 : rows == 2 ? 8 : 4; }
  [[nodiscard]] constexpr std::uint32_t ray_of(std::uint32_t lane) const {
    const std::uint32_t width = cols(), tile = rows * width, in_tile = lane % tile;
    return first + lane / tile * width + in_tile / width * stride + in_tile % width;
  }
};

/// Up to kBlockRays posed rays, in the frame of their sensor.
struct PosedRayBlock {
  RayTiles tiles;
  /// Origins and z axes; count is a multiple of 16, padding repeats the last ray. Origins are there even where
  /// from_sensor_origin says that they are all 0.
  RayBlock ray;
  RayBlock side;  ///< x axes in d, y axes in o; only when wants_sides
  bool wants_sides = false;
};

/// Posed rays that stay the same, laid out for loading the blocks of their grid.
class FATHOM_API PosedRayTable {
 public:
  PosedRayTable() = default;
  explicit PosedRayTable(std::span<const Matrix34> sensor_from_ray);

  [[nodiscard]] std::uint32_t size() const { return count_; }
  /// How they lie, found by their directions.
  [[nodiscard]] const RayGrid& grid() const { return grid_; }
  /// Fills a block with its part of the rays. Throws std::logic_error for tiles that are not those of grid().
  void load(PosedRayBlock& block) const;

 private:
  std::uint32_t count_ = 0;
  RayGrid grid_;
  /// x, y, z of the x, y, z axes and of the origin: [rays], one block after the other; or one where it is the same for
  /// all.
  std::array<std::vector<float>, 12> parts_;
};

/// Applies a model of stage kRay; the whole frame of a ray turns. Draws belong to the number of the ray.
FATHOM_API void apply_noise(const Noise& noise, const NoiseKey& key, Isa isa, PosedRayBlock& block);

}  // namespace fathom

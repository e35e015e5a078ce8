// SPDX-License-Identifier: MIT
#pragma once
// The order of casting: rays in blocks of up to 256, and blocks in strips. A strip is the work of one task; its rays
// are consecutive.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "parts/tracer.hpp"

namespace fathom {

/// Rays in a band of tiles. In longer ones, tiles cost more than they gain.
inline constexpr std::uint32_t kLongestBand = 16384;

class RayLayout {
 public:
  /// Ignores a grid whose rows cannot be divided into tiles.
  RayLayout(std::uint32_t rays, const RayGrid& grid);

  [[nodiscard]] std::size_t strips() const { return tall_strips_ + flat_strips_; }
  [[nodiscard]] RayStrip strip(std::size_t number) const;
  /// The number of leading rays in tiles.
  [[nodiscard]] std::uint32_t tiled_rays() const { return tall_rays_; }

  /// Calls f(RayTiles) for the blocks of a strip.
  template <class F>
  void for_each_block(std::size_t number, F f) const {
    const RayStrip s = strip(number);
    if (number >= tall_strips_) {
      for (std::uint32_t b = s.begin; b < s.end; b += kBlockRays) f(RayTiles{b, lesser(kBlockRays, s.end - b), 1, 0});
      return;
    }
    for (std::uint32_t band = s.begin; band < s.end; band += rows_ * row_) {
      for (std::uint32_t left = 0; left < row_; left += block_cols_) {
        f(RayTiles{band + left, rows_ * lesser(block_cols_, row_ - left), rows_, row_});
      }
    }
  }

 private:
  static std::uint32_t lesser(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

  std::uint32_t rays_;
  std::uint32_t row_ = 0, rows_ = 1;  ///< rays in a row; rows of a tile
  std::uint32_t block_cols_ = 0;      ///< columns of a block of tiles
  std::uint32_t tall_rays_ = 0;       ///< rays in strips of tiles; later rays are in strips of single rows
  std::uint32_t tall_strip_ = 0;      ///< rays in a strip of tiles
  std::size_t tall_strips_ = 0, flat_strips_ = 0;
};

// Copies between arrays of rays and the lanes of a block.

/// sensor_from_ray := a sensor_from_ray.
void transform_rays(const Affine& a, Isa isa, PosedRayBlock& block);

/// Calls f(lane, ray) for each piece of `Cols` rays in a block of tiles that are `Cols` wide.
template <std::uint32_t Cols, class F>
void for_each_tile_row(const RayTiles& t, F f) {
  std::uint32_t lane = 0;
  for (std::uint32_t left = t.first; lane < t.count; left += Cols) {
    for (std::uint32_t row = 0; row < t.rows; ++row, lane += Cols) f(lane, left + row * t.stride);
  }
}

/// Calls f(lane, ray, n) for pieces of n consecutive rays. If there are many pieces, n is a constant, and a copy takes
/// one or two instructions.
template <class F>
void for_each_run(const RayTiles& t, F f) {
  if (t.rows == 1) return f(0U, t.first, t.count);
  if (t.rows == 2) {
    for_each_tile_row<8>(t, [&](auto lane, auto ray) { f(lane, ray, std::integral_constant<std::uint32_t, 8>{}); });
  } else {
    for_each_tile_row<4>(t, [&](auto lane, auto ray) { f(lane, ray, std::integral_constant<std::uint32_t, 4>{}); });
  }
}

/// Copies the values of lanes, `Parts` each, to their rays.
template <std::size_t Parts = 1, class T>
void store_lanes(const T* lanes, const RayTiles& t, T* values) {
  for_each_run(t, [&](std::size_t lane, std::size_t ray, auto n) {
    std::memcpy(values + Parts * ray, lanes + Parts * lane, Parts * sizeof(T) * n);
  });
}

}  // namespace fathom

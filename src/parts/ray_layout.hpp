// SPDX-License-Identifier: MIT
#pragma once
// The order in which rays are cast: in blocks of up to 256, and blocks in strips. A strip is the work of one
// task; its rays are consecutive.

#include <cstddef>
#include <cstdint>

#include <fathom/parts/tracer.hpp>

namespace fathom {

/// Rays in a band of tiles. In longer ones, tiles cost more than they gain.
inline constexpr std::uint32_t kLongestBand = 16384;

class RayLayout {
 public:
  /// A grid whose rows cannot be divided into tiles is treated as no grid.
  RayLayout(std::uint32_t rays, const RayGrid& grid);

  [[nodiscard]] std::size_t strips() const { return tall_strips_ + flat_strips_; }
  [[nodiscard]] RayStrip strip(std::size_t number) const;
  /// The number of rays, from the first on, that lie in tiles.
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
  std::uint32_t tall_rays_ = 0;       ///< rays in strips of tiles; the rays after them lie in strips of single rows
  std::uint32_t tall_strip_ = 0;      ///< rays in a strip of tiles
  std::size_t tall_strips_ = 0, flat_strips_ = 0;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The order in which beams are cast: in blocks of up to 256, and blocks in strips. A strip is what one task does; its
// beams follow each other.

#include <cstddef>
#include <cstdint>

#include <fathom/parts/tracer.hpp>

namespace fathom {

class BeamLayout {
 public:
  /// A grid whose rows do not part into tiles is none.
  BeamLayout(std::uint32_t beams, const BeamGrid& grid);

  [[nodiscard]] std::size_t strips() const { return tall_strips_ + flat_strips_; }
  [[nodiscard]] BeamStrip strip(std::size_t number) const;
  /// How many beams, from the first on, lie in tiles.
  [[nodiscard]] std::uint32_t tiled_beams() const { return tall_beams_; }

  /// Calls f(BeamTiles) for the blocks of a strip.
  template <class F>
  void for_each_block(std::size_t number, F f) const {
    const BeamStrip s = strip(number);
    if (number >= tall_strips_) {
      for (std::uint32_t b = s.begin; b < s.end; b += kBlockRays) f(BeamTiles{b, lesser(kBlockRays, s.end - b), 1, 0});
      return;
    }
    for (std::uint32_t band = s.begin; band < s.end; band += rows_ * row_) {
      for (std::uint32_t left = 0; left < row_; left += block_cols_) {
        f(BeamTiles{band + left, rows_ * lesser(block_cols_, row_ - left), rows_, row_});
      }
    }
  }

 private:
  static std::uint32_t lesser(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

  std::uint32_t beams_;
  std::uint32_t row_ = 0, rows_ = 1;  ///< beams in a row; rows of a tile
  std::uint32_t block_cols_ = 0;      ///< columns of a block of tiles
  std::uint32_t tall_beams_ = 0;      ///< beams in strips of tiles; those behind them lie in strips of single rows
  std::uint32_t tall_strip_ = 0;      ///< beams in a strip of tiles
  std::size_t tall_strips_ = 0, flat_strips_ = 0;
};

}  // namespace fathom

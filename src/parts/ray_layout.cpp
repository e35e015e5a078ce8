// SPDX-License-Identifier: MIT
#include "parts/ray_layout.hpp"

namespace fathom {

namespace {

/// Beams of a strip, at least, but for the last: enough to hide the cost of a task, few enough to share out a frame
/// of 16 rings and to keep everything known of them in the second-level cache.
constexpr std::uint32_t kStripBeams = 1024;
/// Bands of tiles that are longer than this are not worth their tiles.
constexpr std::uint32_t kLongestBand = 16384;

std::uint32_t parts_of(std::uint32_t whole, std::uint32_t part) { return (whole + part - 1) / part; }

}  // namespace

BeamLayout::BeamLayout(std::uint32_t beams, const BeamGrid& grid) : beams_(beams) {
  const std::uint32_t rows = grid.tile_rows;
  if ((rows == 2 || rows == 4) && grid.row > 0 && grid.row % (16 / rows) == 0 && grid.row <= kLongestBand / rows) {
    rows_ = rows, row_ = grid.row;
    const std::uint32_t band = rows_ * row_, blocks = parts_of(row_, kBlockRays / rows_), cols = 16 / rows_;
    block_cols_ = parts_of(parts_of(row_, blocks), cols) * cols;  // blocks of about the same size
    tall_beams_ = beams / band * band;
    tall_strip_ = band * parts_of(kStripBeams, band);
    tall_strips_ = parts_of(tall_beams_, tall_strip_);
  }
  flat_strips_ = parts_of(beams - tall_beams_, kStripBeams);
}

BeamStrip BeamLayout::strip(std::size_t number) const {
  const bool tall = number < tall_strips_;
  const auto n = static_cast<std::uint32_t>(tall ? number : number - tall_strips_);
  const std::uint32_t begin = tall ? n * tall_strip_ : tall_beams_ + n * kStripBeams;
  const std::uint32_t size = tall ? tall_strip_ : kStripBeams, end = tall ? tall_beams_ : beams_;
  return {begin, lesser(begin + size, end)};
}

}  // namespace fathom

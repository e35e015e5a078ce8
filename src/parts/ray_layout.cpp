// SPDX-License-Identifier: MIT
#include "parts/ray_layout.hpp"

#include "cast/tile.hpp"

namespace fathom {

namespace {

/// The least number of rays in a strip other than the last: enough to hide the cost of a task, few enough that a frame
/// of 16 rings fills several threads and that all arrays of a strip fit in the second-level cache.
constexpr std::uint32_t kStripRays = 1024;
std::uint32_t parts_of(std::uint32_t whole, std::uint32_t part) { return (whole + part - 1) / part; }

}  // namespace

RayLayout::RayLayout(std::uint32_t rays, const RayGrid& grid) : rays_(rays) {
  const std::uint32_t rows = grid.tile_rows;
  const std::uint32_t cols = RayTiles{.first = 0, .count = 0, .rows = rows, .stride = 0}.cols();
  const bool known = rows == 2 || rows == 4 || rows == 8 || rows == 16;
  if (known && grid.row > 0 && grid.row % cols == 0 && grid.row <= kLongestBand / rows) {
    rows_ = rows, row_ = grid.row;
    const std::uint32_t band = rows_ * row_, blocks = parts_of(row_, kBlockRays / rows_);
    block_cols_ = parts_of(parts_of(row_, blocks), cols) * cols;  // blocks of about the same size
    tall_rays_ = rays / band * band;
    tall_strip_ = band * parts_of(kStripRays, band);
    tall_strips_ = parts_of(tall_rays_, tall_strip_);
  }
  flat_strips_ = parts_of(rays - tall_rays_, kStripRays);
}

RayStrip RayLayout::strip(std::size_t number) const {
  const bool tall = number < tall_strips_;
  const auto n = static_cast<std::uint32_t>(tall ? number : number - tall_strips_);
  const std::uint32_t begin = tall ? n * tall_strip_ : tall_rays_ + n * kStripRays;
  const std::uint32_t size = tall ? tall_strip_ : kStripRays, end = tall ? tall_rays_ : rays_;
  return {begin, lesser(begin + size, end)};
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include "calibrate/wall_neighbours.hpp"

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t kMostCentres = 4000;

}  // namespace

WallNeighbours::WallNeighbours(const WallWork& work) : weights_(kSide * kSide, 0.0) {
  const std::size_t rays = work.rays.size(), rows = work.rays.rows, cols = work.rays.cols;
  const std::size_t every = work.measure.readings / kMostCentres + 1;
  const auto is_reading_at = [&](std::size_t f, std::size_t row, std::size_t col) {
    return work.measure.pixels[f * rays + row * cols + col] == WallPixel::kWall;
  };
  const std::size_t most = WallMeasure::kLags;
  std::size_t seen = 0;
  for (std::size_t f = 0; f < work.fits.size(); ++f) {
    if (!work.fits[f]) continue;
    const FrameRays of_frame = work.rays_of(f);
    for (std::size_t i = 0; i < rays; ++i) {
      const std::size_t row = i / cols, col = i % cols;
      if (!is_reading_at(f, row, col) || seen++ % every != 0) continue;
      const double leverage = work.fits[f]->leverage(*of_frame, i);
      all_ += leverage;
      for (std::size_t y = row - std::min(row, most); y <= std::min(rows - 1, row + most); ++y) {
        for (std::size_t x = col - std::min(col, most); x <= std::min(cols - 1, col + most); ++x) {
          if (!is_reading_at(f, y, x)) continue;
          const std::size_t down = y > row ? y - row : row - y, across = x > col ? x - col : col - x;
          weights_[down * kSide + across] += leverage;
        }
      }
    }
  }
}

double WallNeighbours::sum(const Lags& across, const Lags& down) const {
  double sum = 0.0;
  for (std::size_t y = 0; y < kSide; ++y) {
    for (std::size_t x = 0; x < kSide; ++x) sum += weights_[y * kSide + x] * down[y] * across[x];
  }
  return all_ > 0.0 ? sum / all_ : 1.0;
}

}  // namespace fathom

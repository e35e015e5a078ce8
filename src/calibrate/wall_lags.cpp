// SPDX-License-Identifier: MIT
#include <cmath>

#include "calibrate/wall_work.hpp"

namespace fathom {

WallFrameSums lag_sums(const WallRays& rays, std::span<const float> standardised) {
  WallFrameSums sums;
  const std::size_t rows = rays.rows, cols = rays.cols;
  const auto add = [&](auto& of, std::size_t lag, std::size_t i, std::size_t k) {
    const double product = double{standardised[i]} * double{standardised[k]};
    if (std::isnan(product)) return;
    of.products[lag] += product, of.pairs[lag] += 1.0;
  };
  for (std::size_t lag = 0; lag <= WallMeasure::kLags; ++lag) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t col = 0; col + lag < cols; ++col)
        add(sums.across, lag, row * cols + col, row * cols + col + lag);
    }
    for (std::size_t i = 0; i + lag * cols < rows * cols; ++i) add(sums.down, lag, i, i + lag * cols);
  }
  return sums;
}

}  // namespace fathom

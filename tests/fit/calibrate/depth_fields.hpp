// SPDX-License-Identifier: MIT
#pragma once
// Depth images whose error is known: a smooth surface, and a separable Gaussian field on its disparity.

#include "support/expect.hpp"

namespace fathom::test {

/// Weights of a Gaussian of deviation s px, cut at 4 s, with the sum of squares 1; s = 0: white.
inline std::vector<double> field_kernel(double s) {
  const int reach = static_cast<int>(std::ceil(4 * s));
  std::vector<double> kernel;
  double square = 0;
  for (int k = -reach; k <= reach; ++k) {
    kernel.push_back(s > 0 ? std::exp(-k * k / (2 * s * s)) : 1.0);
    square += kernel.back() * kernel.back();
  }
  for (double& weight : kernel) weight /= std::sqrt(square);
  return kernel;
}

/// The correlation of a field made with it, pixels `lag` apart: for s well above a pixel exp(-lag^2 / (4 s^2)).
inline double field_correlation(double s, std::size_t lag) {
  const std::vector<double> kernel = field_kernel(s);
  double sum = 0;
  for (std::size_t k = 0; k + lag < kernel.size(); ++k) sum += kernel[k] * kernel[k + lag];
  return sum;
}

/// [rows, cols], unit variance.
inline std::vector<double> make_field(std::uint64_t seed, std::size_t rows, std::size_t cols, double across,
                                      double down) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const std::vector<double> a = field_kernel(across), d = field_kernel(down);
  const std::size_t wide = cols + a.size() - 1, high = rows + d.size() - 1;
  std::vector<double> white(wide * high), lines(cols * high), field(rows * cols);
  for (double& value : white) value = normal(random);
  for (std::size_t r = 0; r < high; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      for (std::size_t k = 0; k < a.size(); ++k) lines[r * cols + c] += a[k] * white[r * wide + c + k];
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      for (std::size_t k = 0; k < d.size(); ++k) field[r * cols + c] += d[k] * lines[(r + k) * cols + c];
    }
  }
  return field;
}

inline constexpr double kFocalBaseline = 33.7;  // px m

/// Depths of a slanted, bent surface about 1 m away (disparity a cubic of the whole image), whose disparity has the
/// error sigma_px * field.
inline std::vector<float> bent_surface(const std::vector<double>& field, std::size_t rows, std::size_t cols,
                                       double sigma_px) {
  std::vector<float> depth;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      const double x = static_cast<double>(c) / static_cast<double>(cols),
                   y = static_cast<double>(r) / static_cast<double>(rows);
      const double disparity =
          kFocalBaseline * (1 + 0.3 * x - 0.2 * y + 0.1 * x * y + 0.2 * x * x * y - 0.1 * y * y * y);
      depth.push_back(static_cast<float>(kFocalBaseline / (disparity + sigma_px * field[r * cols + c])));
    }
  }
  return depth;
}

}  // namespace fathom::test

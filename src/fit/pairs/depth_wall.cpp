// SPDX-License-Identifier: MIT
// Walls in depth images, and the traces of filters.

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <Eigen/Cholesky>

#include "fit/pairs/depth_patch.hpp"

namespace fathom {

namespace {

constexpr double kMostHoles = 0.03;  // of a patch of a wall
constexpr Eigen::Index kTerms = 6;   // of a quadric
using Terms = Eigen::Matrix<double, kTerms, 1>;

/// A square of an image.
struct WallPatch {
  const float* first;
  std::size_t side, cols;

  [[nodiscard]] float at(std::size_t row, std::size_t col) const { return first[row * cols + col]; }
  [[nodiscard]] Terms terms_at(std::size_t row, std::size_t col) const {
    const double x = 2.0 * (static_cast<double>(col) + 0.5) / static_cast<double>(side) - 1.0;
    const double y = 2.0 * (static_cast<double>(row) + 0.5) / static_cast<double>(side) - 1.0;
    return (Terms() << 1.0, x, y, x * x, x * y, y * y).finished();
  }
  /// Calls use(row, column, depth) for each measured pixel.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t row = 0; row < side; ++row) {
      for (std::size_t col = 0; col < side; ++col) {
        if (at(row, col) > 0.0F) use(row, col, double{at(row, col)});
      }
    }
  }
  [[nodiscard]] bool has_step() const {
    bool found = false;
    const auto differ = [](double a, double b) { return std::abs(a - b) > DepthMeasure::kMostStep * std::min(a, b); };
    for_each([&](std::size_t row, std::size_t col, double depth_m) {
      found = found || (col > 0 && differ(depth_m, double{at(row, col - 1)}));
      found = found || (row > 0 && differ(depth_m, double{at(row - 1, col)}));
    });
    return found;
  }
};

/// Mean square of the inverse depths without their best quadric; NaN with steps or too many holes.
double quadric_residual(const WallPatch& patch) {
  Eigen::Matrix<double, kTerms, kTerms> products = Eigen::Matrix<double, kTerms, kTerms>::Zero();
  Terms sums = Terms::Zero();
  double n = 0.0, square = 0.0;
  patch.for_each([&](std::size_t row, std::size_t col, double depth_m) {
    const Terms terms = patch.terms_at(row, col);
    products.noalias() += terms * terms.transpose(), sums += terms / depth_m, n += 1.0;
  });
  const auto pixels = static_cast<double>(patch.side * patch.side);
  if (n < (1.0 - kMostHoles) * pixels || patch.has_step()) return std::nan("");
  const Terms quadric = products.ldlt().solve(sums);
  patch.for_each([&](std::size_t row, std::size_t col, double depth_m) {
    const double error = 1.0 / depth_m - quadric.dot(patch.terms_at(row, col));
    square += error * error;
  });
  return square / n;
}

/// Whether depths are whole multiples of 0.1 mm, as in image files.
bool are_whole(std::span<const float> depth_m) {
  static constexpr double kLevelsPerM = 1e4, kMostOff = 0.1;
  return std::ranges::none_of(depth_m, [](float z) {
    const double level = double{z} * kLevelsPerM;
    return z > 0.0F && std::abs(level - std::round(level)) > std::min(0.02 + 1e-6 * level, kMostOff);
  });
}

/// In narrow bands of disparity, steps give all pixels the same phase. Only pixels whose steps are much larger than the
/// rounding of the file count.
bool are_off_levels(std::span<const float> depth_m, double focal_baseline_px_m) {
  constexpr double kStepsPerPx = 32.0, kLeastStepM = 0.0025, kBand = 0.02, kLeastTogether = 0.3;
  constexpr double kLeastPixels = 2000;
  std::map<int, std::complex<double>> bands;
  double far = 0.0, together = 0.0;
  for (const float depth : depth_m) {
    const double z = depth, px = focal_baseline_px_m / z;
    if (!(z > 0.0) || z * z / (kStepsPerPx * focal_baseline_px_m) < kLeastStepM) continue;
    bands[static_cast<int>(std::floor(std::log(px) / kBand))] +=
        std::polar(1.0, 2.0 * std::numbers::pi * kStepsPerPx * px);
    far += 1.0;
  }
  for (const auto& [number, sum] : bands) together += std::abs(sum);
  return far >= kLeastPixels && together < kLeastTogether * far;
}

/// By the row in the middle, if rows are sorted by how far their first measured pixel is from the end of the band.
bool fills_left_band(std::span<const float> depth_m, std::size_t cols, double focal_baseline_px_m) {
  constexpr double kSlackPx = 2.0;
  std::vector<double> beyond;
  for (std::size_t row = 0; row < depth_m.size(); row += cols) {
    for (std::size_t col = 0; col < cols; ++col) {
      const double z = depth_m[row + col];
      if (!(z > 0.0)) continue;
      beyond.push_back(static_cast<double>(col) - focal_baseline_px_m / z);
      break;
    }
  }
  if (beyond.empty()) return false;
  const auto middle = beyond.begin() + static_cast<std::ptrdiff_t>(beyond.size() / 2);
  std::nth_element(beyond.begin(), middle, beyond.end());
  return *middle < -kSlackPx;
}

}  // namespace

void WallPatches::add(std::span<const float> depth_m, std::size_t rows, std::size_t cols, Executor& executor) {
  const std::size_t across = cols / side_, count = rows / side_ * across;
  std::vector<double> squares(count);
  executor.parallel_for(count, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = rows % side_ / 2 + i / across * side_, col = cols % side_ / 2 + i % across * side_;
      squares[i] = quadric_residual({&depth_m[row * cols + col], side_, cols});
    }
  });
  for (const double square : squares) {
    if (!(square >= 0.0)) continue;
    Bin& bin = bins_[roughness_bin(square)];
    ++bin.patches, bin.square += square;
    ++patches_;
  }
}

DepthMeasure::Wall WallPatches::result(double unit) const {
  std::uint64_t below = 0;
  for (const auto& [number, bin] : bins_) {
    below += bin.patches;
    if (2 * below < patches_) continue;
    return {side_, patches_, unit * std::sqrt(bin.square / static_cast<double>(bin.patches))};
  }
  return {side_, 0, std::nan("")};
}

FilterTraces find_filter_traces(std::span<const float> depth_m, std::size_t cols, double focal_baseline_px_m) {
  if (!are_whole(depth_m)) return {};
  return {are_off_levels(depth_m, focal_baseline_px_m), fills_left_band(depth_m, cols, focal_baseline_px_m)};
}

}  // namespace fathom

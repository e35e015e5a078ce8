// SPDX-License-Identifier: MIT
#include "calibrate/wall_pixels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/wall_region.hpp"

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

namespace {

constexpr double kBandLost = 0.95, kBesideKept = 0.5;  // shares by which the band of a stereo camera is known

/// What stands next to a loss in one direction, beyond other losses.
enum class Beside : std::uint8_t { kBorder, kWall, kOther };

/// What is left out is as the border is: nothing is known of it.
Beside beside(WallPixel pixel) {
  if (pixel == WallPixel::kLeftOut) return Beside::kBorder;
  return pixel == WallPixel::kWall || pixel == WallPixel::kTail ? Beside::kWall : Beside::kOther;
}

class PixelNames {
 public:
  PixelNames(const WallRays& rays, std::span<const float> measured, std::span<const std::uint8_t> left_out,
             const WallPlaneFit& fit, const WallScale& scale, std::span<WallPixel> pixels)
      : rays_(rays), measured_(measured), left_out_(left_out), fit_(fit), scale_(scale), pixels_(pixels) {}

  void name_readings() {
    far_.assign(rays_.size(), 0);
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      pixels_[i] = reading_or_loss(i);
      far_[i] = pixels_[i] == WallPixel::kTail ? far_side(i) : std::int8_t{0};
    }
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      if (far_[i] != 0 && is_surface(i)) pixels_[i] = WallPixel::kOther;
    }
    if (!rays_.sees_more) return;
    const double distance_m = 1.0 / norm(fit_.m);
    keep_one_surface(rays_, kWallGate * (scale_.constant + scale_.per_m * distance_m), distance_m, pixels_);
  }

  void name_losses(BorderLosses border) {
    if (rays_.sees_more) return name_inside(rays_, border, pixels_);
    std::array<std::vector<Beside>, 4> sides;
    look(sides);
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      if (pixels_[i] != WallPixel::kLost) continue;
      bool other = false, open = false, wall = false;
      for (std::size_t k = 0; k < (rays_.is_planar ? 2U : 4U); ++k) {
        other = other || sides[k][i] == Beside::kOther;
        open = open || sides[k][i] == Beside::kBorder;
        wall = wall || sides[k][i] == Beside::kWall;
      }
      if (other) {
        losses_.emplace_back(i, WallPixel::kOther);
      } else if (!wall || !is_expected(i) || (open && border == BorderLosses::kNotKnown)) {
        losses_.emplace_back(i, WallPixel::kNotKnown);
      }
    }
    for (const auto& [i, pixel] : losses_) pixels_[i] = pixel;
  }

  /// Of a camera that sees with its left lens: the columns at the left side that the right one sees nothing of.
  std::size_t name_band() {
    if (!rays_.has_disparity()) return 0;
    const double disparity_px =
        rays_.focal_baseline_px_m * dot(fit_.m, rays_.q[rays_.rows / 2 * std::size_t{rays_.cols}]);
    const auto width = static_cast<std::size_t>(std::max(0.0, std::floor(disparity_px)));
    if (width < 1 || 2 * width >= rays_.cols) return 0;
    if (!(share_lost(0, width) >= kBandLost) || !(share_lost(width + 1, 2 * width + 1) < kBesideKept)) return 0;
    std::size_t hidden = 0;
    for (std::size_t row = 0; row < rays_.rows; ++row) {
      for (std::size_t col = 0; col <= width; ++col) {
        WallPixel& pixel = pixels_[row * rays_.cols + col];
        if (pixel != WallPixel::kLost && pixel != WallPixel::kNotKnown) continue;
        pixel = WallPixel::kNotKnown, ++hidden;
      }
    }
    return hidden;
  }

 private:
  [[nodiscard]] bool is_expected(std::size_t i) const {
    const double clean_m = rays_.clean_m(i, fit_.m);
    return clean_m > 0.0 && rays_.length[i] * clean_m <= rays_.reach_m;
  }

  [[nodiscard]] WallPixel reading_or_loss(std::size_t i) const {
    if ((!left_out_.empty() && left_out_[i] != 0) || !rays_.is_there(i)) return WallPixel::kLeftOut;
    if (!is_reading(rays_, i, measured_[i])) return WallPixel::kLost;
    const double clean_m = rays_.clean_m(i, fit_.m);
    if (!(clean_m > 0.0)) return WallPixel::kOther;
    const double error = rays_.error(double{measured_[i]}, clean_m);
    return std::abs(error) <= kWallGate * scale_.at(rays_, i, clean_m) ? WallPixel::kWall : WallPixel::kTail;
  }

  /// Before the wall or behind it.
  [[nodiscard]] std::int8_t far_side(std::size_t i) const {
    return double{measured_[i]} < rays_.clean_m(i, fit_.m) ? std::int8_t{-1} : std::int8_t{1};
  }

  /// Whether neighbours are off the wall to the same side, too: of an image two of eight, of a scan one of two.
  [[nodiscard]] bool is_surface(std::size_t i) const {
    const auto rows = static_cast<std::ptrdiff_t>(rays_.rows), cols = static_cast<std::ptrdiff_t>(rays_.cols);
    const auto row = static_cast<std::ptrdiff_t>(i) / cols, col = static_cast<std::ptrdiff_t>(i) % cols;
    int off = 0;
    for (std::ptrdiff_t y = std::max<std::ptrdiff_t>(0, row - 1); y <= std::min(rows - 1, row + 1); ++y) {
      for (std::ptrdiff_t x = std::max<std::ptrdiff_t>(0, col - 1); x <= std::min(cols - 1, col + 1); ++x) {
        off += far_[static_cast<std::size_t>(y * cols + x)] == far_[i] ? 1 : 0;
      }
    }
    return off - 1 >= (rays_.is_planar ? 1 : 2);
  }

  void look(std::array<std::vector<Beside>, 4>& sides) const {
    const std::size_t rows = rays_.rows, cols = rays_.cols;
    for (std::vector<Beside>& side : sides) side.assign(rays_.size(), Beside::kBorder);
    const auto take = [&](std::vector<Beside>& side, std::size_t at, Beside& seen) {
      if (pixels_[at] != WallPixel::kLost) seen = beside(pixels_[at]);
      side[at] = seen;
    };
    for (std::size_t row = 0; row < rows; ++row) {
      Beside left = Beside::kBorder, right = Beside::kBorder;
      for (std::size_t col = 0; col < cols; ++col) take(sides[0], row * cols + col, left);
      for (std::size_t col = cols; col-- > 0;) take(sides[1], row * cols + col, right);
    }
    for (std::size_t col = 0; col < cols; ++col) {
      Beside above = Beside::kBorder, below = Beside::kBorder;
      for (std::size_t row = 0; row < rows; ++row) take(sides[2], row * cols + col, above);
      for (std::size_t row = rows; row-- > 0;) take(sides[3], row * cols + col, below);
    }
  }

  /// Of the columns [first, last), without what is left out.
  [[nodiscard]] double share_lost(std::size_t first, std::size_t last) const {
    std::size_t lost = 0, all = 0;
    for (std::size_t row = 0; row < rays_.rows; ++row) {
      for (std::size_t col = first; col < std::min<std::size_t>(last, rays_.cols); ++col) {
        const WallPixel pixel = pixels_[row * rays_.cols + col];
        if (pixel == WallPixel::kLeftOut) continue;
        ++all, lost += pixel == WallPixel::kLost || pixel == WallPixel::kNotKnown ? 1 : 0;
      }
    }
    return all > 0 ? static_cast<double>(lost) / static_cast<double>(all) : 0.0;
  }

  const WallRays& rays_;
  std::span<const float> measured_;
  std::span<const std::uint8_t> left_out_;
  const WallPlaneFit& fit_;
  const WallScale& scale_;
  std::span<WallPixel> pixels_;
  std::vector<std::int8_t> far_;  ///< -1 before the wall, 1 behind it, 0: neither
  std::vector<std::pair<std::size_t, WallPixel>> losses_;
};

}  // namespace

void name_readings(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                   const WallPlaneFit& fit, const WallScale& scale, std::span<WallPixel> pixels) {
  PixelNames(rays, measured_m, left_out, fit, scale, pixels).name_readings();
}

std::size_t name_pixels(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                        const WallPlaneFit& fit, const WallScale& scale, BorderLosses border,
                        std::span<WallPixel> pixels) {
  PixelNames names(rays, measured_m, left_out, fit, scale, pixels);
  names.name_readings();
  names.name_losses(border);
  return names.name_band();
}

}  // namespace fathom

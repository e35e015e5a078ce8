// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "calibrate/wall_plane.hpp"

namespace fathom {

namespace {

constexpr double kBandLost = 0.95, kBesideKept = 0.5;    // shares by which the band of a stereo camera is known
constexpr std::ptrdiff_t kMostBridge = 4, kMostGap = 8;  // rays without a reading that a lidar's wall reaches across

using Way = std::array<std::ptrdiff_t, 2>;  // down, right
constexpr std::array<Way, 4> kWays = {{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}};

/// 1 where a mark is at most `down` rows and `across` columns away.
std::vector<std::uint8_t> spread(const WallRays& rays, std::vector<std::uint8_t> marks, std::ptrdiff_t down,
                                 std::ptrdiff_t across) {
  for (const bool is_across : {true, false}) {
    const std::vector<std::uint8_t> before = marks;
    const std::ptrdiff_t most =
        is_across ? std::min<std::ptrdiff_t>(across, rays.cols) : std::min<std::ptrdiff_t>(down, rays.rows);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (before[i] == 0) continue;
      for (std::ptrdiff_t k = -most; k <= most; ++k) {
        if (const auto at = rays.beside(i, is_across ? 0 : k, is_across ? k : 0)) marks[*at] = 1;
      }
    }
  }
  return marks;
}

/// The most readings of the wall that hang together, as 1.
std::vector<std::uint8_t> largest_piece(const WallRays& rays, std::span<const WallPixel> pixels) {
  std::vector<std::uint32_t> piece(pixels.size(), 0);
  std::uint32_t pieces = 0, largest = 0;
  std::size_t most = 0;
  std::vector<std::size_t> todo;
  for (std::size_t seed = 0; seed < pixels.size(); ++seed) {
    if (pixels[seed] != WallPixel::kWall || piece[seed] != 0) continue;
    piece[seed] = ++pieces, todo.assign(1, seed);
    std::size_t size = 0;
    while (!todo.empty()) {
      const std::size_t i = todo.back();
      todo.pop_back(), ++size;
      for (const auto& [down, right] : kWays) {
        for (std::ptrdiff_t k = 1; k <= kMostBridge; ++k) {
          const auto at = rays.beside(i, k * down, k * right);
          if (!at || pixels[*at] == WallPixel::kOther || pixels[*at] == WallPixel::kLeftOut) break;
          if (pixels[*at] != WallPixel::kWall) continue;
          if (piece[*at] == 0) piece[*at] = pieces, todo.push_back(*at);
          break;
        }
      }
    }
    if (size > most) most = size, largest = pieces;
  }
  std::vector<std::uint8_t> in(pixels.size(), 0);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = piece[i] != 0 && piece[i] == largest ? 1 : 0;
  return in;
}

/// Leaves as the wall what hangs together and is not so near to another surface that readings of that could be within
/// `gate_m` of the wall. All else becomes another surface.
void keep_one_surface(const WallRays& rays, double gate_m, double distance_m, std::span<WallPixel> pixels) {
  // Square to the wall, at h below the sensor, readings within g of it take the angle g h / (d^2 + h^2), at most
  // g / 2 d.
  const double margin_rad = 0.5 * gate_m / distance_m;
  std::vector<std::uint8_t> other(pixels.size(), 0);
  for (std::size_t i = 0; i < other.size(); ++i) other[i] = pixels[i] == WallPixel::kOther ? 1 : 0;
  other = spread(rays, std::move(other), 1 + rays.rays_in(margin_rad, false), 1 + rays.rays_in(margin_rad, true));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const bool is_near = pixels[i] == WallPixel::kWall || pixels[i] == WallPixel::kTail;
    if (is_near && other[i] != 0) pixels[i] = WallPixel::kOther;
  }
  const std::vector<std::uint8_t> in = largest_piece(rays, pixels);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (pixels[i] == WallPixel::kWall && in[i] == 0) pixels[i] = WallPixel::kOther;
  }
}

/// What is next to a ray in one direction, beyond rays without a reading.
enum class Beside : std::uint8_t { kBorder, kWall, kOther };

/// What is left out is as the border is: nothing is known of it.
Beside beside(WallPixel pixel) {
  if (pixel == WallPixel::kLeftOut) return Beside::kBorder;
  return pixel == WallPixel::kWall || pixel == WallPixel::kTail ? Beside::kWall : Beside::kOther;
}

Beside beside_within_gap(const WallRays& rays, std::span<const WallPixel> pixels, std::size_t i, const Way& way) {
  for (std::ptrdiff_t k = 1; k <= kMostGap; ++k) {
    const auto at = rays.beside(i, k * way[0], k * way[1]);
    if (!at) return Beside::kBorder;
    if (pixels[*at] != WallPixel::kLost) return beside(pixels[*at]);
  }
  return Beside::kBorder;
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
      if (pixels_[i] != WallPixel::kTail) continue;
      far_[i] = double{measured_[i]} < rays_.clean_m(i, fit_.m) ? std::int8_t{-1} : std::int8_t{1};
    }
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      if (far_[i] != 0 && is_surface(i)) pixels_[i] = WallPixel::kOther;
    }
    if (!rays_.sees_more) return;
    const double distance_m = 1.0 / norm(fit_.m);
    keep_one_surface(rays_, kWallGate * (scale_.constant + scale_.per_m * distance_m), distance_m, pixels_);
  }

  void name_losses(BorderLosses border) {
    const std::vector<WallPixel> before(pixels_.begin(), pixels_.end());
    std::array<std::vector<Beside>, 4> sides;
    if (!rays_.sees_more) look(sides);
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      const bool is_lost = before[i] == WallPixel::kLost;
      if (before[i] == WallPixel::kOther || before[i] == WallPixel::kLeftOut || !(is_lost || rays_.sees_more)) continue;
      bool other = false, open = false, wall = false;
      for (std::size_t k = 0; k < (rays_.rows == 1 ? 2U : 4U); ++k) {
        const Beside side = rays_.sees_more ? beside_within_gap(rays_, before, i, kWays[k]) : sides[k][i];
        other = other || side == Beside::kOther;
        open = open || side == Beside::kBorder;
        wall = wall || side == Beside::kWall;
      }
      const bool is_inside = wall && !other && !(open && border == BorderLosses::kNotKnown);
      if (is_inside && (rays_.sees_more || is_expected(i))) continue;
      const bool is_other = rays_.sees_more ? !is_lost : other;
      pixels_[i] = is_other ? WallPixel::kOther : WallPixel::kNotKnown;
    }
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

  /// Of a camera or a laser. The neighbour on each side comes first.
  void look(std::array<std::vector<Beside>, 4>& sides) const {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      sides[k].assign(rays_.size(), Beside::kBorder);
      for (std::size_t n = 0; n < rays_.size(); ++n) {
        const std::size_t i = k % 2 == 0 ? n : rays_.size() - 1 - n;
        const auto at = rays_.beside(i, kWays[k][0], kWays[k][1]);
        if (at) sides[k][i] = pixels_[*at] == WallPixel::kLost ? sides[k][*at] : beside(pixels_[*at]);
      }
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
};

}  // namespace

std::size_t name_pixels(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                        const WallPlaneFit& fit, const WallScale& scale, std::optional<BorderLosses> border,
                        std::span<WallPixel> pixels) {
  PixelNames names(rays, measured_m, left_out, fit, scale, pixels);
  names.name_readings();
  if (!border) return 0;
  names.name_losses(*border);
  return names.name_band();
}

}  // namespace fathom

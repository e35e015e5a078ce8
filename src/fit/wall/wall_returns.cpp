// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>

#include "fit/uncertainty.hpp"
#include "fit/wall/wall_work.hpp"

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

/// Marks the largest connected part of the wall's readings by 1.
std::vector<std::uint8_t> largest_piece(const WallRays& rays, std::span<const WallMeasure::Pixel> pixels) {
  std::vector<std::uint32_t> piece(pixels.size(), 0);
  std::uint32_t pieces = 0, largest = 0;
  std::size_t most = 0;
  std::vector<std::size_t> todo;
  for (std::size_t seed = 0; seed < pixels.size(); ++seed) {
    if (pixels[seed] != WallMeasure::Pixel::kWall || piece[seed] != 0) continue;
    piece[seed] = ++pieces, todo.assign(1, seed);
    std::size_t size = 0;
    while (!todo.empty()) {
      const std::size_t i = todo.back();
      todo.pop_back(), ++size;
      for (const auto& [down, right] : kWays) {
        for (std::ptrdiff_t k = 1; k <= kMostBridge; ++k) {
          const auto at = rays.beside(i, k * down, k * right);
          if (!at || pixels[*at] == WallMeasure::Pixel::kOther || pixels[*at] == WallMeasure::Pixel::kLeftOut) break;
          if (pixels[*at] != WallMeasure::Pixel::kWall) continue;
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

/// Leaves as the wall the connected readings, except near another surface, whose readings could be within `gate_m` of
/// the wall. All others become another surface.
void keep_one_surface(const WallRays& rays, double gate_m, double distance_m, std::span<WallMeasure::Pixel> pixels) {
  // Square to the wall, at h below the sensor, readings within g of it take the angle g h / (d^2 + h^2), at most
  // g / 2 d.
  const double margin_rad = 0.5 * gate_m / distance_m;
  std::vector<std::uint8_t> other(pixels.size(), 0);
  for (std::size_t i = 0; i < other.size(); ++i) other[i] = pixels[i] == WallMeasure::Pixel::kOther ? 1 : 0;
  other = spread(rays, std::move(other), 1 + rays.rays_in(margin_rad, false), 1 + rays.rays_in(margin_rad, true));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const bool is_near = pixels[i] == WallMeasure::Pixel::kWall || pixels[i] == WallMeasure::Pixel::kTail;
    if (is_near && other[i] != 0) pixels[i] = WallMeasure::Pixel::kOther;
  }
  const std::vector<std::uint8_t> in = largest_piece(rays, pixels);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (pixels[i] == WallMeasure::Pixel::kWall && in[i] == 0) pixels[i] = WallMeasure::Pixel::kOther;
  }
}

/// What is next to a ray in one direction, beyond rays without a reading.
enum class Beside : std::uint8_t { kBorder, kWall, kOther };

/// Nothing is known beyond a ray that is left out, as beyond the border.
Beside beside(WallMeasure::Pixel pixel) {
  if (pixel == WallMeasure::Pixel::kLeftOut) return Beside::kBorder;
  return pixel == WallMeasure::Pixel::kWall || pixel == WallMeasure::Pixel::kTail ? Beside::kWall : Beside::kOther;
}

Beside beside_within_gap(const WallRays& rays, std::span<const WallMeasure::Pixel> pixels, std::size_t i,
                         const Way& way) {
  for (std::ptrdiff_t k = 1; k <= kMostGap; ++k) {
    const auto at = rays.beside(i, k * way[0], k * way[1]);
    if (!at) return Beside::kBorder;
    if (pixels[*at] != WallMeasure::Pixel::kLost) return beside(pixels[*at]);
  }
  return Beside::kBorder;
}

class PixelNames {
 public:
  PixelNames(const WallRays& rays, std::span<const float> measured, std::span<const std::uint8_t> left_out,
             const WallPlaneFit& fit, std::span<WallMeasure::Pixel> pixels)
      : rays_(rays), measured_(measured), left_out_(left_out), fit_(fit), pixels_(pixels) {}

  void name_readings() {
    far_.assign(rays_.size(), 0);
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      pixels_[i] = reading_or_loss(i);
      if (pixels_[i] != WallMeasure::Pixel::kTail) continue;
      far_[i] = double{measured_[i]} < rays_.clean_m(i, fit_.m) ? std::int8_t{-1} : std::int8_t{1};
    }
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      if (far_[i] != 0 && is_surface(i)) pixels_[i] = WallMeasure::Pixel::kOther;
    }
    if (!rays_.sees_more) return;
    const double distance_m = 1.0 / norm(fit_.m);
    keep_one_surface(rays_, kWallGate * (fit_.scale.constant + fit_.scale.per_m * distance_m), distance_m, pixels_);
  }

  void name_losses(WallOptions::BorderLosses border) {
    const std::vector<WallMeasure::Pixel> before(pixels_.begin(), pixels_.end());
    std::array<std::vector<Beside>, 4> sides;
    if (!rays_.sees_more) look(sides);
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      const bool is_lost = before[i] == WallMeasure::Pixel::kLost;
      if (before[i] == WallMeasure::Pixel::kOther || before[i] == WallMeasure::Pixel::kLeftOut ||
          !(is_lost || rays_.sees_more))
        continue;
      bool other = false, open = false, wall = false;
      for (std::size_t k = 0; k < (rays_.rows == 1 ? 2U : 4U); ++k) {
        const Beside side = rays_.sees_more ? beside_within_gap(rays_, before, i, kWays[k]) : sides[k][i];
        other = other || side == Beside::kOther;
        open = open || side == Beside::kBorder;
        wall = wall || side == Beside::kWall;
      }
      const bool is_inside = wall && !other && !(open && border == WallOptions::BorderLosses::kNotKnown);
      if (is_inside && (rays_.sees_more || is_expected(i))) continue;
      const bool is_other = rays_.sees_more ? !is_lost : other;
      pixels_[i] = is_other ? WallMeasure::Pixel::kOther : WallMeasure::Pixel::kNotKnown;
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
        WallMeasure::Pixel& pixel = pixels_[row * rays_.cols + col];
        if (pixel != WallMeasure::Pixel::kLost && pixel != WallMeasure::Pixel::kNotKnown) continue;
        pixel = WallMeasure::Pixel::kNotKnown, ++hidden;
      }
    }
    return hidden;
  }

 private:
  [[nodiscard]] bool is_expected(std::size_t i) const {
    const double clean_m = rays_.clean_m(i, fit_.m);
    return clean_m > 0.0 && rays_.length[i] * clean_m <= rays_.reach_m;
  }

  [[nodiscard]] WallMeasure::Pixel reading_or_loss(std::size_t i) const {
    if ((!left_out_.empty() && left_out_[i] != 0) || !rays_.is_there(i)) return WallMeasure::Pixel::kLeftOut;
    if (!is_reading(rays_, i, measured_[i])) return WallMeasure::Pixel::kLost;
    const double clean_m = rays_.clean_m(i, fit_.m);
    if (!(clean_m > 0.0)) return WallMeasure::Pixel::kOther;
    const double error = rays_.error(double{measured_[i]}, clean_m);
    return std::abs(error) <= kWallGate * fit_.scale.at(rays_, i, clean_m) ? WallMeasure::Pixel::kWall
                                                                           : WallMeasure::Pixel::kTail;
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
        if (at) sides[k][i] = pixels_[*at] == WallMeasure::Pixel::kLost ? sides[k][*at] : beside(pixels_[*at]);
      }
    }
  }

  /// Of the columns [first, last), without rays that are left out.
  [[nodiscard]] double share_lost(std::size_t first, std::size_t last) const {
    std::size_t lost = 0, all = 0;
    for (std::size_t row = 0; row < rays_.rows; ++row) {
      for (std::size_t col = first; col < std::min<std::size_t>(last, rays_.cols); ++col) {
        const WallMeasure::Pixel pixel = pixels_[row * rays_.cols + col];
        if (pixel == WallMeasure::Pixel::kLeftOut) continue;
        ++all, lost += pixel == WallMeasure::Pixel::kLost || pixel == WallMeasure::Pixel::kNotKnown ? 1 : 0;
      }
    }
    return all > 0 ? static_cast<double>(lost) / static_cast<double>(all) : 0.0;
  }

  const WallRays& rays_;
  std::span<const float> measured_;
  std::span<const std::uint8_t> left_out_;
  const WallPlaneFit& fit_;
  std::span<WallMeasure::Pixel> pixels_;
  std::vector<std::int8_t> far_;  ///< -1 before the wall, 1 behind it, 0: neither
};

}  // namespace

std::size_t name_pixels(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                        const WallPlaneFit& fit, std::optional<WallOptions::BorderLosses> border,
                        std::span<WallMeasure::Pixel> pixels) {
  PixelNames names(rays, measured_m, left_out, fit, pixels);
  names.name_readings();
  if (!border) return 0;
  names.name_losses(*border);
  return names.name_band();
}

std::vector<std::uint8_t> region_of(const WallRays& rays, std::span<const float> measured_m,
                                    std::span<const std::uint8_t> left_out, const WallPlaneFit& fit) {
  std::vector<WallMeasure::Pixel> pixels(rays.size());
  name_pixels(rays, measured_m, left_out, fit, std::nullopt, pixels);
  std::vector<std::uint8_t> region;
  region.reserve(pixels.size());
  for (const WallMeasure::Pixel pixel : pixels) region.push_back(pixel == WallMeasure::Pixel::kWall ? 1 : 0);
  return region;
}

namespace {

constexpr std::size_t kLeastRingFrames = 5, kLeastOfRing = 100;
constexpr double kSureRingErrors = 5.0, kLeastRingPart = 0.1;

/// Weighted sums over the readings of a ring, for the error e = bias + gain r.
struct RingSums {
  Eigen::Matrix2d information = Eigen::Matrix2d::Zero();  // of (1, r)
  Eigen::Vector2d right = Eigen::Vector2d::Zero();        // of e (1, r)
  std::size_t readings = 0;

  void add(double weight, double range_m, double error_m) {
    const Eigen::Vector2d slope(1.0, range_m);
    information += weight * slope * slope.transpose(), right += weight * error_m * slope;
    ++readings;
  }
  void add(const RingSums& other) {
    information += other.information, right += other.right;
    readings += other.readings;
  }
};

/// Bias and gain by least squares, and their standard errors by frames.
struct RingLine {
  Eigen::Vector2d value = Eigen::Vector2d::Zero(), error = Eigen::Vector2d::Zero();

  /// `learned`: 0 the bias, 1 the gain.
  RingLine(const std::vector<RingSums>& frames, const RingSums& all, const std::vector<std::size_t>& learned) {
    const auto inverse = inverse_of(all.information, learned, 0.0);
    if (!inverse) return;
    value = *inverse * all.right;
    for (const RingSums& frame : frames) error += (*inverse * (frame.right - frame.information * value)).cwiseAbs2();
    const auto count = static_cast<double>(frames.size());
    error = (error * count / (count - 1.0)).cwiseSqrt();
  }
};

/// The gain counts where it is sure and large enough, else only the bias. `frames`: with readings of the ring.
WallRingError ring_error(const std::vector<RingSums>& frames, const RingSums& all) {
  if (frames.size() < kLeastRingFrames || all.readings < kLeastOfRing) return {};
  const double w = all.information(0, 0), rr = all.information(1, 1), middle = all.information(0, 1) / w;
  const double deviation = std::sqrt(static_cast<double>(all.readings) / w), square = rr - middle * middle * w;
  const auto is_sure = [&](double value, double error) {
    return std::abs(value) > kSureRingErrors * error && std::abs(value) > kLeastRingPart * deviation;
  };
  if (square > 1e-9 * rr) {
    const RingLine both(frames, all, {0, 1});
    const double spread = std::sqrt(square / w);
    if (is_sure(both.value[1] * spread, both.error[1] * spread)) return {both.value[0], both.value[1]};
  }
  const RingLine bias(frames, all, {0});
  return is_sure(bias.value[0], bias.error[0]) ? WallRingError{.bias_m = bias.value[0]} : WallRingError{};
}

/// The root of the mean square that an error has over the readings of the ring, m.
double size_m(const WallRingError& error, const RingSums& all) {
  if (error.is_none()) return 0.0;
  const Eigen::Vector2d line(error.bias_m, error.gain);
  return std::sqrt(std::max(0.0, line.dot(all.information * line) / all.information(0, 0)));
}

constexpr std::uint32_t kThinStream = 0x7468696eU;
constexpr double kMostTaken = 0.5;  // of a reading's error

class ReturnMaker {
 public:
  ReturnMaker(const WallFrames& frames, const WallWork& work, const WallReturnsOptions& options)
      : frames_(frames), w_(work), o_(options) {
    const std::size_t all = work.measure.readings + work.measure.lost;
    share_ =
        std::min(1.0, static_cast<double>(options.most_returns) / static_cast<double>(std::max<std::size_t>(all, 1)));
    if (frames.sensor.camera) {
      const WallSensor::Camera& camera = *frames.sensor.camera;
      out_.optics = {static_cast<float>(camera.fx_px), static_cast<float>(camera.cx_px),
                     static_cast<float>(camera.baseline_m)};
      out_.outside = ChainReturns::Outside::kLost;
      out_.depths_are_rounded = true;
    }
    if (frames.sensor.lidar) out_.min_range_m = frames.sensor.lidar->min_range_m;
    if (frames.sensor.max_range_m > 0.0) out_.max_range_m = frames.sensor.max_range_m;
    out_.half_step_m = frames.half_step_m;
    if (options.tape == nullptr) return;
    if (options.tape->is_disparity) bias_px_ = options.tape->bias_px.value;
    if (!options.tape->is_disparity) gain_ = gain_of(*options.tape), bias_m_ = options.tape->bias_m.value;
  }

  ChainReturns make() {
    for (std::size_t f = 0; f < w_.fits.size(); ++f) {
      w_.for_each_ray(f, [&](const WallRays& rays, std::size_t i, WallMeasure::Pixel pixel) {
        const bool is_tail = o_.tails && pixel == WallMeasure::Pixel::kTail;
        const bool is_return = pixel == WallMeasure::Pixel::kWall || pixel == WallMeasure::Pixel::kLost || is_tail;
        if (is_return && is_taken(f, i)) add(rays, f, i, pixel);
      });
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_taken(std::size_t f, std::size_t i) const {
    if (share_ >= 1.0) return true;
    const NoiseKey key = {o_.seed, static_cast<std::uint32_t>(f), kThinStream};
    return double{uniform_from_word(keyed_block(key, static_cast<std::uint32_t>(i), 0).word[0])} < share_;
  }

  void add(const WallRays& of, std::size_t f, std::size_t i, WallMeasure::Pixel pixel) {
    const bool is_there = pixel != WallMeasure::Pixel::kLost;
    const WallPlaneFit& fit = *w_.fits[f];
    const Vec3& q = of.q[i];
    const double plane_m = of.clean_m(i, fit.m), measured_m = double{frames_.measured_m[f * of.size() + i]};
    double clean_m = plane_m;
    // The plane absorbed nothing of a tail, because it was not fitted to tails.
    if (pixel == WallMeasure::Pixel::kWall) clean_m = before_the_plane(of, fit, i, measured_m, plane_m);
    if (bias_px_ != 0.0) clean_m = of.without(bias_px_, clean_m);
    const Vec3 normal = (1.0 / norm(fit.m)) * fit.m;
    const double cosine = std::clamp(dot(normal, q) / of.length[i], 0.0, 1.0), range_m = clean_m * of.length[i];
    double reported_m = (1.0 + gain_) * measured_m * of.length[i] + bias_m_;
    if (o_.without_rings) reported_m -= w_.of_ring(frames_.sensor, i, plane_m);
    out_.range_m.push_back(is_there ? static_cast<float>(reported_m) : std::numeric_limits<float>::quiet_NaN());
    out_.clean_range_m.push_back(static_cast<float>(range_m));
    const Vec3 point = of.point(i, clean_m);
    out_.clean_x_m.push_back(static_cast<float>(point.x)), out_.clean_y_m.push_back(static_cast<float>(point.y));
    out_.incidence_rad.push_back(static_cast<float>(math::acos(cosine)));
    out_.energy.push_back(static_cast<float>(energy(normal, point, cosine)));
    if (frames_.sensor.lidar) out_.ring.push_back(frames_.sensor.lidar->ring[i]);
    out_.frame.push_back(static_cast<std::uint32_t>(f));
  }

  [[nodiscard]] double before_the_plane(const WallRays& of, const WallPlaneFit& fit, std::size_t i, double measured_m,
                                        double plane_m) const {
    const double taken = std::min(kMostTaken, fit.leverage(of, i) * o_.sum);
    // The plane takes no part of the error of the ring.
    const double of_ring_m = w_.of_ring(frames_.sensor, i, plane_m),
                 error = of_ring_m + (of.error(measured_m, plane_m) - of_ring_m) / std::sqrt(1.0 - taken);
    return of.without(error, measured_m);
  }

  /// As noise/stereo_energy.hpp has it: the smaller of the cosines to the two lenses. The left lens is at the origin.
  [[nodiscard]] double energy(const Vec3& normal, const Vec3& point, double cosine) const {
    if (!w_.rays.has_disparity()) return cosine;
    const Vec3 to_point = point - Vec3{0.0, -frames_.sensor.camera->baseline_m, 0.0};
    return std::min(cosine, dot(normal, to_point) / norm(to_point));
  }

  const WallFrames& frames_;
  const WallWork& w_;
  const WallReturnsOptions& o_;
  double share_ = 1.0, bias_px_ = 0.0, gain_ = 0.0, bias_m_ = 0.0;
  ChainReturns out_;
};

}  // namespace

std::vector<WallRingError> ring_errors(const WallWork& work, const WallSensor::Lidar& lidar, double part) {
  const std::size_t rings = std::size_t{std::ranges::max(lidar.ring)} + 1;
  std::vector<std::vector<RingSums>> frames(rings);
  std::vector<RingSums> all(rings);
  for (std::size_t f = 0; f < work.fits.size(); ++f) {
    std::vector<RingSums> sums(rings);
    work.for_each_ray(f, [&](const WallRays& rays, std::size_t i, WallMeasure::Pixel pixel) {
      if (pixel != WallMeasure::Pixel::kWall) return;
      const double clean_m = rays.clean_m(i, work.fits[f]->m), deviation = work.scale.at(work.rays, i, clean_m);
      const double error_m = double{work.measure.residual[f * rays.size() + i]};
      sums[lidar.ring[i]].add(1.0 / (deviation * deviation), clean_m, error_m);
    });
    for (std::size_t ring = 0; ring < rings; ++ring) {
      if (sums[ring].readings > 0) frames[ring].push_back(sums[ring]), all[ring].add(sums[ring]);
    }
  }
  std::vector<WallRingError> errors;
  std::vector<double> sizes_m;
  for (std::size_t ring = 0; ring < rings; ++ring) {
    errors.push_back(ring_error(frames[ring], all[ring])), sizes_m.push_back(size_m(errors[ring], all[ring]));
  }
  const double largest_m = std::ranges::max(sizes_m);
  for (std::size_t ring = 0; ring < rings; ++ring) {
    if (sizes_m[ring] < part * largest_m) errors[ring] = {};
  }
  return largest_m > 0.0 ? errors : std::vector<WallRingError>();
}

ChainReturns wall_returns(const WallFrames& frames, const WallWork& work, const WallReturnsOptions& options) {
  return ReturnMaker(frames, work, options).make();
}

}  // namespace fathom

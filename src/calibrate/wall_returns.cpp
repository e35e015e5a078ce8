// SPDX-License-Identifier: MIT
#include "calibrate/wall_returns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include <fathom/math/random.hpp>
#include <fathom/math/trigonometry.hpp>

namespace fathom {

namespace {

constexpr std::size_t kLeastRingFrames = 5, kLeastOfRing = 100;
constexpr double kSureRingErrors = 5.0, kLeastRingPart = 0.1;

/// Weighted sums over readings: 1, the range r, r^2, the error e, r e.
struct RingSums {
  double w = 0.0, r = 0.0, rr = 0.0, e = 0.0, re = 0.0;
  std::size_t readings = 0;

  void add(double weight, double range_m, double error_m) {
    w += weight, r += weight * range_m, rr += weight * range_m * range_m;
    e += weight * error_m, re += weight * range_m * error_m;
    ++readings;
  }
  void add(const RingSums& other) {
    w += other.w, r += other.r, rr += other.rr, e += other.e, re += other.re;
    readings += other.readings;
  }
};

/// e = bias + gain r by least squares, and whether the gain is sure and worth a word.
class RingLine {
 public:
  explicit RingLine(std::span<const RingSums> frames) : frames_(frames) {
    for (const RingSums& frame : frames) {
      all_.add(frame);
      if (frame.readings > 0) ++seen_;
    }
  }

  /// The root of the mean square that an error has over the readings of the ring, m.
  [[nodiscard]] double size_m(const WallRingError& error) const {
    if (error.is_none()) return 0.0;
    const double b = error.bias_m, g = error.gain;
    return std::sqrt(std::max(0.0, b * b + (2.0 * b * g * all_.r + g * g * all_.rr) / all_.w));
  }

  [[nodiscard]] WallRingError error() const {
    if (seen_ < kLeastRingFrames || all_.readings < kLeastOfRing) return {};
    const double deviation = std::sqrt(static_cast<double>(all_.readings) / all_.w);
    const double middle = all_.r / all_.w, square = all_.rr - all_.r * middle;
    const double gain = square > 1e-9 * all_.rr ? (all_.re - middle * all_.e) / square : 0.0;
    const double spread = std::sqrt(std::max(square, 0.0) / all_.w);
    if (gain != 0.0 && is_sure(gain * spread, gain_error(gain, middle, square) * spread, deviation)) {
      return {.bias_m = all_.e / all_.w - gain * middle, .gain = gain};
    }
    const double bias = all_.e / all_.w;
    return is_sure(bias, bias_error(bias), deviation) ? WallRingError{.bias_m = bias} : WallRingError{};
  }

 private:
  static bool is_sure(double value, double error, double deviation) {
    return std::abs(value) > kSureRingErrors * error && std::abs(value) > kLeastRingPart * deviation;
  }
  [[nodiscard]] double of_clusters(double square) const {
    const auto count = static_cast<double>(seen_);
    return std::sqrt(square * count / (count - 1.0));
  }
  [[nodiscard]] double gain_error(double gain, double middle, double square) const {
    const double bias = all_.e / all_.w - gain * middle;
    double scores = 0.0;
    for (const RingSums& f : frames_) {
      const double score = (f.re - bias * f.r - gain * f.rr) - middle * (f.e - bias * f.w - gain * f.r);
      scores += score * score;
    }
    return of_clusters(scores) / square;
  }
  [[nodiscard]] double bias_error(double bias) const {
    double scores = 0.0;
    for (const RingSums& f : frames_) scores += (f.e - bias * f.w) * (f.e - bias * f.w);
    return of_clusters(scores) / all_.w;
  }

  std::span<const RingSums> frames_;
  RingSums all_;
  std::size_t seen_ = 0;
};

}  // namespace

std::vector<WallRingError> ring_errors(const WallWork& work, const WallLidar& lidar, double part) {
  const std::size_t rays = work.rays.size(), frames = work.fits.size();
  const std::size_t rings = std::size_t{*std::max_element(lidar.ring.begin(), lidar.ring.end())} + 1;
  std::vector<std::vector<RingSums>> sums(rings, std::vector<RingSums>(frames));
  for (std::size_t f = 0; f < frames; ++f) {
    if (!work.fits[f]) continue;
    const FrameRays own = work.rays_of(f);
    for (std::size_t i = 0; i < rays; ++i) {
      const double error_m = double{work.measure.residual[f * rays + i]};
      if (std::isnan(error_m)) continue;
      const double clean_m = own->clean_m(i, work.fits[f]->m), deviation = work.scale.at(work.rays, i, clean_m);
      sums[lidar.ring[i]][f].add(1.0 / (deviation * deviation), clean_m, error_m);
    }
  }
  std::vector<WallRingError> errors;
  std::vector<double> sizes_m;
  for (const std::vector<RingSums>& ring : sums) {
    const RingLine line(ring);
    errors.push_back(line.error()), sizes_m.push_back(line.size_m(errors.back()));
  }
  const double least_m = part * *std::max_element(sizes_m.begin(), sizes_m.end());
  for (std::size_t ring = 0; ring < rings; ++ring) {
    if (sizes_m[ring] < least_m) errors[ring] = {};
  }
  const bool any = std::any_of(errors.begin(), errors.end(), [](const WallRingError& e) { return !e.is_none(); });
  return any ? errors : std::vector<WallRingError>();
}

namespace {

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
      const WallCamera& camera = *frames.sensor.camera;
      out_.optics = {static_cast<float>(camera.fx_px), static_cast<float>(camera.cx_px),
                     static_cast<float>(camera.baseline_m)};
      out_.outside = OutsideLimits::kLost;
      out_.depths_are_rounded = true;
    }
    if (frames.sensor.lidar) out_.min_range_m = frames.sensor.lidar->min_range_m;
    if (frames.sensor.max_range_m > 0.0) out_.max_range_m = frames.sensor.max_range_m;
    out_.half_step_m = frames.half_step_m;
  }

  ChainReturns make() {
    const std::size_t rays = w_.rays.size();
    for (std::size_t f = 0; f < w_.fits.size(); ++f) {
      if (!w_.fits[f]) continue;
      const FrameRays of_frame = w_.rays_of(f);
      for (std::size_t i = 0; i < rays; ++i) {
        const WallPixel pixel = w_.measure.pixels[f * rays + i];
        const bool is_tail = o_.tails && pixel == WallPixel::kTail;
        if (pixel != WallPixel::kWall && pixel != WallPixel::kLost && !is_tail) continue;
        if (is_taken(f, i)) add(*of_frame, f, i, pixel);
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_taken(std::size_t f, std::size_t i) const {
    if (share_ >= 1.0) return true;
    const NoiseKey key = {o_.seed, static_cast<std::uint32_t>(f), kThinStream};
    return double{uniform_from_word(keyed_block(key, static_cast<std::uint32_t>(i), 0).word[0])} < share_;
  }

  /// A clean value without the bias of the disparities that it is from.
  [[nodiscard]] double without_bias(double value_m) const {
    if (!w_.rays.has_disparity() || o_.bias_px == 0.0) return value_m;
    const double unit = w_.rays.focal_baseline_px_m;
    return unit / (unit / value_m - o_.bias_px);
  }

  void add(const WallRays& of, std::size_t f, std::size_t i, WallPixel pixel) {
    const bool is_there = pixel != WallPixel::kLost;
    const WallPlaneFit& fit = *w_.fits[f];
    const Vec3& q = of.q[i];
    const double plane_m = of.clean_m(i, fit.m), measured_m = double{frames_.measured_m[f * of.size() + i]};
    double clean_m = plane_m;
    // The plane took nothing of a tail, which is not among what it was fitted to.
    if (pixel == WallPixel::kWall) clean_m = before_the_plane(of, fit, i, measured_m, plane_m);
    clean_m = without_bias(clean_m);
    const Vec3 normal = (1.0 / norm(fit.m)) * fit.m;
    const double cosine = std::clamp(dot(normal, q) / of.length[i], 0.0, 1.0), range_m = clean_m * of.length[i];
    double reported_m = (1.0 + o_.gain) * measured_m * of.length[i] + o_.bias_m;
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
    // Of what its ring errs by it took nothing.
    const double of_ring_m = w_.of_ring(frames_.sensor, i, plane_m),
                 error = of_ring_m + (of.error(measured_m, plane_m) - of_ring_m) / std::sqrt(1.0 - taken);
    if (!of.has_disparity()) return measured_m - error;
    const double unit = of.focal_baseline_px_m;
    return unit / (unit / measured_m - error);
  }

  /// As noise/energy.hpp has it: the smaller of the cosines to the two lenses, of which the left one is at the origin.
  [[nodiscard]] double energy(const Vec3& normal, const Vec3& point, double cosine) const {
    if (!w_.rays.has_disparity()) return cosine;
    const Vec3 to_point = point - Vec3{0.0, -frames_.sensor.camera->baseline_m, 0.0};
    return std::min(cosine, dot(normal, to_point) / norm(to_point));
  }

  const WallFrames& frames_;
  const WallWork& w_;
  const WallReturnsOptions& o_;
  double share_ = 1.0;
  ChainReturns out_;
};

}  // namespace

ChainReturns wall_returns(const WallFrames& frames, const WallWork& work, const WallReturnsOptions& options) {
  return ReturnMaker(frames, work, options).make();
}

}  // namespace fathom

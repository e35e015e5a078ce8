// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include <fathom/math/f64.hpp>
#include <fathom/math/random.hpp>

#include "calibrate/wall_work.hpp"
#include "fit/covariance.hpp"

namespace fathom {

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
};

RingLine ring_line(const std::vector<RingSums>& frames, const RingSums& all, bool has_gain) {
  const std::vector<std::size_t> learned = has_gain ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0};
  const auto inverse = inverse_of(all.information, learned, 0.0);
  RingLine line;
  if (!inverse) return line;
  line.value = *inverse * all.right;
  double seen = 0.0;
  Eigen::Vector2d square = Eigen::Vector2d::Zero();
  for (const RingSums& frame : frames) {
    if (frame.readings == 0) continue;
    const Eigen::Vector2d moved = *inverse * (frame.right - frame.information * line.value);
    square += moved.cwiseAbs2(), seen += 1.0;
  }
  line.error = (square * seen / (seen - 1.0)).cwiseSqrt();
  return line;
}

/// The gain counts where it is sure and large enough, else the bias alone does.
WallRingError ring_error(const std::vector<RingSums>& frames, const RingSums& all) {
  const auto seen = std::count_if(frames.begin(), frames.end(), [](const RingSums& f) { return f.readings > 0; });
  if (static_cast<std::size_t>(seen) < kLeastRingFrames || all.readings < kLeastOfRing) return {};
  const double w = all.information(0, 0), rr = all.information(1, 1), middle = all.information(0, 1) / w;
  const double deviation = std::sqrt(static_cast<double>(all.readings) / w), square = rr - middle * middle * w;
  const auto is_sure = [&](double value, double error) {
    return std::abs(value) > kSureRingErrors * error && std::abs(value) > kLeastRingPart * deviation;
  };
  if (square > 1e-9 * rr) {
    const RingLine line = ring_line(frames, all, true);
    const double spread = std::sqrt(square / w);
    if (is_sure(line.value[1] * spread, line.error[1] * spread)) {
      return {.bias_m = line.value[0], .gain = line.value[1]};
    }
  }
  const RingLine line = ring_line(frames, all, false);
  return is_sure(line.value[0], line.error[0]) ? WallRingError{.bias_m = line.value[0]} : WallRingError{};
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
      const WallCamera& camera = *frames.sensor.camera;
      out_.optics = {static_cast<float>(camera.fx_px), static_cast<float>(camera.cx_px),
                     static_cast<float>(camera.baseline_m)};
      out_.outside = OutsideLimits::kLost;
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
    const std::size_t rays = w_.rays.size();
    for (std::size_t f = 0; f < w_.fits.size(); ++f) {
      if (!w_.fits[f]) continue;
      const auto of_frame = w_.rays_of(f);
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

  void add(const WallRays& of, std::size_t f, std::size_t i, WallPixel pixel) {
    const bool is_there = pixel != WallPixel::kLost;
    const WallPlaneFit& fit = *w_.fits[f];
    const Vec3& q = of.q[i];
    const double plane_m = of.clean_m(i, fit.m), measured_m = double{frames_.measured_m[f * of.size() + i]};
    double clean_m = plane_m;
    // The plane took nothing of a tail, which is not among what it was fitted to.
    if (pixel == WallPixel::kWall) clean_m = before_the_plane(of, fit, i, measured_m, plane_m);
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
    // Of what its ring errs by it took nothing.
    const double of_ring_m = w_.of_ring(frames_.sensor, i, plane_m),
                 error = of_ring_m + (of.error(measured_m, plane_m) - of_ring_m) / std::sqrt(1.0 - taken);
    return of.without(error, measured_m);
  }

  /// As noise/stereo_energy.hpp has it: the smaller of the cosines to the two lenses, of which the left one is at the
  /// origin.
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

std::vector<WallRingError> ring_errors(const WallWork& work, const WallLidar& lidar, double part) {
  const std::size_t rays = work.rays.size(), frames = work.fits.size();
  const std::size_t rings = std::size_t{*std::max_element(lidar.ring.begin(), lidar.ring.end())} + 1;
  std::vector<std::vector<RingSums>> sums(rings, std::vector<RingSums>(frames));
  for (std::size_t f = 0; f < frames; ++f) {
    if (!work.fits[f]) continue;
    const auto own = work.rays_of(f);
    for (std::size_t i = 0; i < rays; ++i) {
      const double error_m = double{work.measure.residual[f * rays + i]};
      if (std::isnan(error_m)) continue;
      const double clean_m = own->clean_m(i, work.fits[f]->m), deviation = work.scale.at(work.rays, i, clean_m);
      sums[lidar.ring[i]][f].add(1.0 / (deviation * deviation), clean_m, error_m);
    }
  }
  std::vector<WallRingError> errors;
  std::vector<double> sizes_m;
  for (const std::vector<RingSums>& frames_of_ring : sums) {
    RingSums all;
    for (const RingSums& frame : frames_of_ring) all.add(frame);
    errors.push_back(ring_error(frames_of_ring, all)), sizes_m.push_back(size_m(errors.back(), all));
  }
  const double least_m = part * *std::max_element(sizes_m.begin(), sizes_m.end());
  for (std::size_t ring = 0; ring < rings; ++ring) {
    if (sizes_m[ring] < least_m) errors[ring] = {};
  }
  const bool any = std::any_of(errors.begin(), errors.end(), [](const WallRingError& e) { return !e.is_none(); });
  return any ? errors : std::vector<WallRingError>();
}

ChainReturns wall_returns(const WallFrames& frames, const WallWork& work, const WallReturnsOptions& options) {
  return ReturnMaker(frames, work, options).make();
}

}  // namespace fathom

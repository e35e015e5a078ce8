// SPDX-License-Identifier: MIT
#include "calibrate/wall_returns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fathom/math/random.hpp>
#include <fathom/math/trigonometry.hpp>

namespace fathom {

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

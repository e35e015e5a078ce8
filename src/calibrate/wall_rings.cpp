// SPDX-License-Identifier: MIT
#include "calibrate/wall_rings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

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

}  // namespace fathom

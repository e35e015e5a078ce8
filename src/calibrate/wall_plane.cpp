// SPDX-License-Identifier: MIT
#include "calibrate/wall_plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/math/random.hpp>
#include <fathom/math/trigonometry.hpp>

#include "base/median.hpp"
#include "fit/covariance.hpp"

namespace fathom {

namespace {

constexpr double kLeastShare = 1e-6;  // of a value: what single precision leaves of a clean one

}  // namespace

WallRays::WallRays(const WallSensor& sensor)
    : rows(sensor.rows),
      cols(sensor.cols),
      is_planar(!sensor.camera && !sensor.lidar),
      sees_more(sensor.lidar.has_value()),
      used_cols(sensor.cols),
      max_range_m(sensor.max_range_m) {
  q.reserve(sensor.rays()), length.reserve(sensor.rays());
  if (sensor.camera) {
    const WallCamera& c = *sensor.camera;
    focal_baseline_px_m = c.fx_px * c.baseline_m;
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t col = 0; col < cols; ++col) {
        q.push_back({1.0, -(col - c.cx_px) / c.fx_px, -(row - c.cy_px) / c.fy_px});
      }
    }
  } else if (sensor.lidar) {
    q = sensor.lidar->direction, origin_m = sensor.lidar->origin_m;
    is_full_turn = sensor.lidar->is_full_turn;
  } else {
    for (const double azimuth : sensor.azimuth_rad) {
      const math::SinCos64 a = math::sincos(azimuth);
      q.push_back({a.cos, a.sin, 0.0});
    }
  }
  for (const Vec3& ray : q) length.push_back(norm(ray));
}

double WallScale::at(const WallRays& rays, std::size_t i, double clean_m) const {
  // A rounded value is off by a uniform error, whose deviation is half a step / sqrt(3).
  const double rounded_m = half_step_m / std::sqrt(3.0), least_m = kLeastShare * clean_m;
  const double floor_m = std::sqrt(rounded_m * rounded_m + least_m * least_m);
  if (rays.has_disparity()) {
    const double px_per_m = rays.focal_baseline_px_m / (clean_m * clean_m);
    return std::max(constant, floor_m * px_per_m);
  }
  const double range_m = clean_m * rays.length[i];
  return std::max((constant + per_m * range_m) / rays.length[i], floor_m);
}

bool is_reading(const WallRays& rays, std::size_t i, float measured_m) {
  if (!(measured_m > 0.0F && measured_m <= std::numeric_limits<float>::max())) return false;
  // A camera's limit is that of its range, and a laser's value at the limit says that nothing came back.
  const double range_m = double{measured_m} * rays.length[i];
  return !(rays.is_planar && rays.max_range_m > 0.0 && range_m >= rays.max_range_m);
}

std::vector<Vec3> turn_directions(const WallTurns& turns, std::size_t rays, std::size_t f) {
  std::vector<Vec3> directions;
  directions.reserve(rays);
  for (std::size_t i = f * rays; i < (f + 1) * rays; ++i) {
    const math::SinCos64 azimuth = math::sincos(double{turns.azimuth_rad[i]}),
                         elevation = math::sincos(double{turns.elevation_rad[i]});
    directions.push_back({elevation.cos * azimuth.cos, elevation.cos * azimuth.sin, elevation.sin});
  }
  return directions;
}

FrameRays::FrameRays(const WallRays& of_all, const WallTurns* turns, std::size_t f) : of_all_(of_all) {
  if (turns == nullptr) return;
  own_ = of_all;
  own_->q = turn_directions(*turns, of_all.size(), f);
  own_->used_cols = turns->cols[f], own_->is_full_turn = true;
}

namespace {

constexpr std::size_t kMostSampled = 2000;  // readings that judge a random triple
constexpr std::uint32_t kTriples = 150;     // one in eight is of the wall alone where half of the readings are
constexpr int kMostPlaneSteps = 30;
constexpr double kNormalByMedian = 1.4826;  // a normal's deviation by the median of its sizes
constexpr double kMostDeviation = 0.05;     // of the distance
constexpr std::uint32_t kTripleStream = 0x77616c6cU;

/// The least median of residuals over random triples.
class TripleSearch {
 public:
  TripleSearch(const WallRays& rays, std::span<const float> measured, std::span<const std::size_t> at)
      : rays_(rays), measured_(measured) {
    const std::size_t count = std::min(at.size(), kMostSampled);
    for (std::size_t k = 0; k < count; ++k) sample_.push_back(at[k * at.size() / count]);
  }

  /// m and the median, in what the error counts.
  std::optional<std::pair<Vec3, double>> best(const WallKey& key) {
    std::optional<std::pair<Vec3, double>> best;
    for (std::uint32_t triple = 0; triple < kTriples; ++triple) {
      const PhiloxBlock words = keyed_block({key.seed, key.frame, kTripleStream}, triple, 0);
      std::array<std::size_t, 3> at{};
      for (std::size_t k = 0; k < 3; ++k) at[k] = sample_[(std::uint64_t{words.word[k]} * sample_.size()) >> 32U];
      const auto m = plane_through(rays_, at, measured_);
      if (!m) continue;
      const double median = median_of(*m);
      if (!best || median < best->second) best.emplace(*m, median);
    }
    return best;
  }

 private:
  double median_of(const Vec3& m) {
    sizes_.clear();
    for (const std::size_t i : sample_) {
      const double clean_m = rays_.clean_m(i, m);
      sizes_.push_back(clean_m > 0.0 ? std::abs(rays_.error(double{measured_[i]}, clean_m))
                                     : std::numeric_limits<double>::infinity());
    }
    return median(sizes_);
  }

  const WallRays& rays_;
  std::span<const float> measured_;
  std::vector<std::size_t> sample_;
  std::vector<double> sizes_;
};

/// Over the readings within the gate.
PlaneStep step_at(const WallRays& rays, std::span<const float> measured, std::span<const std::size_t> at, const Vec3& m,
                  const WallScale& scale) {
  PlaneStep step;
  for (const std::size_t i : at) {
    const double clean_m = rays.clean_m(i, m);
    if (!(clean_m > 0.0)) continue;
    const double error = rays.error(double{measured[i]}, clean_m);
    const double deviation = scale.at(rays, i, clean_m);
    if (std::abs(error) <= kWallGate * deviation) step.add(rays.slope(i, clean_m, m), error, deviation);
  }
  return step;
}

/// The deviation that is wanted of all readings alike: per ray it is the same in what the error counts.
WallScale even_scale(const WallRays& rays, double deviation, double half_step_m) {
  return {.constant = rays.has_disparity() ? deviation : 0.0,
          .per_m = rays.has_disparity() ? 0.0 : deviation,
          .half_step_m = half_step_m};
}

/// Deviation per range, of which even_scale() of a laser or a depth camera is made: the median error by the median
/// range.
double relative(const WallRays& rays, std::span<const float> measured, std::span<const std::size_t> at, double error) {
  if (rays.has_disparity()) return error;
  std::vector<double> values;
  for (const std::size_t i : at) values.push_back(double{measured[i]});
  return error / median(values);
}

std::array<double, 3> components(const Vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

std::optional<PlaneMatrix> inverse_of(const PlaneMatrix& matrix, std::size_t unknowns) {
  Eigen::MatrixXd a(unknowns, unknowns);
  for (std::size_t j = 0; j < unknowns; ++j) {
    for (std::size_t k = 0; k < unknowns; ++k) a(j, k) = components(matrix[j])[k];
  }
  const auto found = inverse_of(a, 1e-14);
  if (!found) return std::nullopt;
  PlaneMatrix inverse{};
  for (std::size_t j = 0; j < unknowns; ++j) {
    inverse[j] = {(*found)(j, 0), (*found)(j, 1), unknowns == 3 ? (*found)(j, 2) : 0.0};
  }
  return inverse;
}

std::optional<Vec3> plane_through(const WallRays& rays, std::span<const std::size_t> at,
                                  std::span<const float> measured_m) {
  const auto inverse = [&](std::size_t k) { return 1.0 / double{measured_m[at[k]]}; };
  // m . (o + r q) = 1, divided by r
  const auto row = [&](std::size_t k) {
    return rays.origin_m.empty() ? rays.q[at[k]] : rays.q[at[k]] + inverse(k) * rays.origin_m[at[k]];
  };
  const Vec3 a = row(0), b = row(1);
  if (rays.is_planar) {
    const double det = a.x * b.y - a.y * b.x;
    if (!(std::abs(det) > 1e-9)) return std::nullopt;
    return Vec3{(inverse(0) * b.y - inverse(1) * a.y) / det, (a.x * inverse(1) - b.x * inverse(0)) / det, 0.0};
  }
  const Vec3 c = row(2);
  const Vec3 bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
  const double det = dot(a, bc);
  if (!(std::abs(det) > 1e-12)) return std::nullopt;
  return (1.0 / det) * (inverse(0) * bc + inverse(1) * ca + inverse(2) * ab);
}

double WallPlaneFit::leverage(const WallRays& rays, std::size_t i) const {
  const double clean_m = rays.clean_m(i, m), sigma = scale.at(rays, i, clean_m);
  return quadratic_form(covariance, rays.slope(i, clean_m, m)) / (sigma * sigma);
}

std::optional<WallPlaneFit> fit_plane(const WallRays& rays, std::span<const float> measured_m, double half_step_m,
                                      const std::optional<WallScale>& scale, const WallKey& key, std::string& why_not) {
  const std::size_t least = rays.is_planar ? 20 : 100;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < measured_m.size(); ++i) {
    if (!std::isnan(measured_m[i])) at.push_back(i);
  }
  if (at.size() < least) {
    why_not = fmt::format("has {} readings, and a wall needs {}", at.size(), least);
    return std::nullopt;
  }
  const auto start = TripleSearch(rays, measured_m, at).best(key);
  if (!start || !std::isfinite(start->second)) {
    why_not = "its readings lie on no plane before the sensor";
    return std::nullopt;
  }
  WallPlaneFit fit{.m = start->first, .readings = at.size()};
  WallScale now =
      scale.value_or(even_scale(rays, relative(rays, measured_m, at, kNormalByMedian * start->second), half_step_m));
  for (int k = 0; k < kMostPlaneSteps; ++k) {
    const PlaneStep step = step_at(rays, measured_m, at, fit.m, now);
    if (2 * step.readings < at.size()) {
      why_not = fmt::format("{:.0f} % of its readings lie on one plane, and half of them have to",
                            100.0 * static_cast<double>(step.readings) / static_cast<double>(at.size()));
      return std::nullopt;
    }
    const auto covariance = inverse_of(step.information, rays.unknowns());
    if (!covariance) {
      why_not = "its readings do not tell a plane";
      return std::nullopt;
    }
    const std::size_t before = fit.on_wall;
    fit.covariance = *covariance, fit.scale = now, fit.on_wall = step.readings;
    fit.deviation = std::sqrt(step.square / static_cast<double>(step.readings));
    const Vec3 moved = product(*covariance, step.right);
    fit.m = fit.m + moved;
    if (!scale) now = even_scale(rays, relative(rays, measured_m, at, fit.deviation), half_step_m);
    if (before == fit.on_wall && norm(moved) < 1e-12 * norm(fit.m)) break;
  }
  const double part =
      rays.has_disparity() ? fit.deviation / (rays.focal_baseline_px_m * norm(fit.m)) : fit.deviation * norm(fit.m);
  if (!(part <= kMostDeviation)) {
    const std::string by =
        part <= 1.0 ? fmt::format("{:.1f} % of the distance", 100.0 * part) : "more than the distance";
    why_not = fmt::format("its readings deviate from every plane by {}, and {:.0f} % is the most for a wall", by,
                          100.0 * kMostDeviation);
    return std::nullopt;
  }
  return fit;
}

}  // namespace fathom

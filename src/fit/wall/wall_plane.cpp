// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/f64.hpp>

#include "core/numbers.hpp"
#include "fit/chain/chain_likelihood.hpp"
#include "fit/uncertainty.hpp"
#include "fit/wall/wall_work.hpp"

namespace fathom {

namespace {

constexpr double kLeastShare = 1e-6;  // of a value: the rounding of a clean one in single precision

constexpr double kTripleRad = 15.0 * kRadPerDeg;  // from the first of a triple of neighbours to the others, at most
constexpr double kDeviationByMedian = 1.4826;     // a normal's, by the median of its sizes

constexpr std::size_t kMostSampled = 2000;  // readings that judge a random triple
constexpr std::uint32_t kTriples = 150;     // one in eight shows only the wall if half of the readings do
constexpr int kMostPlaneSteps = 30;
constexpr double kMostDeviation = 0.05;  // of the distance
constexpr std::uint32_t kTripleStream = 0x77616c6cU;

std::nullopt_t nothing(std::string why, std::string& why_not) {
  why_not = std::move(why);
  return std::nullopt;
}

/// The plane m through the readings of as many rays as it has unknowns; empty if they do not determine it.
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

struct ScoredPlane {
  Vec3 m;
  double score;
};

/// The plane with the highest score through random readings. `draw`: their rays, nothing or three, from random words.
template <class Draw, class Score>
std::optional<ScoredPlane> best_of_triples(const WallRays& rays, std::span<const float> measured, const NoiseKey& key,
                                           std::uint32_t triples, Draw draw, Score score) {
  std::optional<ScoredPlane> best;
  for (std::uint32_t k = 0; k < triples; ++k) {
    const std::optional<std::array<std::size_t, 3>> at = draw(keyed_block(key, k, 0));
    const auto m = at ? plane_through(rays, *at, measured) : std::nullopt;
    if (!m) continue;
    const ScoredPlane plane = {*m, score(*m)};
    if (!best || plane.score > best->score) best = plane;
  }
  return best;
}

/// The random one of as many.
std::size_t pick(std::uint32_t word, std::size_t count) { return (std::uint64_t{word} * count) >> 32U; }

/// The least median of residuals over random triples, as a negative score, in the unit of the error.
std::optional<ScoredPlane> least_median(const WallRays& rays, std::span<const float> measured,
                                        const std::vector<std::size_t>& at, const NoiseKey& key) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<std::size_t> sample = some_of(at, kMostSampled);
  std::vector<double> sizes(sample.size());
  const auto draw = [&](const PhiloxBlock& words) {
    std::array<std::size_t, 3> triple{};
    for (std::size_t k = 0; k < 3; ++k) triple[k] = sample[pick(words.word[k], sample.size())];
    return std::optional(triple);
  };
  double least = kInfinity;
  const auto score = [&](const Vec3& m) {
    std::size_t nearer = 0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      const double clean_m = rays.clean_m(sample[k], m);
      sizes[k] = clean_m > 0.0 ? std::abs(rays.error(double{measured[sample[k]]}, clean_m)) : kInfinity;
      nearer += sizes[k] < least ? 1 : 0;
    }
    if (nearer <= sizes.size() / 2) return -kInfinity;  // the median is not less: no need to find it
    least = median(sizes);
    return -least;
  };
  return best_of_triples(rays, measured, {key.seed, key.frame, kTripleStream}, kTriples, draw, score);
}

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

constexpr std::size_t kMostVotes = 4000;     // readings that judge a random triple
constexpr std::uint32_t kVoteTriples = 600;  // of neighbours: one in eight and more is of one plane
constexpr double kAheadRad = 20.0 * kRadPerDeg, kMostAheadRad = 60.0 * kRadPerDeg;
constexpr double kMostTiltRad = 45.0 * kRadPerDeg;
constexpr double kVoteDeviations = 4.0, kVoteShare = 2e-3;  // of the range: further errors of a lidar
constexpr std::uint32_t kVoteStream = 0x766f7465U;

/// The deviation of a reading about the plane of its neighbours in a row: 1 / r is linear along a straight line.
double deviation_of_neighbours(const WallRays& rays, std::span<const float> measured) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto left = rays.beside(i, 0, -1), right = rays.beside(i, 0, 1);
    if (!left || !right || std::isnan(measured[i] + measured[*left] + measured[*right])) continue;
    const double along = norm(rays.q[*left] + rays.q[*right]);
    const double between_m = along / (1.0 / double{measured[*left]} + 1.0 / double{measured[*right]});
    // Two neighbours are half of the variance of one more.
    errors.push_back(std::abs(double{measured[i]} - between_m) / std::sqrt(1.5));
  }
  return errors.empty() ? 0.0 : kDeviationByMedian * median(errors);
}

bool is_upright(const Vec3& m, WallOptions::Choice choice) {
  const Vec3 normal = (1.0 / norm(m)) * m;
  if (!(std::abs(normal.z) <= std::sin(kMostTiltRad))) return false;
  return choice == WallOptions::Choice::kLargest || normal.x >= std::cos(kMostAheadRad);
}

/// The upright plane with the most votes through triples of neighbours, which begin at one of `first`.
std::optional<Vec3> most_votes(const WallRays& rays, std::span<const float> measured,
                               const std::vector<std::size_t>& first, WallOptions::Choice choice,
                               const WallScale& tolerance, const NoiseKey& key) {
  const std::ptrdiff_t across = std::max<std::ptrdiff_t>(1, rays.rays_in(kTripleRad, true)),
                       down = std::max<std::ptrdiff_t>(1, rays.rays_in(kTripleRad, false));
  const auto off = [](std::uint32_t word, std::ptrdiff_t most) {
    return static_cast<std::ptrdiff_t>(pick(word, static_cast<std::size_t>(2 * most + 1))) - most;
  };
  const auto draw = [&](const PhiloxBlock& words) -> std::optional<std::array<std::size_t, 3>> {
    const std::size_t a = first[pick(words.word[0], first.size())];
    const auto b = rays.beside(a, 0, off(words.word[1], across));
    // A line has enough of two.
    const auto c = rays.is_planar ? b : rays.beside(a, off(words.word[2], down), off(words.word[3], across));
    if (!b || !c || std::isnan(measured[*b]) || std::isnan(measured[*c])) return std::nullopt;
    return std::array{a, *b, *c};
  };
  const std::vector<std::size_t> voters = some_of(first, kMostVotes);
  const auto votes = [&](const Vec3& m) {
    if (!is_upright(m, choice)) return 0.0;
    return static_cast<double>(std::ranges::count_if(voters, [&](std::size_t i) {
      const double clean_m = rays.clean_m(i, m);
      return clean_m > 0.0 && std::abs(double{measured[i]} - clean_m) <= kWallGate * tolerance.at(rays, i, clean_m);
    }));
  };
  const auto best = best_of_triples(rays, measured, {key.seed, key.frame, kVoteStream}, kVoteTriples, draw, votes);
  return best && best->score > 0.0 ? std::optional(best->m) : std::nullopt;
}

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
    const WallSensor::Camera& c = *sensor.camera;
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
  // A camera's limit is that of its range; a laser's value at the limit means no return.
  const double range_m = double{measured_m} * rays.length[i];
  return !(rays.is_planar && rays.max_range_m > 0.0 && range_m >= rays.max_range_m);
}

std::vector<Vec3> turn_directions(const WallFrames::Turns& turns, std::size_t rays, std::size_t f) {
  std::vector<Vec3> directions;
  directions.reserve(rays);
  for (std::size_t i = f * rays; i < (f + 1) * rays; ++i) {
    const math::SinCos64 azimuth = math::sincos(double{turns.azimuth_rad[i]}),
                         elevation = math::sincos(double{turns.elevation_rad[i]});
    directions.push_back({elevation.cos * azimuth.cos, elevation.cos * azimuth.sin, elevation.sin});
  }
  return directions;
}

std::optional<std::size_t> WallRays::beside(std::size_t i, std::ptrdiff_t down, std::ptrdiff_t right) const {
  const auto width = static_cast<std::ptrdiff_t>(cols), used = static_cast<std::ptrdiff_t>(used_cols);
  if (!is_there(i)) return std::nullopt;
  const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(i) / width + down;
  std::ptrdiff_t col = static_cast<std::ptrdiff_t>(i) % width + right;
  if (is_full_turn) col = (col % used + used) % used;
  if (row < 0 || row >= static_cast<std::ptrdiff_t>(rows) || col < 0 || col >= used) return std::nullopt;
  return static_cast<std::size_t>(row * width + col);
}

std::ptrdiff_t WallRays::rays_in(double angle_rad, bool are_across) const {
  std::vector<double> steps;
  for (std::size_t i = 0; i < size(); i += size() / 1000 + 1) {
    if (const auto k = beside(i, are_across ? 0 : 1, are_across ? 1 : 0)) steps.push_back(norm(q[i] - q[*k]));
  }
  const double step_rad = steps.empty() ? kTripleRad : std::max(1e-6, median(steps));
  return static_cast<std::ptrdiff_t>(std::min(1e6, std::ceil(angle_rad / step_rad)));
}

std::optional<Eigen::Matrix3d> plane_inverse(const Eigen::Matrix3d& matrix, std::size_t unknowns) {
  const std::vector<std::size_t> all = {0, 1, 2};
  const auto found = inverse_of(matrix, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(unknowns)}, 1e-14);
  return found ? std::optional<Eigen::Matrix3d>(*found) : std::nullopt;
}

double WallPlaneFit::leverage(const WallRays& rays, std::size_t i) const {
  const double clean_m = rays.clean_m(i, m), sigma = scale.at(rays, i, clean_m);
  return quadratic_form(covariance, rays.slope(i, clean_m, m)) / (sigma * sigma);
}

std::optional<WallPlaneFit> fit_plane(const WallRays& rays, std::span<const float> measured_m, double half_step_m,
                                      const std::optional<WallScale>& scale, const NoiseKey& key,
                                      std::string& why_not) {
  const std::size_t least = rays.is_planar ? 20 : 100;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < measured_m.size(); ++i) {
    if (!std::isnan(measured_m[i])) at.push_back(i);
  }
  if (at.size() < least) return nothing(fmt::format("has {} readings, and a wall needs {}", at.size(), least), why_not);
  const auto start = least_median(rays, measured_m, at, key);
  if (!start || !std::isfinite(start->score)) return nothing("its readings lie on no plane before the sensor", why_not);
  WallPlaneFit fit{.m = start->m};
  std::vector<double> values;
  values.reserve(at.size());
  for (const std::size_t i : at) values.push_back(double{measured_m[i]});
  const double middle_m = median(values);
  // The same deviation for all readings: of the disparity, else as a share of the range.
  const auto even = [&](double deviation) {
    return rays.has_disparity() ? WallScale{deviation, 0.0, half_step_m}
                                : WallScale{0.0, deviation / middle_m, half_step_m};
  };
  WallScale now = scale ? *scale : even(-kDeviationByMedian * start->score);
  for (int k = 0; k < kMostPlaneSteps; ++k) {
    const PlaneStep step = step_at(rays, measured_m, at, fit.m, now);
    if (2 * step.readings < at.size()) {
      const double share = static_cast<double>(step.readings) / static_cast<double>(at.size());
      return nothing(fmt::format("{:.0f} % of its readings lie on one plane, and half of them have to", 100.0 * share),
                     why_not);
    }
    const auto covariance = plane_inverse(step.information, rays.unknowns());
    if (!covariance) return nothing("its readings do not tell a plane", why_not);
    const std::size_t before = fit.on_wall;
    fit.covariance = *covariance, fit.on_wall = step.readings;
    fit.deviation = std::sqrt(step.square / static_cast<double>(step.readings));
    const Eigen::Vector3d moved = *covariance * step.right;
    fit.m = fit.m + Vec3{moved[0], moved[1], moved[2]};
    if (!scale) now = even(fit.deviation);
    if (before == fit.on_wall && moved.norm() < 1e-12 * norm(fit.m)) break;
  }
  fit.scale = now;
  const double part =
      rays.has_disparity() ? fit.deviation / (rays.focal_baseline_px_m * norm(fit.m)) : fit.deviation * norm(fit.m);
  if (part <= kMostDeviation) return fit;
  const std::string by = part <= 1.0 ? fmt::format("{:.1f} % of the distance", 100.0 * part) : "more than the distance";
  return nothing(fmt::format("its readings deviate from every plane by {}, and {:.0f} % is the most for a wall", by,
                             100.0 * kMostDeviation),
                 why_not);
}

std::optional<std::vector<std::uint8_t>> find_region(const WallRays& rays, std::span<const float> measured_m,
                                                     WallOptions::Choice choice, const NoiseKey& key,
                                                     std::string& why_not) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < measured_m.size(); ++i) {
    const bool is_ahead = choice == WallOptions::Choice::kLargest || rays.q[i].x >= std::cos(kAheadRad);
    if (!std::isnan(measured_m[i]) && is_ahead) first.push_back(i);
  }
  if (first.empty()) {
    const bool is_ahead = choice == WallOptions::Choice::kAhead;
    return nothing(is_ahead ? "has no reading within 20 degrees of straight ahead" : "has no reading", why_not);
  }
  const WallScale tolerance = {.constant = kVoteDeviations / kWallGate * deviation_of_neighbours(rays, measured_m),
                               .per_m = kVoteShare / kWallGate};
  const auto start = most_votes(rays, measured_m, first, choice, tolerance, key);
  if (!start) return nothing("its readings lie on no upright plane before the sensor", why_not);
  const std::vector<std::uint8_t> rough = region_of(rays, measured_m, {}, {.m = *start, .scale = tolerance});
  std::vector<float> readings(measured_m.begin(), measured_m.end());
  for (std::size_t i = 0; i < rough.size(); ++i) {
    if (rough[i] == 0) readings[i] = std::numeric_limits<float>::quiet_NaN();
  }
  auto fit = fit_plane(rays, readings, 0.0, std::nullopt, key, why_not);
  if (!fit) return std::nullopt;
  fit->scale = tolerance;
  return region_of(rays, measured_m, {}, *fit);
}

}  // namespace fathom

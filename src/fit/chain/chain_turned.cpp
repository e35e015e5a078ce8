// SPDX-License-Identifier: MIT
// The density of returns whose rays an angular_ray turned: a mixture over the surfaces that turned rays meet.
//
// On one surface the reading is taken as linear in the angle, and its curvature as a small error. Angle and error of
// the range are then normal together: the reading has the law of the chain, wider by what the angle adds. Given the
// reading the angle is normal again, nearer to where the surface gives it. A surface counts by the share of these
// angles at which it is met:
//
//   p(r) = sum over surfaces of  p_wide(r) P(met(a) | r) kept
//
// exact for normal errors; for others (uniform, t, levels) right where the angle moves the reading little against the
// error, and where it moves it much. kept is taken where the ray of the mean angle meets the surface.
//
// Nodes may miss a small surface, such as the side of a post. Without an error of the range its returns would be
// impossible or, near the ends of another surface, outweigh all others. So one in a thousand returns at edges counts as
// from anywhere between the nearest and the farthest surface that nodes meet, with a small margin.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fathom/core/f64.hpp>

#include "fit/chain/chain_likelihood.hpp"

namespace fathom {

namespace {

constexpr double kLeastWeight = 1e-30;  // weight of a surface
constexpr double kStretch = 1e-6;       // relative step of a difference of laws
constexpr double kResolution = 1e-6;    // of a range in single precision, relative
constexpr double kMissed = 1e-3;        // share of returns at edges from surfaces that no node meets
constexpr double kBeside = 0.01;        // and how far beside the surfaces that they meet, as a share of the gap
constexpr double kNoise = 1e-12;        // shares are differences of numbers near 1: below this only noise
// The effect of a reading on the angle counts as linear where the angle has so small a share of its variance, and the
// reading moves the mean angle by so small a share of its deviation.
constexpr double kSteep = 2.5e-3, kLittle = 0.02;
constexpr std::size_t kMostSurfaces = ChainReturns::TurnedRays::kNothing, kPlacesPerPart = 64;

double square(double x) { return x * x; }

/// What nodes meet at a place that has several surfaces.
struct Around {
  Around(const ChainReturns::TurnedRays& rays, std::uint32_t place)
      : nodes(rays.angle_rad.size()), met(rays.met.data() + place * nodes) {
    const std::size_t first = rays.first_surface[place], end = rays.first_surface[place + 1];
    surfaces = std::span(rays.surfaces).subspan(first, std::min(end - first, kMostSurfaces));
  }

  /// Adds the nodes that meet a surface to its sums, by runs.
  void add_to(std::array<NodeSums, kMostSurfaces>& sums, const std::vector<NodeSums>& before) const {
    for (std::size_t begin = 0, end = 0; begin < nodes; begin = end) {
      for (end = begin + 1; end < nodes && met[end] == met[begin];) ++end;
      if (met[begin] == ChainReturns::TurnedRays::kNothing) continue;
      NodeSums& sum = sums[met[begin]];
      sum.weight += before[end].weight - before[begin].weight;
      sum.place += before[end].place - before[begin].place;
      sum.slope += before[end].slope - before[begin].slope;
    }
  }

  std::size_t nodes;
  const std::uint8_t* met;  ///< [nodes]
  std::span<const ChainReturns::TurnedRays::Surface> surfaces;
};

/// What the angle adds to a reading, in m, or in px of a disparity.
struct Blur {
  double shift = 0.0, variance = 0.0;
  double covariance = 0.0;  ///< of the reading and the angle
};

/// Of an angle about which the hit is linearised. `scale`: by how much the mean of the law grows with the logarithm of
/// the reading.
Blur blur_of(const TurnedHit& hit, double at, const AngleLaw& angle, double scale, bool from_disparity) {
  // A disparity is one over the reading.
  const double bend = scale * (from_disparity ? hit.bend - 2.0 * square(hit.rate) : hit.bend);
  const double rate = scale * hit.rate;
  return {rate * (angle.mean - at) + 0.5 * bend * angle.variance,
          square(rate) * angle.variance + 0.5 * square(bend * angle.variance), rate * angle.variance};
}

}  // namespace

/// The law of a reading on one surface, and of the angle given the reading.
struct ChainDensity::WideLaw {
  MeasuredRangeLaw law;
  double own_variance = 0.0, variance = 0.0;  ///< of the error without and with the angle
  double center = 0.0;                        ///< mean of the reading; px of a disparity, else m
  double covariance = 0.0;                    ///< of the reading and the angle

  /// Of readings of disparities. `has_levels`: they have the levels of the sensor.
  void widen_disparity(const Blur& blur, bool has_levels) {
    const double step_px = law.steps_per_px > 0.0 ? 1.0 / law.steps_per_px : 0.0;
    // Where a range is measured along a ray that is turned by any angle, no range is a level's.
    if (!has_levels) {
      law.deviation_px = std::sqrt(square(law.deviation_px) + square(step_px) / 12.0), law.steps_per_px = 0;
    }
    const double least = law.steps_per_px > 0.0 ? 0.0 : kResolution * law.disparity_px;
    own_variance = square(law.deviation_px) + square(least) + (law.steps_per_px > 0.0 ? square(step_px) / 12.0 : 0);
    law.disparity_px += blur.shift;
    law.deviation_px = std::sqrt(square(law.deviation_px) + square(least) + blur.variance);
    center = law.disparity_px;
  }
  void widen_range(const Blur& blur, double rounding_m) {
    const double student = law.nu > 3.0 ? law.nu / (law.nu - 2.0) : 3.0;
    const double least = kResolution * law.mean_m;
    own_variance = square(law.normal_m) + square(law.hit_m) + square(least) + square(law.high_m - law.low_m) / 12.0 +
                   student * square(law.student_m) + square(rounding_m) / 3.0;
    law.mean_m += blur.shift;
    law.normal_m = std::sqrt(square(law.normal_m) + square(least) + blur.variance);
    center = law.mean_m + 0.5 * (law.low_m + law.high_m);
  }
  [[nodiscard]] AngleLaw given(double reading_m, const AngleLaw& before) const {
    if (!(variance > 0.0)) return before;
    double seen = reading_m;
    if (law.from_disparity) {
      const double before_m = (reading_m - law.bias_m) / law.gain;
      if (!(before_m > 0.0)) return before;
      seen = law.unit_px_m / before_m;
    }
    const double gain = covariance / variance;
    return {before.mean + gain * (seen - center), std::max(0.0, before.variance - gain * gain * variance)};
  }
};

/// A surface that turned rays of one return meet.
struct ChainDensity::Facet {
  WideLaw wide;
  double kept = 1.0;                  ///< probability that no model of loss takes a return from it
  NodeSums sums = {.weight = 1.0};    ///< of the nodes that meet it
  const std::uint8_t* met = nullptr;  ///< [nodes]; null: it is met at all angles
  std::uint8_t number = 0;            ///< its own among them

  /// Probability of a return from it.
  [[nodiscard]] double weight() const { return sums.weight * kept; }
  /// The same once the reading is known.
  [[nodiscard]] double weight_given(const RayTurns& turns, double reading_m) const {
    if (met == nullptr) return kept;
    const AngleLaw given = wide.given(reading_m, turns.law);
    const double shift = given.mean - turns.law.mean;
    const bool is_linear =
        wide.variance - wide.own_variance < kSteep * wide.own_variance && std::abs(shift) <= kLittle * turns.deviation;
    const double share = kept * (is_linear ? std::max(0.0, sums.weight + sums.slope * shift)
                                           : share_of(turns.nodes, met, number, given));
    return share > kNoise ? share : 0.0;
  }
};

void ChainDensity::share_surroundings(std::span<const std::size_t> used, Executor& executor) {
  if (!turns_) return;
  const ChainReturns::TurnedRays& rays = returns_.turned;
  const std::size_t places = rays.first_surface.empty() ? 0 : rays.first_surface.size() - 1;
  std::vector<std::size_t> first;  // a return of each place
  std::vector<bool> seen(places, false);
  std::size_t at_edges = 0;
  for (const std::size_t i : used) {
    const std::uint32_t place = rays.rays[i].surroundings;
    if (place == ChainReturns::TurnedRays::kOneSurface) continue;
    ++at_edges;
    if (!seen[place]) first.push_back(i), seen[place] = true;
  }
  if (2 * first.size() > at_edges) return;
  auto facets = std::make_shared<std::vector<std::vector<Facet>>>(places);
  executor.parallel_for(first.size(), kPlacesPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      find_facets(first[k], [&](const Facet& facet) { (*facets)[rays.rays[first[k]].surroundings].push_back(facet); });
    }
  });
  shared_ = std::move(facets);
}

template <class F>
void ChainDensity::for_each_facet(std::size_t i, F f) const {
  const std::uint32_t place = returns_.turned.rays[i].surroundings;
  if (shared_ == nullptr || place == ChainReturns::TurnedRays::kOneSurface) return find_facets(i, f);
  for (const Facet& facet : (*shared_)[place]) f(facet);
}

template <class F>
void ChainDensity::find_facets(std::size_t i, F f) const {
  const ChainReturns::TurnedRays& rays = returns_.turned;
  const std::uint32_t place = rays.rays[i].surroundings;
  if (place == ChainReturns::TurnedRays::kOneSurface) {
    const ChainReturns::TurnedRays::Surface own =
        own_surface(rays.rays[i], returns_.clean_range_m[i], returns_.energy[i], returns_.incidence_rad[i]);
    if (const auto facet = facet_on(own, i, turns_->law.mean, turns_->by_mean)) f(*facet);
    return;
  }
  const Around around(rays, place);
  std::array<NodeSums, kMostSurfaces> sums;
  around.add_to(sums, turns_->before);
  for (std::size_t number = 0; number < around.surfaces.size(); ++number) {
    if (!(sums[number].weight > kLeastWeight)) continue;
    const double at = sums[number].place / sums[number].weight;
    auto facet = facet_on(around.surfaces[number], i, at, RayTurner(*rays.axis, at));
    if (!facet) continue;
    facet->sums = sums[number], facet->met = around.met, facet->number = static_cast<std::uint8_t>(number);
    f(*facet);
  }
}

std::optional<ChainDensity::Facet> ChainDensity::facet_on(const ChainReturns::TurnedRays::Surface& surface,
                                                          std::size_t i, double at, const RayTurner& turner) const {
  const auto hit = hit_of(returns_.turned.rays[i], surface, turner, returns_.depths_are_rounded);
  if (!hit) return std::nullopt;
  Facet facet;
  facet.wide = wide_law(*hit, at, ring(i));
  for (const Step& step : losses_) facet.kept *= 1.0 - lost_on(step, surface, *hit, ring(i));
  return facet;
}

double ChainDensity::lost_on(const Step& step, const ChainReturns::TurnedRays::Surface& surface, const TurnedHit& hit,
                             std::size_t ring) const {
  const auto range = static_cast<float>(hit.range_m);
  Surface met;
  met.cos_emitter = static_cast<float>(hit.cosine), met.optics = returns_.optics;
  return step.lose(model_of(step, ring), {static_cast<float>(hit.x_m), static_cast<float>(hit.y_m), 0.0F, range, range},
                   met, static_cast<float>(surface.energy * hit.cosine));
}

ChainDensity::WideLaw ChainDensity::wide_law(const TurnedHit& hit, double at, std::size_t ring) const {
  WideLaw wide;
  wide.law = law_of(hit.reading_m, hit.x_m, ring);
  const MeasuredRangeLaw farther = law_of(hit.reading_m * (1.0 + kStretch), hit.x_m * (1.0 + kStretch), ring);
  const bool from_disparity = wide.law.from_disparity;
  const double scale =
      (from_disparity ? farther.disparity_px - wide.law.disparity_px : farther.mean_m - wide.law.mean_m) / kStretch;
  const Blur blur = blur_of(hit, at, turns_->law, scale, from_disparity);
  if (from_disparity) {
    wide.widen_disparity(blur, returns_.depths_are_rounded);
  } else {
    wide.widen_range(blur, returns_.half_step_m * (returns_.depths_are_rounded ? hit.reading_m / hit.x_m : 1.0));
  }
  wide.variance = wide.own_variance + blur.variance, wide.covariance = blur.covariance;
  return wide;
}

/// Density of the measured range, with the probability that this surface is met and keeps its return.
double ChainDensity::density_on(std::size_t i, const Facet& facet) const {
  const double range_m = double{returns_.range_m[i]}, half_m = half_step_of(i);
  const MeasuredRangeLaw& law = facet.wide.law;
  if (const auto p = clamped(law, range_m)) return *p * facet.weight();
  if (!is_on_level(law, range_m, half_m)) return 0.0;
  const double log_p = log_density(law, range_m, half_m, nodes());
  if (!(log_p > least_log_ - 10.0)) return 0.0;
  if (!law.is_mixture) return math::exp(log_p) * facet.weight_given(*turns_, range_m);
  // Shorts and random readings do not depend on the angle.
  const double near_m = std::max(half_m, kResolution * range_m);
  const double others = probability_beside_hits(law, range_m - near_m, range_m + near_m) / (2.0 * near_m);
  return std::max(0.0, math::exp(log_p) - others) * facet.weight_given(*turns_, range_m) + others * facet.weight();
}

/// Density of a return from anywhere between the surfaces that nodes meet, for all parameters; 0 beside these surfaces,
/// and for readings of disparities.
double ChainDensity::density_between(std::size_t i) const {
  const std::uint32_t place = returns_.turned.rays[i].surroundings;
  if (place == ChainReturns::TurnedRays::kOneSurface || is_disparity_) return 0.0;
  const Around around(returns_.turned, place);
  const std::uint8_t* const met = around.met;
  double near_m = std::numeric_limits<double>::infinity(), far_m = 0.0;
  const auto take = [&](std::uint8_t number, std::size_t node) {
    if (number >= around.surfaces.size()) return;
    const auto hit = hit_of(returns_.turned.rays[i], around.surfaces[number], turns_->by_node[node], false);
    if (hit) near_m = std::min(near_m, hit->reading_m), far_m = std::max(far_m, hit->reading_m);
  };
  // Each surface may reach to the nodes beside the nodes that meet it.
  take(met[0], 0), take(met[around.nodes - 1], around.nodes - 1);
  for (std::size_t k = 0; k + 1 < around.nodes; ++k) {
    if (met[k] != met[k + 1]) take(met[k], k + 1), take(met[k + 1], k);
  }
  const double margin_m = kBeside * (far_m - near_m), range_m = double{returns_.range_m[i]};
  near_m -= margin_m, far_m += margin_m;
  return range_m >= near_m && range_m <= far_m && margin_m > 0.0 ? 1.0 / (far_m - near_m) : 0.0;
}

double ChainDensity::reported_on(const Facet& facet) const {
  const bool is_certain = ranges_.empty() && returns_.outside != ChainReturns::Outside::kLost;
  return is_certain ? 1.0 : reported_by(facet.wide.law);
}

double ChainDensity::turned_log(std::size_t i) const {
  double sum = 0.0;
  if (std::isnan(returns_.range_m[i])) {
    for_each_facet(i, [&](const Facet& facet) { sum += facet.weight() * reported_on(facet); });
    return floored_log(1.0 - sum);
  }
  double kept = 0.0;
  for_each_facet(i, [&](const Facet& facet) { sum += density_on(i, facet), kept += facet.weight(); });
  if (returns_.turned.rays[i].surroundings != ChainReturns::TurnedRays::kOneSurface && !is_disparity_) {
    sum = (1.0 - kMissed) * sum + kMissed * std::min(1.0, kept) * density_between(i);
  }
  return floored_log(sum);
}

double ChainDensity::turned_kept(std::size_t i) const {
  double sum = 0.0;
  for_each_facet(i, [&](const Facet& facet) { sum += facet.weight(); });
  return std::min(1.0, sum);
}

template <class F>
double ChainDensity::mean_of_facets(std::size_t i, double otherwise, F value) const {
  double all = 0.0, sum = 0.0;
  for_each_facet(i, [&](const Facet& facet) { all += facet.weight(), sum += facet.weight() * value(facet); });
  return all > 0.0 ? std::min(1.0, sum / all) : otherwise;
}

double ChainDensity::turned_reported(std::size_t i) const {
  return mean_of_facets(i, 1.0, [&](const Facet& facet) { return reported_on(facet); });
}

double ChainDensity::turned_between(std::size_t i, double low_m, double high_m) const {
  return mean_of_facets(i, 0.0,
                        [&](const Facet& facet) { return probability(facet.wide.law, low_m, high_m, nodes()); });
}

}  // namespace fathom

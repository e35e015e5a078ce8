// SPDX-License-Identifier: MIT
// The density of returns whose rays an angular_ray turned: a mixture over the surfaces that turned rays meet.
//
// On one surface the reading is taken as linear in the angles, with its curvature as a small error of its own. Angles
// and error of the range are then normal together: the reading has the law of the chain, wider by what the angles make
// of it, and given the reading the angles are normal again, nearer to where the surface gives it. What counts of a
// surface is the share of these angles at which it is met:
//
//   p(r) = sum over surfaces of  p_wide(r) E[met(a, b) kept(a, b) | r]
//
// exact for normal errors; for others (uniform, t, levels) right where the angles move the reading little against the
// error, and where they move it much.
//
// Nodes may miss a small surface, such as the side of a post. Without an error of the range its returns would be
// impossible or, where the ends of another surface come near them, decide all by themselves. So of the returns at edges
// one in a thousand counts as from anywhere between the nearest and the farthest of what nodes meet, and a little
// beside.
//
// Behind a matching window (noise/matching_window.hpp) a reading is that of many rays, each turned by angles of its
// own. Returns are then of pixels whose windows see one plane, however they are turned (simulate/plain_windows.hpp). A
// plane's disparity is linear in the image, the window fits a plane to its n x n pixels by least squares, and in the
// middle this is their mean: so the reading has the mean of their angles, a normal whose variance is
//
//   s^2 A(across) A(down),   A = (1 / n^2) sum_i sum_j C(i - j),   n = 2 radius + 1
//
// with the correlations C of the draws of neighbours (noise/correlation.hpp), and whose covariance with the angle of
// the ray itself, by which models before the window may lose it, is s^2 B(across) B(down), B = (1 / n) sum_i C(i).
// Exact but for pixels of a window that are lost, which then lack in its mean.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>
#include <fathom/math/trigonometry.hpp>

#include "calibrate/chain_density.hpp"
#include "calibrate/chain_facet.hpp"

namespace fathom {

namespace {

constexpr double kLeastWeight = 1e-30;  // weight of a surface
constexpr double kStretch = 1e-6;       // relative step of a difference of laws
constexpr double kResolution = 1e-6;    // of a range in single precision, relative
constexpr double kMissed = 1e-3;        // share of returns at edges from surfaces that no node meets
constexpr double kBeside = 0.01;        // and how far beside those that they meet, as a share of what lies between
constexpr std::size_t kMostSurfaces = 256, kPlacesPerPart = 64;

double square(double x) { return x * x; }

TurnedSurface surface_at(const TurnedRays& rays, std::size_t at) {
  return {{double{rays.surface_x[at]}, double{rays.surface_y[at]}, double{rays.surface_z[at]}},
          double{rays.surface_m[at]},
          double{rays.surface_energy[at]}};
}

/// Sums over the nodes that meet one surface.
struct Share {
  double weight = 0.0;
  std::array<double, 2> at = {0.0, 0.0}, rate = {0.0, 0.0};
};

}  // namespace

void ChainDensity::take_turns() {
  if (!returns_.turned.is_known() || !turns_rays(chain_)) return;
  for (const ChainEntry& entry : chain_) {
    const Noise& noise = entry.noise;
    if (noise.stage() == Stage::kEdgeLoss && !noise.is_identity()) {
      throw InputError(
          fmt::format("the chain of noise cannot be scored or learned: {} beside {}, as what neighbouring pixels show "
                      "of turned rays is not known",
                      noise.slug(), AngularRay::kSlug));
    }
  }
  turns_.emplace(chain_, returns_.turned);
  turner_ = RayTurner(returns_.turned.axes, turns_->law().mean);
  const AngleNodes &first = turns_->nodes(0), &second = turns_->nodes(1);
  for (const double b : second.at) {
    for (const double a : first.at) node_turners_.emplace_back(returns_.turned.axes, std::array<double, 2>{a, b});
  }
  take_angles_of_losses();
}

void ChainDensity::share_surroundings(std::span<const std::size_t> used, Executor& executor) {
  if (!turns_) return;
  const TurnedRays& rays = returns_.turned;
  const std::size_t places = rays.first_surface.empty() ? 0 : rays.first_surface.size() - 1;
  std::vector<std::size_t> first;  // a return of each place
  std::vector<bool> seen(places, false);
  std::size_t at_edges = 0;
  for (const std::size_t i : used) {
    const std::uint32_t place = rays.surroundings[i];
    if (place == TurnedRays::kOneSurface) continue;
    ++at_edges;
    if (!seen[place]) first.push_back(i), seen[place] = true;
  }
  if (2 * first.size() > at_edges) return;
  auto facets = std::make_shared<std::vector<std::vector<Facet>>>(places);
  executor.parallel_for(first.size(), kPlacesPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      find_facets(first[k], [&](const Facet& facet) { (*facets)[rays.surroundings[first[k]]].push_back(facet); });
    }
  });
  shared_ = std::move(facets);
}

template <class F>
void ChainDensity::for_each_facet(std::size_t i, F f) const {
  const std::uint32_t place = returns_.turned.surroundings[i];
  if (shared_ == nullptr || place == TurnedRays::kOneSurface) return find_facets(i, f);
  for (const Facet& facet : (*shared_)[place]) f(facet);
}

template <class F>
void ChainDensity::find_facets(std::size_t i, F f) const {
  const TurnedRays& rays = returns_.turned;
  const bool nominal = rays.on_nominal_ray || returns_.depths_are_rounded;
  const auto take = [&](Facet& facet, const RayTurner& turner) {
    const auto hit = hit_of(rays, i, facet.surface, turner, nominal);
    if (!hit) return;
    facet.hit = *hit;
    facet.wide = wide_law(*hit, facet.at, ring(i));
    find_losses(i, facet);
    f(facet);
  };
  const std::uint32_t place = rays.surroundings[i];
  if (place == TurnedRays::kOneSurface) {
    Facet facet;
    facet.surface = own_surface(rays, i, double{returns_.clean_range_m[i]}), facet.at = turns_->law().mean;
    facet.surface.energy = double{returns_.energy[i]} / std::max(1e-6, math::cos(double{returns_.incidence_rad[i]}));
    return take(facet, turner_);
  }
  const std::size_t n = rays.nodes(), columns = turns_->nodes(0).size(), first = rays.first_surface[place];
  const std::size_t surfaces = std::min<std::size_t>(rays.first_surface[place + 1] - first, kMostSurfaces);
  const std::uint8_t* met = rays.met.data() + place * n;
  std::array<Share, kMostSurfaces> shares;
  std::fill_n(shares.begin(), surfaces, Share{});
  // Row by row, in runs of nodes that meet the same.
  for (std::size_t row = 0; row * columns < n; ++row) {
    const std::uint8_t* const of_row = met + row * columns;
    const double weight = turns_->weights(1)[row], at = turns_->places(1)[row], slope = turns_->slopes(1)[row];
    for (std::size_t begin = 0, end = 0; begin < columns; begin = end) {
      for (end = begin + 1; end < columns && of_row[end] == of_row[begin];) ++end;
      if (of_row[begin] == TurnedRays::kNothing) continue;
      const RayTurns::Before &low = turns_->before()[begin], &high = turns_->before()[end];
      const double across = high.weight - low.weight;
      Share& share = shares[of_row[begin]];
      share.weight += weight * across;
      share.at[0] += weight * (high.place - low.place), share.at[1] += weight * across * at;
      share.rate[0] += weight * (high.slope - low.slope), share.rate[1] += slope * across;
    }
  }
  for (std::size_t s = 0; s < surfaces; ++s) {
    const Share& share = shares[s];
    if (!(share.weight > kLeastWeight)) continue;
    Facet facet;
    facet.weight = share.weight, facet.weight_rate = share.rate;
    facet.at = {share.at[0] / share.weight, share.at[1] / share.weight};
    const std::size_t at = first + s;
    facet.surface = surface_at(rays, at);
    facet.met = met, facet.number = static_cast<std::uint8_t>(s);
    take(facet, RayTurner(rays.axes, facet.at));
  }
}

ChainDensity::WideLaw ChainDensity::wide_law(const TurnedHit& hit, const std::array<double, 2>& at,
                                             std::size_t ring) const {
  const bool nominal = returns_.turned.on_nominal_ray || returns_.depths_are_rounded;
  WideLaw wide;
  MeasuredRangeLaw& law = wide.law;
  law = law_of(hit.reading_m, hit.x_m, ring);
  const MeasuredRangeLaw farther = law_of(hit.reading_m * (1.0 + kStretch), hit.x_m * (1.0 + kStretch), ring);
  const double scale =
      (law.from_disparity ? farther.disparity_px - law.disparity_px : farther.mean_m - law.mean_m) / kStretch;
  double shift = 0.0, spread = 0.0;
  for (std::size_t k = 0; k < 2; ++k) {
    const double shown = turns_->shown().variance[k];
    // A disparity is one over the reading.
    const double bend = scale * (law.from_disparity ? hit.bend[k] - 2.0 * square(hit.rate[k]) : hit.bend[k]);
    const double rate = scale * hit.rate[k];
    wide.covariance[k] = rate * turns_->shown().covariance[k];
    shift += rate * (turns_->law().mean[k] - at[k]) + 0.5 * bend * turns_->law().variance[k];
    spread += square(rate) * shown + 0.5 * square(bend * shown);
  }
  const double slope = returns_.depths_are_rounded ? hit.reading_m / hit.x_m : 1.0;
  const double rounding_m = returns_.half_step_m * slope;
  if (law.from_disparity) {
    const double step_px = law.steps_per_px > 0.0 ? 1.0 / law.steps_per_px : 0.0;
    // Where a range is measured along a ray that is turned by any angle, no range is a level's.
    if (!nominal) law.deviation_px = std::sqrt(square(law.deviation_px) + square(step_px) / 12.0), law.steps_per_px = 0;
    const double least = law.steps_per_px > 0.0 ? 0.0 : kResolution * law.disparity_px;
    wide.own_variance =
        square(law.deviation_px) + square(least) + (law.steps_per_px > 0.0 ? square(step_px) / 12.0 : 0);
    law.disparity_px += shift;
    law.deviation_px = std::sqrt(square(law.deviation_px) + square(least) + spread);
    wide.center = law.disparity_px;
  } else {
    const double student = law.nu > 3.0 ? law.nu / (law.nu - 2.0) : 3.0;
    const double least = kResolution * law.mean_m;
    wide.own_variance = square(law.normal_m) + square(law.hit_m) + square(least) +
                        square(law.high_m - law.low_m) / 12.0 + student * square(law.student_m) +
                        square(rounding_m) / 3.0;
    law.mean_m += shift;
    law.normal_m = std::sqrt(square(law.normal_m) + square(least) + spread);
    wide.center = law.mean_m + 0.5 * (law.low_m + law.high_m);
  }
  wide.variance = wide.own_variance + spread;
  return wide;
}

/// Density of the measured range, with the probability that this surface is met and keeps its return.
double ChainDensity::density_on(std::size_t i, const Facet& facet) const {
  const ChainReturns& r = returns_;
  const double range_m = double{r.range_m[i]};
  const WideLaw& wide = facet.wide;
  if (r.outside == OutsideLimits::kClamped && (range_m <= r.min_range_m || range_m >= r.max_range_m)) {
    const double p = range_m <= r.min_range_m ? probability(wide.law, 0.0, r.min_range_m, nodes())
                                              : probability(wide.law, r.max_range_m, 1e12, nodes());
    return p * facet.kept_weight(*turns_);
  }
  const double slope = r.depths_are_rounded ? double{r.clean_range_m[i]} / double{r.clean_x_m[i]} : 1.0;
  if (!is_on_level(wide.law, range_m, r.half_step_m * slope)) return 0.0;
  const double half_m = r.half_step_m * slope;
  const double log_p = log_density(wide.law, range_m, half_m, nodes());
  if (!(log_p > least_log_ - 10.0)) return 0.0;
  if (!wide.law.is_mixture) return math::exp(log_p) * facet.expected_given(*turns_, range_m);
  // Shorts and random readings say nothing of the angle.
  const double near_m = std::max(half_m, kResolution * range_m);
  const double others = probability_beside_hits(wide.law, range_m - near_m, range_m + near_m) / (2.0 * near_m);
  return std::max(0.0, math::exp(log_p) - others) * facet.expected_given(*turns_, range_m) +
         others * facet.kept_weight(*turns_);
}

/// Density of a return from anywhere between the surfaces that nodes meet, whatever the parameters are; 0 beside them,
/// and where readings are no ranges.
double ChainDensity::density_between(std::size_t i) const {
  const TurnedRays& rays = returns_.turned;
  const std::uint32_t place = rays.surroundings[i];
  if (place == TurnedRays::kOneSurface || is_disparity_) return 0.0;
  const std::size_t n = rays.nodes(), first = rays.first_surface[place];
  const std::size_t surfaces = std::min<std::size_t>(rays.first_surface[place + 1] - first, kMostSurfaces);
  const std::uint8_t* const met = rays.met.data() + place * n;
  double near_m = std::numeric_limits<double>::infinity(), far_m = 0.0;
  const auto take = [&](std::size_t surface, std::size_t node) {
    const auto hit = hit_of(rays, i, surface_at(rays, first + surface), node_turners_[node], rays.on_nominal_ray);
    if (hit) near_m = std::min(near_m, hit->reading_m), far_m = std::max(far_m, hit->reading_m);
  };
  // Each surface as far as it may reach: to the nodes beside those that meet it.
  const auto take_step = [&](std::size_t k, std::size_t next) {
    if (met[k] == met[next]) return;
    if (met[k] < surfaces) take(met[k], next);
    if (met[next] < surfaces) take(met[next], k);
  };
  const std::size_t columns = turns_->nodes(0).size();
  for (std::size_t k = 0; k < n; ++k) {
    const bool is_last = (k + 1) % columns == 0;
    if (!is_last) take_step(k, k + 1);
    if (k + columns < n) take_step(k, k + columns);
    if ((is_last || k % columns == 0) && met[k] < surfaces) take(met[k], k);
  }
  const double margin_m = kBeside * (far_m - near_m), range_m = double{returns_.range_m[i]};
  near_m -= margin_m, far_m += margin_m;
  return range_m >= near_m && range_m <= far_m && margin_m > 0.0 ? 1.0 / (far_m - near_m) : 0.0;
}

double ChainDensity::reported_on(const Facet& facet) const {
  const bool drops = returns_.outside == OutsideLimits::kLost;
  if (!drops && ranges_.empty()) return 1.0;
  const double low = drops ? returns_.min_range_m * (1.0 - 1e-9) : 0.0, high = drops ? returns_.max_range_m : 1e12;
  return std::min(1.0, probability(facet.wide.law, low, high, nodes()));
}

double ChainDensity::turned_log(std::size_t i) const {
  double sum = 0.0;
  if (std::isnan(returns_.range_m[i])) {
    for_each_facet(i, [&](const Facet& facet) { sum += facet.kept_weight(*turns_) * reported_on(facet); });
    const double lost = 1.0 - sum;
    return lost > 0.0 ? std::max(least_log_, math::log(lost)) : least_log_;
  }
  double kept = 0.0;
  for_each_facet(i, [&](const Facet& facet) { sum += density_on(i, facet), kept += facet.kept_weight(*turns_); });
  if (returns_.turned.surroundings[i] != TurnedRays::kOneSurface && !is_disparity_) {
    sum = (1.0 - kMissed) * sum + kMissed * std::min(1.0, kept) * density_between(i);
  }
  return sum > 0.0 ? std::max(least_log_, math::log(sum)) : least_log_;
}

double ChainDensity::turned_kept(std::size_t i) const {
  double sum = 0.0;
  for_each_facet(i, [&](const Facet& facet) { sum += facet.kept_weight(*turns_); });
  return std::min(1.0, sum);
}

double ChainDensity::turned_reported(std::size_t i) const {
  double all = 0.0, reported = 0.0;
  for_each_facet(i, [&](const Facet& facet) {
    const double weight = facet.kept_weight(*turns_);
    all += weight, reported += weight * reported_on(facet);
  });
  return all > 0.0 ? std::min(1.0, reported / all) : 1.0;
}

double ChainDensity::turned_between(std::size_t i, double low_m, double high_m) const {
  double all = 0.0, between = 0.0;
  for_each_facet(i, [&](const Facet& facet) {
    const double weight = facet.kept_weight(*turns_);
    all += weight, between += weight * probability(facet.wide.law, low_m, high_m, nodes());
  });
  return all > 0.0 ? between / all : 0.0;
}

}  // namespace fathom

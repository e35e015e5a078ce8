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

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>
#include <fathom/math/trigonometry.hpp>

#include "calibrate/chain_density.hpp"

namespace fathom {

namespace {

constexpr double kLeastWeight = 1e-30;  // weight of a surface
constexpr double kStretch = 1e-6;       // relative step of a difference of laws
constexpr double kResolution = 1e-6;    // of a range in single precision, relative
constexpr double kSameLoss = 0.01;      // by which probabilities of loss on one surface may differ
/// What a reading tells of the angles is taken as linear in it where these have so small a share of its variance, and
/// it moves their mean by so small a share of their deviation.
constexpr double kSteep = 2.5e-3, kLittle = 0.02;
constexpr double kLookedAt = 4.0;  // deviations to each side that losses are looked at
constexpr int kHalvings = 12;
constexpr std::size_t kMostSurfaces = 256, kPlacesPerPart = 64;

/// Nodes about a mean that follow its deviation, for a surface that is met at all angles.
AngleNodes nodes_about(double mean, double deviation, int half) {
  AngleNodes nodes;
  if (!(deviation > 0.0)) return {{mean}};
  for (int k = -half; k <= half; ++k) nodes.at.push_back(mean + kLookedAt * deviation * k / half);
  return nodes;
}

double square(double x) { return x * x; }

/// Sums over the nodes that meet one surface.
struct Share {
  double weight = 0.0;
  std::array<double, 2> at = {0.0, 0.0}, rate = {0.0, 0.0};
};

}  // namespace

/// The law of a reading on one surface, and of the angles once it is known.
struct ChainDensity::WideLaw {
  MeasuredRangeLaw law;
  double own_variance = 0.0, variance = 0.0;  ///< of the error alone, and with the angles; px of a disparity, else m
  double center = 0.0;                        ///< of the same
  std::array<double, 2> rate = {0.0, 0.0};    ///< by the angles

  [[nodiscard]] AngleLaw given(double reading_m, const AngleLaw& before) const {
    if (!(variance > 0.0)) return before;
    double seen = reading_m;
    if (law.from_disparity) {
      const double before_m = (reading_m - law.bias_m) / law.gain;
      if (!(before_m > 0.0)) return before;
      seen = law.unit_px_m / before_m;
    }
    AngleLaw after = before;
    std::array<double, 2> gain = {};
    for (std::size_t k = 0; k < 2; ++k) {
      gain[k] = before.variance[k] * rate[k] / variance;
      after.mean[k] += gain[k] * (seen - center);
      after.variance[k] = std::max(0.0, before.variance[k] - gain[k] * gain[k] * variance);
    }
    after.covariance = -gain[0] * gain[1] * variance;
    return after;
  }
};

/// A surface that turned rays of one return meet, and where.
struct ChainDensity::Facet {
  TurnedSurface surface;
  std::array<double, 2> at = {0.0, 0.0};  ///< angles at which it is linearised
  TurnedHit hit;
  WideLaw wide;
  double weight = 1.0;                               ///< probability that the ray meets it
  std::array<double, 2> weight_rate = {0.0, 0.0};    ///< its derivatives by the mean angles
  const std::uint8_t* met = nullptr;                 ///< of all nodes; null: it is met at all angles
  std::uint8_t number = 0;                           ///< its own among them
  double kept = 1.0;                                 ///< probability that models which do not jump keep its return
  std::vector<double> kept_by_node = {};             ///< that the others keep it; empty: they do
  const std::array<AngleNodes, 2>* nodes = nullptr;  ///< of these; null: those of the rays

  [[nodiscard]] double kept_weight(const RayTurns& turns) const {
    return kept_by_node.empty() ? weight * kept : expected(turns, turns.law());
  }
  /// E[met kept], once the reading is known.
  [[nodiscard]] double expected_given(const RayTurns& turns, double reading_m) const {
    if (met == nullptr && kept_by_node.empty()) return kept;
    const AngleLaw given = wide.given(reading_m, turns.law());
    bool is_linear = kept_by_node.empty() && wide.variance - wide.own_variance < kSteep * wide.own_variance;
    double sum = weight;
    for (std::size_t k = 0; k < 2; ++k) {
      const double shift = given.mean[k] - turns.law().mean[k];
      is_linear = is_linear && std::abs(shift) <= kLittle * turns.deviation()[k];
      sum += weight_rate[k] * shift;
    }
    return is_linear ? kept * std::max(0.0, sum) : expected(turns, given);
  }
  /// E[met kept] under a law of the angles.
  [[nodiscard]] double expected(const RayTurns& turns, const AngleLaw& law) const {
    const AngleNodes &first = nodes != nullptr ? (*nodes)[0] : turns.nodes(0),
                     &second = nodes != nullptr ? (*nodes)[1] : turns.nodes(1);
    const std::size_t n = first.size();
    if (!kept_by_node.empty()) {
      return kept *
             expected_over(first, second, law, [&](std::size_t a, std::size_t b) { return kept_by_node[b * n + a]; });
    }
    if (met == nullptr) return kept;
    return kept * expected_over(first, second, law,
                                [&](std::size_t a, std::size_t b) { return met[b * n + a] == number ? 1.0 : 0.0; });
  }
};

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
  loses_by_angle_ = std::any_of(losses_.begin(), losses_.end(), [](const Step& step) { return step.may_jump; });
  if (!loses_by_angle_) return;
  // A grid that follows the deviations, for surfaces that are met at all angles, and its ends.
  const bool both = turns_->deviation()[1] > 0.0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int half = axis == 1 ? 3 : both ? 12 : 64;
    angles_[axis] = nodes_about(turns_->law().mean[axis], turns_->deviation()[axis], half);
  }
  for (const double b : angles_[1].at) {
    for (const double a : angles_[0].at) turners_.emplace_back(returns_.turned.axes, std::array<double, 2>{a, b});
  }
  for (std::size_t axis = 0; axis < 2; ++axis) {
    for (const double end : {angles_[axis].at.front(), angles_[axis].at.back()}) {
      std::array<double, 2> angles = turns_->law().mean;
      angles[axis] = end;
      beside_.emplace_back(returns_.turned.axes, angles);
    }
  }
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
    facet.surface = {{double{rays.surface_x[at]}, double{rays.surface_y[at]}, double{rays.surface_z[at]}},
                     double{rays.surface_m[at]},
                     double{rays.surface_energy[at]}};
    facet.met = met, facet.number = static_cast<std::uint8_t>(s);
    take(facet, RayTurner(rays.axes, facet.at));
  }
}

double ChainDensity::lost_on(const Step& step, const TurnedSurface& surface, const TurnedHit& hit,
                             std::size_t ring) const {
  const auto range = static_cast<float>(hit.range_m);
  Surface met;
  met.cos_emitter = static_cast<float>(hit.cosine), met.optics = returns_.optics;
  return step.lose(model_of(step, ring), {static_cast<float>(hit.x_m), static_cast<float>(hit.y_m), 0.0F, range, range},
                   met, static_cast<float>(surface.energy * hit.cosine));
}

double ChainDensity::kept_on(const TurnedSurface& surface, const std::optional<TurnedHit>& hit, std::size_t ring,
                             bool by_jumps) const {
  if (!hit) return 0.0;
  double product = 1.0;
  for (const Step& step : losses_) {
    if (step.may_jump == by_jumps) product *= 1.0 - lost_on(step, surface, *hit, ring);
  }
  return product;
}

/// With what probability its returns are not lost: one number and, where an angle decides, one for each node.
void ChainDensity::find_losses(std::size_t i, Facet& facet) const {
  if (losses_.empty()) return;
  const TurnedSurface& surface = facet.surface;
  facet.kept = kept_on(surface, facet.hit, ring(i), false);
  if (!loses_by_angle_) return;
  const auto kept_at = [&](const RayTurner& turner) {
    return kept_on(surface, hit_of(returns_.turned, i, surface, turner, false), ring(i), true);
  };
  const double here = kept_on(surface, facet.hit, ring(i), true);
  const bool is_same = std::all_of(beside_.begin(), beside_.end(), [&](const RayTurner& turner) {
    return std::abs(kept_at(turner) - here) <= kSameLoss;
  });
  if (is_same) {
    facet.kept *= here;
    return;
  }
  if (facet.met == nullptr) {
    facet.nodes = &angles_;
    for (const RayTurner& turner : turners_) facet.kept_by_node.push_back(kept_at(turner));
    // Where it jumps between two nodes, each counts what it has of the step on its side, so that the sum moves smoothly
    // with the angles.
    const std::vector<double>& first = angles_[0].at;
    for (std::size_t b = 0; b < angles_[1].size(); ++b) {
      double* const row = facet.kept_by_node.data() + b * first.size();
      double before = row[0];
      for (std::size_t a = 0; a + 1 < first.size(); ++a) {
        const double after = row[a + 1];
        if (std::abs(after - before) > kSameLoss) {
          double low = 0.0, high = 1.0;  // shares of the step
          for (int halving = 0; halving < kHalvings; ++halving) {
            const double middle = 0.5 * (low + high), angle = first[a] + middle * (first[a + 1] - first[a]);
            const double kept = kept_at(RayTurner(returns_.turned.axes, {angle, angles_[1].at[b]}));
            (std::abs(kept - before) < std::abs(kept - after) ? low : high) = middle;
          }
          row[a] += (after - before) * std::max(0.0, 0.5 - low),
              row[a + 1] += (before - after) * std::max(0.0, low - 0.5);
        }
        before = after;
      }
    }
    return;
  }
  const std::size_t n = turns_->nodes(0).size();
  for (std::size_t k = 0; k < returns_.turned.nodes(); ++k) {
    const bool is_met = facet.met[k] == facet.number;
    const std::array<double, 2> angles = {turns_->places(0)[k % n], turns_->places(1)[k / n]};
    facet.kept_by_node.push_back(is_met ? kept_at(RayTurner(returns_.turned.axes, angles)) : 0.0);
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
    const double variance = turns_->law().variance[k];
    wide.rate[k] = scale * hit.rate[k];
    shift += wide.rate[k] * (turns_->law().mean[k] - at[k]) + 0.5 * scale * hit.bend[k] * variance;
    spread += square(wide.rate[k]) * variance + 0.5 * square(scale * hit.bend[k] * variance);
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
    wide.own_variance = square(law.normal_m) + square(least) + square(law.high_m - law.low_m) / 12.0 +
                        student * square(law.student_m) + square(rounding_m) / 3.0;
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
  const double log_p = log_density(wide.law, range_m, r.half_step_m * slope, nodes());
  if (!(log_p > least_log_ - 10.0)) return 0.0;
  return math::exp(log_p) * facet.expected_given(*turns_, range_m);
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
  for_each_facet(i, [&](const Facet& facet) { sum += density_on(i, facet); });
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

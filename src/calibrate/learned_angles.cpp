// SPDX-License-Identifier: MIT
#include "calibrate/learned_angles.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr double kLeastReach = 3.0;   // deviations about the mean that nodes should span
constexpr double kWidestStep = 1.0;   // of the nodes, in deviations
constexpr double kShareOfStep = 0.5;  // of the nodes, that a search moves by

}  // namespace

void set_angle_steps(const NoiseChain& chain, const TurnedRays& rays, std::span<FreeNumber> numbers) {
  if (!rays.is_known()) return;
  for (FreeNumber& p : numbers) {
    const Noise& noise = chain[p.entry].noise;
    if (noise.slug() != AngularRay::kSlug) continue;
    const AngularRay model = angular_ray_of(noise);
    const bool is_first = rays.axes.front() == model.axis;
    if (!is_first && rays.axes.back() != model.axis) continue;  // refused later
    const std::vector<double>& nodes = is_first ? rays.first_rad : rays.second_rad;
    const std::size_t middle = nodes.size() / 2;
    p.unit = kShareOfStep * (nodes[middle] - nodes[middle - 1]);
    // Beyond what was cast nothing is known.
    const double reach = 0.5 * (nodes.back() - nodes.front());
    if (p.field == "stddev_rad") {
      p.high = std::min(p.high, std::max(0.5 * reach, double{model.stddev_rad}));
    } else {
      p.low = std::max(p.low, double{model.mean_rad} - reach),
      p.high = std::min(p.high, double{model.mean_rad} + reach);
    }
  }
}

void set_hit_steps(const NoiseChain& chain, const HitTurns& turns, std::span<FreeNumber> numbers) {
  double squares = 0.0, count = 0.0;
  for (const std::vector<float>* angles : {&turns.first_rad, &turns.second_rad}) {
    for (const float angle : *angles) {
      if (!std::isnan(angle)) squares += double{angle} * double{angle}, count += 1.0;
    }
  }
  if (!(squares > 0.0)) return;
  for (FreeNumber& p : numbers) {
    if (chain[p.entry].noise.slug() == AngularHit::kSlug) p.unit = kShareOfStep * std::sqrt(squares / count);
  }
}

std::size_t count_at_edges(const TurnedRays& rays, std::span<const std::size_t> returns) {
  return static_cast<std::size_t>(std::count_if(
      returns.begin(), returns.end(), [&](std::size_t i) { return rays.surroundings[i] != TurnedRays::kOneSurface; }));
}

std::string plane_note(const TurnedRays& rays) {
  if (!rays.is_known() || !rays.on_nominal_ray) return {};
  return ", and behind a matching_window those count whose windows see one plane, also where angular_ray turns them";
}

void add_angle_flags(const TurnedRays& rays, ChainFit& fit) {
  if (!rays.is_known() || !turns_rays(fit.chain)) return;
  for (const LearnedParameter& p : fit.parameters) {
    if (!p.is_at_limit || !p.name.ends_with("angular_ray.stddev_rad") || fit.parameters.size() == 1) continue;
    fit.flags.push_back(fmt::format(
        "{} ended at its limit: what else widens the error of ranges may have taken up what it does, and the "
        "errors of the others are those for this value",
        p.name));
  }
  const RayTurns turns(fit.chain, rays);
  for (std::size_t axis = 0; axis < rays.axes.size(); ++axis) {
    const std::vector<double>& nodes = turns.nodes(axis).at;
    const double mean = turns.law().mean[axis], deviation = turns.deviation()[axis];
    const std::string_view word = kChoiceWords<Axis>[static_cast<std::size_t>(rays.axes[axis])];
    const double step = nodes[nodes.size() / 2] - nodes[nodes.size() / 2 - 1];
    if (mean - kLeastReach * deviation < nodes.front() || mean + kLeastReach * deviation > nodes.back()) {
      const std::string_view what = rays.on_nominal_ray ? "by which edges are far" : "that were cast";
      fit.flags.push_back(
          fmt::format("angular_ray about {}: {:.3g} +- {:.3g} rad reaches beyond the angles {}, {:.3g} to {:.3g} rad: "
                      "learn again from there, or with a larger scale of angles",
                      word, mean, deviation, what, nodes.front(), nodes.back()));
    } else if (!rays.on_nominal_ray && deviation > 0.0 && kWidestStep * deviation < step) {
      fit.flags.push_back(fmt::format(
          "angular_ray about {}: its deviation of {:.3g} rad is small against the {:.3g} rad between angles that were "
          "cast: learned again from there, its error is smaller",
          word, deviation, step));
    }
  }
}

}  // namespace fathom

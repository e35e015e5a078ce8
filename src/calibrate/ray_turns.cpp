// SPDX-License-Identifier: MIT
#include "calibrate/ray_turns.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>

#include "calibrate/wall_correlation.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastNodes = 3;

std::string_view word_of(Axis axis) { return kChoiceWords<Axis>[static_cast<std::size_t>(axis)]; }

void check_nodes(const std::vector<double>& nodes, const char* which) {
  const bool ascend =
      std::adjacent_find(nodes.begin(), nodes.end(), [](double a, double b) { return !(b > a); }) == nodes.end();
  if (ascend && nodes.size() >= kLeastNodes && nodes.size() <= TurnedRays::kMostNodesOfAxis) return;
  throw InputError(fmt::format("{} of turned rays are not {} to {} ascending angles", which, kLeastNodes,
                               TurnedRays::kMostNodesOfAxis));
}

void check_size(std::size_t size, std::size_t expected, const char* what) {
  if (size != expected) throw InputError(fmt::format("{} {} of turned rays given, not {}", size, what, expected));
}

/// E[(N - u)+] of a standard normal N, for u >= 0: Hermite's cubics between values and slopes, off by less than 1e-11.
/// It is asked for dozens of times for each return at an edge.
class ExcessTable {
 public:
  ExcessTable() {
    for (std::size_t k = 0; k < kCells + 1; ++k) {
      const double u = static_cast<double>(k) / kPerUnit, above = math::normal_cdf(-u);
      value_[k] = math::normal_density(u) - u * above;
      slope_[k] = -above / kPerUnit;
    }
  }
  double operator()(double u) const {
    const double at = u * kPerUnit;
    if (!(at < static_cast<double>(kCells))) return 0.0;
    const auto k = static_cast<std::size_t>(at);
    const double t = at - static_cast<double>(k), rest = 1.0 - t;
    return rest * rest * ((1.0 + 2.0 * t) * value_[k] + t * slope_[k]) +
           t * t * ((3.0 - 2.0 * t) * value_[k + 1] - rest * slope_[k + 1]);
  }

 private:
  static constexpr std::size_t kPerUnit = 128, kCells = 12 * kPerUnit;
  std::array<double, kCells + 1> value_, slope_;
};

}  // namespace

void validate(const TurnedRays& rays, std::size_t returns) {
  if (!rays.is_known()) return;
  if (rays.axes.size() > 2 || (rays.axes.size() == 2 && rays.axes[0] == rays.axes[1])) {
    throw InputError("turned rays have one axis, or two different ones");
  }
  check_nodes(rays.first_rad, "first nodes");
  if (rays.axes.size() == 2) {
    check_nodes(rays.second_rad, "second nodes");
  } else {
    check_size(rays.second_rad.size(), 0, "second nodes");
  }
  for (const auto* values :
       {&rays.direction_x, &rays.direction_y, &rays.direction_z, &rays.normal_x, &rays.normal_y, &rays.normal_z}) {
    check_size(values->size(), returns, "directions or normals");
  }
  for (const auto* values : {&rays.origin_x, &rays.origin_y, &rays.origin_z}) {
    check_size(values->size(), rays.origin_x.empty() ? 0 : returns, "origins");
  }
  check_size(rays.surroundings.size(), returns, "surroundings");
  const std::size_t places = rays.first_surface.empty() ? 0 : rays.first_surface.size() - 1;
  check_size(rays.met.size(), places * rays.nodes(), "nodes");
  const std::size_t surfaces = rays.surface_m.size();
  for (const auto* values : {&rays.surface_x, &rays.surface_y, &rays.surface_z, &rays.surface_energy}) {
    check_size(values->size(), surfaces, "surfaces");
  }
  for (std::size_t p = 0; p < places; ++p) {
    const std::size_t begin = rays.first_surface[p], end = rays.first_surface[p + 1];
    if (begin > end || end > surfaces) throw InputError("first_surface of turned rays does not ascend to all surfaces");
    for (std::size_t k = p * rays.nodes(); k < (p + 1) * rays.nodes(); ++k) {
      if (rays.met[k] == TurnedRays::kNothing || rays.met[k] < end - begin) continue;
      throw InputError(fmt::format("a node of turned rays meets surface {} of {}", rays.met[k], end - begin));
    }
  }
  for (const std::uint32_t place : rays.surroundings) {
    if (place == TurnedRays::kOneSurface || place < places) continue;
    throw InputError(fmt::format("surroundings {} of turned rays are not among {}", place, places));
  }
}

double mean_excess(double x, double mean, double deviation) {
  if (!(deviation > 0.0)) return mean > x ? mean - x : 0.0;
  const double u = (x - mean) / deviation;
  static const ExcessTable table;
  return deviation * (u < 0.0 ? table(-u) - u : table(u));
}

void AngleNodes::weigh(double mean, double deviation, double* weights) const {
  weights[0] = 1.0;
  if (at.size() == 1) return;
  // Of the step after node k, the share that lies below the angle.
  double before = 1.0, excess = mean_excess(at[0], mean, deviation);
  for (std::size_t k = 0; k < at.size(); ++k) {
    double share = 0.0;
    if (k + 1 < at.size()) {
      const double next = mean_excess(at[k + 1], mean, deviation);
      share = (excess - next) / (at[k + 1] - at[k]);
      excess = next;
    }
    weights[k] = std::max(0.0, before - share);
    before = share;
  }
}

void AngleNodes::slope(double mean, double deviation, double* slopes) const {
  std::fill_n(slopes, at.size(), 0.0);
  if (at.size() == 1 || !(deviation > 0.0)) return;
  const auto above = [&](double x) { return math::normal_cdf((mean - x) / deviation); };
  double before = 0.0, beyond = above(at[0]);
  for (std::size_t k = 0; k < at.size(); ++k) {
    double share = 0.0;
    if (k + 1 < at.size()) {
      const double next = above(at[k + 1]);
      share = (beyond - next) / (at[k + 1] - at[k]);
      beyond = next;
    }
    slopes[k] = before - share;
    before = share;
  }
}

double AngleNodes::within(std::size_t k, double mean, double deviation) const {
  if (at.size() == 1) return mean;
  // The product of two normals stands in for that of a normal and a hat, whose mean and variance these are.
  const double left = k > 0 ? at[k] - at[k - 1] : at[1] - at[0], right = k + 1 < at.size() ? at[k + 1] - at[k] : left;
  const double hat = (left * left + left * right + right * right) / 18.0, middle = at[k] + (right - left) / 3.0;
  const double variance = deviation * deviation;
  return (middle * variance + mean * hat) / (variance + hat);
}

AngularRay angular_ray_of(const Noise& noise) {
  AngularRay model;
  for (const FieldValue& value : noise.values()) set_field(model, value.name, value.number());
  return model;
}

bool turns_rays(const NoiseChain& chain) {
  return std::any_of(chain.begin(), chain.end(),
                     [](const ChainEntry& entry) { return entry.noise.slug() == AngularRay::kSlug; });
}

WindowShares window_shares(const Correlation& correlation, std::int32_t radius_px) {
  if (radius_px <= 0) return {};
  // Correlations of two directions multiply, and so do means over rows and columns of a full window.
  WindowShares shares;
  for (const float size_px : {correlation.across_px, correlation.down_px}) {
    const auto at = [&](std::int32_t lag) {
      return field_correlation(correlation.shape, double{size_px}, static_cast<std::size_t>(lag));
    };
    const std::int32_t n = 2 * radius_px + 1;
    double pairs = n, own = 1.0;
    for (std::int32_t lag = 1; lag < n; ++lag) pairs += 2.0 * (n - lag) * at(lag);
    for (std::int32_t lag = 1; lag <= radius_px; ++lag) own += 2.0 * at(lag);
    shares.mean *= pairs / (n * n), shares.own *= own / n;
  }
  return shares;
}

std::int32_t window_radius(const NoiseChain& chain) {
  for (const ChainEntry& entry : chain) {
    if (entry.noise.slug() != MatchingWindow::kSlug) continue;
    MatchingWindow model;
    for (const FieldValue& value : entry.noise.values()) set_field(model, value.name, value.number());
    return model.window().radius_px;
  }
  return 0;
}

std::vector<AxisTurn> axis_turns(const NoiseChain& chain) {
  std::vector<AxisTurn> turns;
  const std::int32_t radius_px = window_radius(chain);
  for (const ChainEntry& entry : chain) {
    if (entry.noise.slug() != AngularRay::kSlug) continue;
    const AngularRay model = angular_ray_of(entry.noise);
    const auto found =
        std::find_if(turns.begin(), turns.end(), [&](const AxisTurn& turn) { return turn.axis == model.axis; });
    if (found != turns.end() && found + 1 != turns.end()) {
      throw InputError(
          fmt::format("the chain of noise cannot be scored or learned: angular_ray turns about {} before "
                      "and after another axis",
                      word_of(model.axis)));
    }
    if (found == turns.end()) turns.push_back({.axis = model.axis});
    AxisTurn& turn = turns.back();
    const auto deviation = double{model.stddev_rad};
    turn.mean_rad += double{model.mean_rad};
    turn.stddev_rad = std::sqrt(turn.stddev_rad * turn.stddev_rad + deviation * deviation);
    const WindowShares shares = window_shares(entry.correlation, radius_px);
    turn.shown_variance += shares.mean * deviation * deviation;
    turn.shown_covariance += shares.own * deviation * deviation;
  }
  if (turns.size() > 2) {
    throw InputError(
        "the chain of noise cannot be scored or learned: angular_ray turns the rays about three axes, of which two "
        "tell "
        "all that is seen");
  }
  return turns;
}

RayTurns::RayTurns(const NoiseChain& chain, const TurnedRays& rays) {
  std::size_t last = 0;
  for (const AxisTurn& turn : axis_turns(chain)) {
    const auto found = std::find(rays.axes.begin(), rays.axes.end(), turn.axis);
    const auto place = static_cast<std::size_t>(found - rays.axes.begin());
    if (found == rays.axes.end() || place < last) {
      throw InputError(
          fmt::format("the chain of noise cannot be scored or learned: angular_ray turns the rays about {}{}, and the "
                      "returns do not tell what they then meet",
                      word_of(turn.axis), found == rays.axes.end() ? "" : " after another axis"));
    }
    last = place;
    law_.mean[place] = turn.mean_rad, deviation_[place] = turn.stddev_rad;
    law_.variance[place] = turn.stddev_rad * turn.stddev_rad;
    const bool is_mean = rays.on_nominal_ray;
    shown_.variance[place] = is_mean ? turn.shown_variance : law_.variance[place];
    shown_.covariance[place] = is_mean ? turn.shown_covariance : law_.variance[place];
  }
  nodes_[0].at = rays.first_rad;
  nodes_[1].at = rays.second_rad.empty() ? std::vector<double>{0.0} : rays.second_rad;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    weights_[axis].resize(nodes_[axis].size());
    slopes_[axis].resize(nodes_[axis].size());
    nodes_[axis].weigh(law_.mean[axis], deviation_[axis], weights_[axis].data());
    nodes_[axis].slope(law_.mean[axis], deviation_[axis], slopes_[axis].data());
    for (std::size_t k = 0; k < nodes_[axis].size(); ++k) {
      places_[axis].push_back(nodes_[axis].within(k, law_.mean[axis], deviation_[axis]));
    }
  }
  before_.resize(nodes_[0].size() + 1);
  for (std::size_t k = 0; k < nodes_[0].size(); ++k) {
    const double weight = weights_[0][k];
    before_[k + 1] = {before_[k].weight + weight, before_[k].place + weight * places_[0][k],
                      before_[k].slope + slopes_[0][k]};
  }
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include "fit/chain/turned_rays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "sensor/noise_access.hpp"

namespace fathom {

namespace {

constexpr double kLeastAcross = 0.05;  // of a direction, across an axis or a turn: nearer to it, rounding turns it far

using Parts = std::array<double, 3>;

Parts parts_of(const Vec3& v) { return {v.x, v.y, v.z}; }

std::size_t place(Axis axis) { return static_cast<std::size_t>(axis); }

/// By which R about the axis brings the part of `from` across it to that of `to`.
double angle_about(std::size_t axis, const Parts& from, const Parts& to) {
  const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  return math::atan2(from[u] * to[v] - from[v] * to[u], from[u] * to[u] + from[v] * to[v]);
}

double across(std::size_t axis, const Parts& p) { return std::hypot(p[(axis + 1) % 3], p[(axis + 2) % 3]); }

constexpr double kGrazing = 1e-9;  // cosine below which a plane is not met

void check_nodes(const std::vector<double>& nodes) {
  const bool ascend = std::ranges::adjacent_find(nodes, [](double a, double b) { return !(b > a); }) == nodes.end();
  if (ascend && nodes.size() >= ChainReturns::TurnedRays::kLeastNodes &&
      nodes.size() <= ChainReturns::TurnedRays::kMostNodes)
    return;
  throw InputError(fmt::format("nodes of turned rays are not {} to {} ascending angles",
                               ChainReturns::TurnedRays::kLeastNodes, ChainReturns::TurnedRays::kMostNodes));
}

void check_size(std::size_t size, std::size_t expected, const char* what) {
  if (size != expected) throw InputError(fmt::format("{} {} of turned rays given, not {}", size, what, expected));
}

/// The surfaces that the nodes of one place meet.
void check_place(const ChainReturns::TurnedRays& rays, std::size_t place) {
  const std::size_t begin = rays.first_surface[place], end = rays.first_surface[place + 1], n = rays.angle_rad.size();
  if (begin > end || end > rays.surfaces.size()) {
    throw InputError("first_surface of turned rays does not ascend to all surfaces");
  }
  for (std::size_t k = place * n; k < (place + 1) * n; ++k) {
    if (rays.met[k] == ChainReturns::TurnedRays::kNothing || rays.met[k] < end - begin) continue;
    throw InputError(fmt::format("a node of turned rays meets surface {} of {}", rays.met[k], end - begin));
  }
}

/// Why it has no density beside turned rays; else empty.
std::string_view why_not_turned(const Noise& noise) {
  if (noise.stage() == Stage::kEdgeLoss) return "what neighbouring pixels show of turned rays is unknown";
  if (noise.stage() == Stage::kImage) return "its window mixes rays that are turned by different angles";
  if (detail::NoiseAccess::is_weather(noise)) return "the light of turned rays in the air is unknown";
  if (noise.has_threshold()) return "its losses jump with the angle of the turned ray";
  return {};
}

void check_beside_turns(const Noise& noise, std::string_view turning) {
  const std::string_view why = noise.is_identity() ? std::string_view() : why_not_turned(noise);
  if (!why.empty()) refuse_chain(fmt::format("{} beside {}: {}", noise.slug(), turning, why));
}

}  // namespace

std::optional<HitAngles> hit_angles(const Vec3& ray, const Vec3& point, std::span<const Axis> axes) {
  const Parts d = parts_of(ray), p = parts_of(point);
  const std::size_t first = place(axes.front());
  if (!(across(first, d) > kLeastAcross)) return std::nullopt;
  if (axes.size() == 1) {
    if (!(across(first, p) > kLeastAcross)) return std::nullopt;
    return HitAngles{angle_about(first, d, p), 0.0, std::abs(p[first] - d[first])};
  }
  const std::size_t second = place(axes.back()), third = 3 - first - second;
  Parts q = d;
  q[second] = p[second];
  const double rest = 1.0 - q[first] * q[first] - q[second] * q[second];
  if (!(rest > kLeastAcross * kLeastAcross) || !(across(second, p) > kLeastAcross)) return std::nullopt;
  q[third] = std::copysign(std::sqrt(rest), d[third]);
  return HitAngles{angle_about(first, d, q), angle_about(second, q, p), 0.0};
}

std::vector<Axis> hit_axes(const NoiseChain& chain) {
  std::vector<Axis> axes;
  for (const ChainEntry& entry : chain) {
    const auto turn = entry.noise.turn();
    if (turn && entry.noise.stage() == Stage::kHitPoint) axes.push_back(turn->axis);
  }
  return axes;
}

std::string why_hits_are_not_told(const NoiseChain& chain) {
  const std::vector<Axis> axes = hit_axes(chain);
  if (axes.empty()) return {};
  if (turns_rays(chain)) return detail::models_of(Stage::kRay) + " turns the points, too";
  if (axes.size() > 2) return "points cannot separate angles about three axes";
  if (axes.size() == 2 && axes.front() == axes.back()) return "points show only the sum of two turns about one axis";
  return {};
}

void check_hits(const ChainReturns::HitTurns& turns, std::size_t returns) {
  if (turns.axes.size() > 2 || (turns.axes.size() == 2 && turns.axes.front() == turns.axes.back())) {
    throw InputError("points are turned about one axis, or about two different ones");
  }
  const std::size_t first = turns.axes.empty() ? 0 : returns, second = turns.axes.size() == 2 ? returns : 0;
  if (turns.first_rad.size() != first || turns.second_rad.size() != second) {
    throw InputError(fmt::format("{} and {} angles of points about {} axes given for {} returns",
                                 turns.first_rad.size(), turns.second_rad.size(), turns.axes.size(), returns));
  }
  for (const std::vector<float>* angles : {&turns.first_rad, &turns.second_rad}) {
    for (std::size_t i = 0; i < angles->size(); ++i) {
      if (!(std::abs((*angles)[i]) > std::numbers::pi_v<float> * 1.000001F)) continue;
      throw InputError(fmt::format("return {}: an angle of {} rad is not in (-pi, pi]", i, (*angles)[i]));
    }
  }
}

void check_turned(const ChainReturns::TurnedRays& rays, std::size_t returns) {
  if (!rays.is_known()) return;
  check_nodes(rays.angle_rad);
  check_size(rays.rays.size(), returns, "returns");
  const std::size_t places = rays.first_surface.empty() ? 0 : rays.first_surface.size() - 1;
  check_size(rays.met.size(), places * rays.angle_rad.size(), "nodes");
  for (std::size_t place = 0; place < places; ++place) check_place(rays, place);
  for (const ChainReturns::TurnedRays::Ray& ray : rays.rays) {
    if (ray.surroundings == ChainReturns::TurnedRays::kOneSurface || ray.surroundings < places) continue;
    throw InputError(fmt::format("surroundings {} of turned rays are not among {}", ray.surroundings, places));
  }
}

void refuse_chain(std::string_view why) {
  throw InputError(fmt::format("the chain of noise cannot be scored or learned: {}", why));
}

std::string_view axis_word(Axis axis) { return kChoiceWords<Axis>[static_cast<std::size_t>(axis)]; }

bool turns_rays(const NoiseChain& chain) {
  return std::ranges::any_of(chain, [](const ChainEntry& entry) { return turns_rays(entry.noise); });
}

std::optional<AxisTurn> ray_turn(const NoiseChain& chain) {
  std::optional<AxisTurn> turn;
  std::string_view turning;
  for (const ChainEntry& entry : chain) {
    if (!turns_rays(entry.noise)) continue;
    const AxisTurn own = *entry.noise.turn();
    turning = entry.noise.slug();
    if (!turn) turn = AxisTurn{.axis = own.axis};
    if (turn->axis != own.axis) {
      refuse_chain(fmt::format("{} turns the rays about {} and about {}, and angles about two axes are not told apart",
                               turning, axis_word(turn->axis), axis_word(own.axis)));
    }
    turn->mean_rad += own.mean_rad;
    turn->stddev_rad = std::sqrt(turn->stddev_rad * turn->stddev_rad + own.stddev_rad * own.stddev_rad);
  }
  if (!turn) return turn;
  for (const ChainEntry& entry : chain) {
    check_beside_turns(entry.noise, turning);
    for (const RingEntry& other : entry.by_ring) check_beside_turns(other.noise, turning);
  }
  return turn;
}

namespace {

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

/// E[(angle - x)+] of a normal angle.
double mean_excess(double x, double mean, double deviation) {
  if (!(deviation > 0.0)) return mean > x ? mean - x : 0.0;
  const double u = (x - mean) / deviation;
  static const ExcessTable table;
  return deviation * (u < 0.0 ? table(-u) - u : table(u));
}

/// Of each node, the mean slope of a function over the step behind it, less that over the step before it. `first`: less
/// the slope before the first node.
template <class F>
std::vector<double> slope_changes(std::span<const double> nodes, double first, F function) {
  std::vector<double> changes(nodes.size());
  double before = first, here = function(nodes[0]);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    double slope = 0.0;
    if (k + 1 < nodes.size()) {
      const double next = function(nodes[k + 1]);
      slope = (here - next) / (nodes[k + 1] - nodes[k]);
      here = next;
    }
    changes[k] = before - slope;
    before = slope;
  }
  return changes;
}

/// The mean angle within the hat of node k, nearly.
double within(std::span<const double> nodes, std::size_t k, const AngleLaw& law) {
  // The product of two normals takes the place of that of a normal and a hat with this mean and variance.
  const double left = k > 0 ? nodes[k] - nodes[k - 1] : nodes[1] - nodes[0];
  const double right = k + 1 < nodes.size() ? nodes[k + 1] - nodes[k] : left;
  const double hat = (left * left + left * right + right * right) / 18.0, middle = nodes[k] + (right - left) / 3.0;
  return (middle * law.variance + law.mean * hat) / (law.variance + hat);
}

}  // namespace

RayTurns::RayTurns(const NoiseChain& chain, const ChainReturns::TurnedRays& rays) : nodes(rays.angle_rad) {
  const std::optional<AxisTurn> turn = ray_turn(chain);
  if (!turn || turn->axis != rays.axis) {
    refuse_chain(fmt::format("it turns the rays about {}, and the returns do not tell what they then meet",
                             turn ? axis_word(turn->axis) : "no axis"));
  }
  deviation = turn->stddev_rad, law = {turn->mean_rad, turn->stddev_rad * turn->stddev_rad};
  const std::vector<double> weights =
      slope_changes(nodes, 1.0, [&](double x) { return mean_excess(x, law.mean, deviation); });
  std::vector<double> slopes(nodes.size());
  if (deviation > 0.0) {
    slopes = slope_changes(nodes, 0.0, [&](double x) { return math::normal_cdf((law.mean - x) / deviation); });
  }
  by_mean = RayTurner(*rays.axis, law.mean);
  for (const double angle : nodes) by_node.emplace_back(*rays.axis, angle);
  before.resize(nodes.size() + 1);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double weight = std::max(0.0, weights[k]);
    before[k + 1] = {before[k].weight + weight, before[k].place + weight * within(nodes, k, law),
                     before[k].slope + slopes[k]};
  }
}

double step_in_middle(std::span<const double> nodes) { return nodes[nodes.size() / 2] - nodes[nodes.size() / 2 - 1]; }

double share_of(std::span<const double> nodes, const std::uint8_t* met, std::uint8_t number, const AngleLaw& law) {
  const double deviation = std::sqrt(law.variance);
  double sum = met[0] == number ? 1.0 : 0.0;
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    if ((met[k] == number) == (met[k - 1] == number)) continue;
    // It changes from node to node as the share of the step that lies below the angle.
    const double low = nodes[k - 1], high = nodes[k];
    const double share = mean_excess(low, law.mean, deviation) - mean_excess(high, law.mean, deviation);
    sum += (met[k] == number ? share : -share) / (high - low);
  }
  return std::max(0.0, sum);
}

RayTurner::RayTurner(Axis axis, double angle_rad) : axis_(axis) {
  const math::SinCos64 a = math::sincos(angle_rad);
  sin_ = a.sin, cos_ = a.cos;
}

Vec3 RayTurner::turned(Vec3 v) const {
  if (axis_ == Axis::kX) return {v.x, cos_ * v.y - sin_ * v.z, sin_ * v.y + cos_ * v.z};
  if (axis_ == Axis::kY) return {sin_ * v.z + cos_ * v.x, v.y, cos_ * v.z - sin_ * v.x};
  return {cos_ * v.x - sin_ * v.y, sin_ * v.x + cos_ * v.y, v.z};
}

Vec3 RayTurner::axis() const {
  return {axis_ == Axis::kX ? 1.0 : 0.0, axis_ == Axis::kY ? 1.0 : 0.0, axis_ == Axis::kZ ? 1.0 : 0.0};
}

double energy_head_on(double energy, double cosine) { return energy / std::max(1e-6, cosine); }

ChainReturns::TurnedRays::Surface own_surface(const ChainReturns::TurnedRays::Ray& ray, float clean_range_m,
                                              float energy, float incidence_rad) {
  return {ray.normal, dot(ray.normal, ray.origin_m) + double{clean_range_m} * dot(ray.normal, ray.direction),
          energy_head_on(double{energy}, math::cos(double{incidence_rad}))};
}

std::optional<TurnedHit> hit_of(const ChainReturns::TurnedRays::Ray& ray,
                                const ChainReturns::TurnedRays::Surface& surface, const RayTurner& turner,
                                bool on_nominal_ray) {
  const Vec3 d = turner.turned(ray.direction), o = turner.turned(ray.origin_m);
  const double along = dot(surface.normal, d);
  if (!(std::abs(along) > kGrazing)) return std::nullopt;
  TurnedHit hit;
  hit.range_m = (surface.plane_m - dot(surface.normal, o)) / along;
  if (!(hit.range_m > 0.0)) return std::nullopt;
  const Vec3 p = o + hit.range_m * d;
  hit.x_m = p.x, hit.y_m = p.y;
  hit.cosine = std::abs(along);
  hit.reading_m = on_nominal_ray ? hit.x_m / ray.direction.x : hit.range_m;
  if (!(hit.reading_m > 0.0)) return std::nullopt;
  const Vec3 w = turner.axis();
  const Vec3 turn = cross(w, d), turn_twice = cross(w, turn);
  // n . p stays c while p turns with the ray and moves along it.
  const double slope = dot(surface.normal, turn) / along;
  hit.rate = -dot(surface.normal, cross(w, p)) / (along * hit.range_m);
  hit.bend = 2.0 * slope * slope - dot(surface.normal, turn_twice) / along;
  if (!on_nominal_ray) return hit;
  // The reading is x / direction.x, and x the range times d.x.
  const double turn_x = turn.x / d.x;
  hit.bend += 2.0 * hit.rate * turn_x + turn_twice.x / d.x;
  hit.rate += turn_x;
  return hit;
}

}  // namespace fathom

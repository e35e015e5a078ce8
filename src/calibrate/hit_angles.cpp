// SPDX-License-Identifier: MIT
#include "calibrate/hit_angles.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/trigonometry.hpp>

#include "calibrate/turned_rays.hpp"

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
  if (turns_rays(chain)) return "angular_ray turns the points, too";
  if (axes.size() > 2) return "angles about three axes cannot be told apart";
  if (axes.size() == 2 && axes.front() == axes.back()) return "only the sum of two turns about one axis can be told";
  return {};
}

void validate(const HitTurns& turns, std::size_t returns) {
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

}  // namespace fathom

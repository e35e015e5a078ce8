// SPDX-License-Identifier: MIT
#include "io/mesh/triangles.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

namespace fathom {

namespace {

constexpr std::size_t kMaxLooks = 16;  // searches for ears over all corners

struct Point {
  double x, y;

  friend bool operator==(const Point&, const Point&) = default;
};

/// Twice the signed area of a triangle.
double area2(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// The corners projected along the axis nearest to the polygon's normal (Newell), seen from the side where they run
/// counterclockwise.
std::vector<Point> flattened(std::span<const Vec3> corners) {
  Vec3 normal;
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    normal = normal + cross(corners[i] - corners[0], corners[i + 1] - corners[0]);
  }
  const double nx = std::abs(normal.x), ny = std::abs(normal.y), nz = std::abs(normal.z);
  std::vector<Point> points;
  for (const Vec3& c : corners) {
    if (nx > ny && nx > nz) {
      points.push_back(normal.x > 0 ? Point{c.y, c.z} : Point{c.z, c.y});
    } else if (ny > nz) {
      points.push_back(normal.y > 0 ? Point{c.z, c.x} : Point{c.x, c.z});
    } else {
      points.push_back(normal.z > 0 ? Point{c.x, c.y} : Point{c.y, c.x});
    }
  }
  return points;
}

bool turns_left_everywhere(const std::vector<Point>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point a = points[i], b = points[(i + 1) % points.size()], c = points[(i + 2) % points.size()];
    if (!(area2(a, b, c) >= 0.0)) return false;
  }
  return true;
}

/// Whether corner `k` of the remaining ones can be cut off: it turns left, and no other corner lies in its triangle.
bool is_ear(const std::vector<Point>& points, const std::vector<std::uint32_t>& left, std::size_t k) {
  const Point a = points[left[k - 1]], b = points[left[k]], c = points[left[(k + 1) % left.size()]];
  if (!(area2(a, b, c) > 0.0)) return false;
  return std::none_of(left.begin(), left.end(), [&](std::uint32_t i) {
    const Point p = points[i];
    if (p == a || p == b || p == c) return false;
    return area2(a, b, p) >= 0.0 && area2(b, c, p) >= 0.0 && area2(c, a, p) >= 0.0;
  });
}

/// Cuts ears off until one triangle or no ear is left. A cut can make ears only of its neighbours. Outlines that touch
/// themselves are the exception: there all corners are tested again.
void cut_ears(const std::vector<Point>& points, std::vector<std::uint32_t>& left,
              std::vector<std::array<std::uint32_t, 3>>& triangles) {
  std::vector<bool> is_known_ear(points.size());
  const auto look_at = [&](std::size_t k) { is_known_ear[left[k]] = is_ear(points, left, k); };
  std::size_t looks_left = kMaxLooks;
  while (left.size() > 3) {
    std::size_t k = 1;
    while (k < left.size() && !is_known_ear[left[k]]) ++k;
    if (k == left.size()) {
      if (looks_left-- == 0) return;
      for (k = 1; k < left.size(); ++k) look_at(k);
      const auto found = std::find_if(left.begin() + 1, left.end(), [&](std::uint32_t i) { return is_known_ear[i]; });
      if (found == left.end()) return;
      continue;
    }
    triangles.push_back({left[k - 1], left[k], left[(k + 1) % left.size()]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
    if (k > 1) look_at(k - 1);
    if (k < left.size()) look_at(k);
  }
}

}  // namespace

std::vector<std::array<std::uint32_t, 3>> triangulate(std::span<const Vec3> corners) {
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < corners.size(); ++i) left.push_back(i);
  if (corners.size() > 3) {
    const std::vector<Point> points = flattened(corners);
    const bool is_fan = turns_left_everywhere(points);
    if (!is_fan && corners.size() > kMaxConcaveCorners) {
      throw InputError(fmt::format("a polygon of {} corners is not convex, the limit of such is {} corners",
                                   corners.size(), kMaxConcaveCorners));
    }
    if (!is_fan) cut_ears(points, left, triangles);
  }
  for (std::size_t k = 2; k < left.size(); ++k) triangles.push_back({left[0], left[k - 1], left[k]});
  return triangles;
}

}  // namespace fathom

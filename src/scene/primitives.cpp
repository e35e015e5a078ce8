// SPDX-License-Identifier: MIT
#include <numbers>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/trigonometry.hpp>
#include <fathom/scene/mesh.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

void check_size(std::string_view what, double value) {
  if (!(value > 0.0 && value <= kMostPrimitiveM)) {
    throw InputError(
        fmt::format("{} = {} is not in (0, {}] m", what, number_text(value), number_text(kMostPrimitiveM)));
  }
}

void check_segments(std::string_view what, std::uint32_t segments) {
  if (segments < kLeastSegments || segments > kMostSegments) {
    throw InputError(fmt::format("{} = {} is not in [{}, {}]", what, segments, kLeastSegments, kMostSegments));
  }
}

std::array<float, 3> vertex(double x, double y, double z) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
}

/// A surface of revolution about z: a profile of (radius, z) from bottom to top, both ends on the axis.
Mesh revolve(const std::vector<std::array<double, 2>>& profile, std::uint32_t segments) {
  Mesh mesh;
  const auto rings = static_cast<std::uint32_t>(profile.size()) - 2;
  mesh.vertices_m.push_back(vertex(0, 0, profile.front()[1]));
  for (std::uint32_t ring = 1; ring <= rings; ++ring) {
    for (std::uint32_t s = 0; s < segments; ++s) {
      const math::SinCos64 angle = math::sincos(2.0 * std::numbers::pi * s / segments);
      mesh.vertices_m.push_back(vertex(profile[ring][0] * angle.cos, profile[ring][0] * angle.sin, profile[ring][1]));
    }
  }
  mesh.vertices_m.push_back(vertex(0, 0, profile.back()[1]));
  const auto at = [&](std::uint32_t ring, std::uint32_t s) { return 1 + ring * segments + s % segments; };
  const auto top = static_cast<std::uint32_t>(mesh.vertices_m.size()) - 1;
  for (std::uint32_t s = 0; s < segments; ++s) {
    mesh.triangles.push_back({0, at(0, s + 1), at(0, s)});
    for (std::uint32_t ring = 0; ring + 1 < rings; ++ring) {
      mesh.triangles.push_back({at(ring, s), at(ring, s + 1), at(ring + 1, s + 1)});
      mesh.triangles.push_back({at(ring, s), at(ring + 1, s + 1), at(ring + 1, s)});
    }
    mesh.triangles.push_back({top, at(rings - 1, s), at(rings - 1, s + 1)});
  }
  return mesh;
}

}  // namespace

Mesh make_plane(double size_x_m, double size_y_m) {
  check_size("plane.size_x_m", size_x_m);
  check_size("plane.size_y_m", size_y_m);
  const double x = size_x_m / 2, y = size_y_m / 2;
  return {{vertex(-x, -y, 0), vertex(x, -y, 0), vertex(x, y, 0), vertex(-x, y, 0)}, {{0, 1, 2}, {0, 2, 3}}};
}

Mesh make_box(const Vec3& size_m) {
  check_size("box.size_m.x", size_m.x);
  check_size("box.size_m.y", size_m.y);
  check_size("box.size_m.z", size_m.z);
  Mesh mesh;
  for (const double z : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      for (const double x : {-0.5, 0.5}) mesh.vertices_m.push_back(vertex(x * size_m.x, y * size_m.y, z * size_m.z));
    }
  }
  // Vertex i has x in bit 0, y in bit 1, z in bit 2; two triangles a face, counter-clockwise from outside.
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

Mesh make_sphere(double radius_m, std::uint32_t segments) {
  check_size("sphere.radius_m", radius_m);
  check_segments("sphere.segments", segments);
  const std::uint32_t bands = segments / 2;
  std::vector<std::array<double, 2>> profile;
  for (std::uint32_t i = 0; i <= bands; ++i) {
    const math::SinCos64 latitude = math::sincos(std::numbers::pi * (static_cast<double>(i) / bands - 0.5));
    profile.push_back({radius_m * latitude.cos, radius_m * latitude.sin});
  }
  return revolve(profile, segments);
}

Mesh make_cylinder(double radius_m, double height_m, std::uint32_t segments) {
  check_size("cylinder.radius_m", radius_m);
  check_size("cylinder.height_m", height_m);
  check_segments("cylinder.segments", segments);
  const double h = height_m / 2;
  return revolve({{0, -h}, {radius_m, -h}, {radius_m, h}, {0, h}}, segments);
}

}  // namespace fathom

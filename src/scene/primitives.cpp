// SPDX-License-Identifier: MIT
#include <numbers>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>
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

using Profile = std::vector<std::array<double, 2>>;  // (radius, z)

/// Appends an arc of `bands` bands around (0, z), from one latitude to another.
void add_arc(Profile& profile, double radius_m, double z_m, std::array<double, 2> latitude_rad, std::uint32_t bands) {
  for (std::uint32_t i = 0; i <= bands; ++i) {
    const double along = static_cast<double>(i) / bands;
    const math::SinCos64 at = math::sincos(latitude_rad[0] + along * (latitude_rad[1] - latitude_rad[0]));
    profile.push_back({radius_m * at.cos, z_m + radius_m * at.sin});
  }
}

/// A surface of revolution about z, then stretched: a profile from bottom to top, both ends on the axis.
Mesh revolve(const Profile& profile, std::uint32_t segments, const Vec3& stretch = {1, 1, 1}) {
  Mesh mesh;
  const auto rings = static_cast<std::uint32_t>(profile.size()) - 2;
  mesh.vertices_m.push_back(vertex(0, 0, stretch.z * profile.front()[1]));
  for (std::uint32_t ring = 1; ring <= rings; ++ring) {
    for (std::uint32_t s = 0; s < segments; ++s) {
      const math::SinCos64 angle = math::sincos(2.0 * std::numbers::pi * s / segments);
      mesh.vertices_m.push_back(vertex(stretch.x * (profile[ring][0] * angle.cos),
                                       stretch.y * (profile[ring][0] * angle.sin), stretch.z * profile[ring][1]));
    }
  }
  mesh.vertices_m.push_back(vertex(0, 0, stretch.z * profile.back()[1]));
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

/// Not an arc of the above: the bits of spheres stay as they were.
Profile sphere_profile(double radius_m, std::uint32_t segments) {
  const std::uint32_t bands = segments / 2;
  Profile profile;
  for (std::uint32_t i = 0; i <= bands; ++i) {
    const math::SinCos64 latitude = math::sincos(std::numbers::pi * (static_cast<double>(i) / bands - 0.5));
    profile.push_back({radius_m * latitude.cos, radius_m * latitude.sin});
  }
  return profile;
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
  return revolve(sphere_profile(radius_m, segments), segments);
}

Mesh make_cylinder(double radius_m, double height_m, std::uint32_t segments) {
  check_size("cylinder.radius_m", radius_m);
  check_size("cylinder.height_m", height_m);
  check_segments("cylinder.segments", segments);
  const double h = height_m / 2;
  return revolve({{0, -h}, {radius_m, -h}, {radius_m, h}, {0, h}}, segments);
}

Mesh make_capsule(double radius_m, double height_m, std::uint32_t segments) {
  check_size("capsule.radius_m", radius_m);
  check_size("capsule.height_m", height_m);
  check_segments("capsule.segments", segments);
  constexpr double kPole = std::numbers::pi / 2;
  const std::uint32_t bands = (segments + 3) / 4;
  Profile profile;
  add_arc(profile, radius_m, -height_m / 2, {-kPole, 0}, bands);
  add_arc(profile, radius_m, height_m / 2, {0, kPole}, bands);
  return revolve(profile, segments);
}

Mesh make_ellipsoid(const Vec3& radii_m, std::uint32_t segments) {
  check_size("ellipsoid.radii_m.x", radii_m.x);
  check_size("ellipsoid.radii_m.y", radii_m.y);
  check_size("ellipsoid.radii_m.z", radii_m.z);
  check_segments("ellipsoid.segments", segments);
  return revolve(sphere_profile(1, segments), segments, radii_m);
}

}  // namespace fathom

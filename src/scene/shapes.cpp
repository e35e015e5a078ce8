// SPDX-License-Identifier: MIT
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/scene/mesh.hpp>

#include "core/text.hpp"

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

/// Computed differently from add_arc(), whose rounding would change the bits of spheres.
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

namespace {

void check_field_size(std::string_view what, double value) {
  if (value > 0.0 && value <= kMostPrimitiveM) return;
  throw InputError(
      fmt::format("height_field.{} = {} is not in (0, {}] m", what, number_text(value), number_text(kMostPrimitiveM)));
}

std::size_t triangles_of(const HeightField& field) {
  const std::size_t rows = field.rows, cols = field.cols;
  const std::size_t rim = 2 * (rows - 1) + 2 * (cols - 1);
  return 2 * (rows - 1) * (cols - 1) + (field.base_m > 0.0 ? 3 * rim : 0);
}

void check_grid(const HeightField& field) {
  if (field.rows < 2 || field.cols < 2) {
    throw InputError(
        fmt::format("height_field has {} x {} heights; it needs 2 rows and 2 columns or more", field.rows, field.cols));
  }
  const std::size_t count = std::size_t{field.rows} * field.cols;
  if (field.heights_m.size() != count) {
    throw InputError(fmt::format("height_field.heights_m has {} values; {} rows of {} columns need {}",
                                 field.heights_m.size(), field.rows, field.cols, count));
  }
  if (triangles_of(field) > kMaxHeightFieldTriangles) {
    throw InputError(fmt::format("height_field of {} x {} heights makes {} triangles, more than {}", field.rows,
                                 field.cols, triangles_of(field), kMaxHeightFieldTriangles));
  }
}

void check_heights(const HeightField& field) {
  for (std::size_t i = 0; i < field.heights_m.size(); ++i) {
    const double height_m = field.heights_m[i];
    const auto place = [&] {
      return fmt::format("height_field.heights_m[{}, {}] = {}", i / field.cols, i % field.cols, number_text(height_m));
    };
    if (!(height_m >= -kMostPrimitiveM && height_m <= kMostPrimitiveM)) {
      throw InputError(
          fmt::format("{} is not in [{}, {}] m", place(), number_text(-kMostPrimitiveM), number_text(kMostPrimitiveM)));
    }
    if (field.base_m > 0.0 && !(field.heights_m[i] > static_cast<float>(-field.base_m))) {
      throw InputError(
          fmt::format("{} is not above the bottom, at {} m (base_m)", place(), number_text(-field.base_m)));
    }
  }
}

void check_field(const HeightField& field) {
  check_field_size("size_x_m", field.size_x_m);
  check_field_size("size_y_m", field.size_y_m);
  if (!(field.base_m >= 0.0 && field.base_m <= kMostPrimitiveM)) {
    throw InputError(fmt::format("height_field.base_m = {} is not in [0, {}] m", number_text(field.base_m),
                                 number_text(kMostPrimitiveM)));
  }
  check_grid(field);
  check_heights(field);
}

/// The vertices on the rim, counter-clockwise from above, each once.
std::vector<std::uint32_t> rim_of(std::uint32_t rows, std::uint32_t cols) {
  std::vector<std::uint32_t> rim;
  for (std::uint32_t c = 0; c + 1 < cols; ++c) rim.push_back(c);
  for (std::uint32_t r = 0; r + 1 < rows; ++r) rim.push_back(r * cols + cols - 1);
  for (std::uint32_t c = cols - 1; c > 0; --c) rim.push_back((rows - 1) * cols + c);
  for (std::uint32_t r = rows - 1; r > 0; --r) rim.push_back(r * cols);
  return rim;
}

/// Walls below the rim, and a bottom that is a fan around its centre.
void add_body(Mesh& mesh, const std::vector<std::uint32_t>& rim, float bottom_m) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices_m.size());
  for (const std::uint32_t top : rim) {
    const auto [x, y, z] = mesh.vertices_m[top];
    mesh.vertices_m.push_back({x, y, bottom_m});
  }
  const auto centre = static_cast<std::uint32_t>(mesh.vertices_m.size());
  mesh.vertices_m.push_back({0, 0, bottom_m});
  const auto count = static_cast<std::uint32_t>(rim.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t next = (i + 1) % count;
    mesh.triangles.push_back({rim[i], first + i, first + next});
    mesh.triangles.push_back({rim[i], first + next, rim[next]});
    mesh.triangles.push_back({centre, first + next, first + i});
  }
}

}  // namespace

Mesh make_height_field(const HeightField& field) {
  check_field(field);
  const std::uint32_t rows = field.rows, cols = field.cols;
  Mesh mesh;
  mesh.triangles.reserve(triangles_of(field));
  for (std::uint32_t r = 0; r < rows; ++r) {
    const double y = field.size_y_m * (static_cast<double>(r) / (rows - 1) - 0.5);
    for (std::uint32_t c = 0; c < cols; ++c) {
      const double x = field.size_x_m * (static_cast<double>(c) / (cols - 1) - 0.5);
      mesh.vertices_m.push_back(
          {static_cast<float>(x), static_cast<float>(y), field.heights_m[std::size_t{r} * cols + c]});
    }
  }
  for (std::uint32_t r = 0; r + 1 < rows; ++r) {
    for (std::uint32_t c = 0; c + 1 < cols; ++c) {
      const std::uint32_t at = r * cols + c;
      mesh.triangles.push_back({at, at + 1, at + cols + 1});
      mesh.triangles.push_back({at, at + cols + 1, at + cols});
    }
  }
  if (field.base_m > 0.0) add_body(mesh, rim_of(rows, cols), static_cast<float>(-field.base_m));
  return mesh;
}

}  // namespace fathom

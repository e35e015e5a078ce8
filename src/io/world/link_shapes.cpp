// SPDX-License-Identifier: MIT
#include "io/world/link_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "io/mesh/read_mesh.hpp"
#include "scene/mesh.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostLinkTriangles = std::size_t{1} << 26U;

std::string key_of(const LinkShape& shape) {
  const Vec3 &t = shape.link_from_shape.translation_m, &s = shape.scale;
  const Quaternion& q = shape.link_from_shape.rotation;
  return fmt::format("{} at {} {} {} {} {} {} {} by {} {} {}\n", shape.key, t.x, t.y, t.z, q.w, q.x, q.y, q.z, s.x, s.y,
                     s.z);
}

void check_scale(const Vec3& scale) {
  for (const double s : {scale.x, scale.y, scale.z}) {
    if (std::abs(s) >= 1e-6 && std::abs(s) <= 1e6) continue;
    throw InputError(fmt::format("scale = {} is not in [1e-6, 1e6] or its negative", number_text(s)));
  }
}

/// The joined shapes of a link, in its frame.
struct JoinedShapes {
  std::vector<MeshPlace> places_m;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Appends a shape. A mirrored one keeps its faces outwards.
void append(JoinedShapes& joined, const Mesh& shape, const Pose& link_from_shape, const Vec3& scale) {
  const auto first = static_cast<std::uint32_t>(joined.places_m.size());
  const Pose link_from_vertices = at_mesh_origin(link_from_shape, scale, shape);
  for (const auto& v : shape.vertices_m) {
    const Vec3 at = link_from_vertices * Vec3{scale.x * double{v[0]}, scale.y * double{v[1]}, scale.z * double{v[2]}};
    if (const auto c = coordinate_beyond_limits(at)) {
      throw InputError(fmt::format("a vertex of its shape has the coordinate {}, which is not in {}", number_text(*c),
                                   kCoordinateLimits));
    }
    joined.places_m.push_back({at.x, at.y, at.z});
  }
  const bool mirrored = scale.x * scale.y * scale.z < 0.0;
  for (const auto& t : shape.triangles) {
    const std::uint32_t b = t[mirrored ? 2 : 1], c = t[mirrored ? 1 : 2];
    joined.triangles.push_back({first + t[0], first + b, first + c});
  }
}

/// The rotation of +z to a direction.
Quaternion from_z_to(const Vec3& direction) {
  const double length = norm(direction);
  if (!(length > 1e-9 && std::isfinite(length))) throw InputError("the normal of a plane has no direction");
  const Vec3 n = (1.0 / length) * direction;
  if (n.z < -1.0 + 1e-12) return {0, 1, 0, 0};
  return normalized(Quaternion{1.0 + n.z, -n.y, n.x, 0});
}

LinkShape made_shape(std::string key, std::function<Mesh()> make) {
  LinkShape shape;
  shape.key = std::move(key);
  shape.make = std::move(make);
  return shape;
}

}  // namespace

LinkShape box_shape(const Vec3& size_m) {
  return made_shape(fmt::format("box {} {} {}", size_m.x, size_m.y, size_m.z), [=] { return make_box(size_m); });
}

LinkShape sphere_shape(double radius_m) {
  return made_shape(fmt::format("sphere {}", radius_m), [=] { return make_sphere(radius_m); });
}

LinkShape cylinder_shape(double radius_m, double length_m) {
  return made_shape(fmt::format("cylinder {} {}", radius_m, length_m),
                    [=] { return make_cylinder(radius_m, length_m); });
}

LinkShape capsule_shape(double radius_m, double length_m) {
  return made_shape(fmt::format("capsule {} {}", radius_m, length_m), [=] { return make_capsule(radius_m, length_m); });
}

LinkShape ellipsoid_shape(const Vec3& radii_m) {
  return made_shape(fmt::format("ellipsoid {} {} {}", radii_m.x, radii_m.y, radii_m.z),
                    [=] { return make_ellipsoid(radii_m); });
}

LinkShape plane_shape(const Vec3& normal, double size_x_m, double size_y_m) {
  LinkShape shape =
      made_shape(fmt::format("plane {} {}", size_x_m, size_y_m), [=] { return make_plane(size_x_m, size_y_m); });
  shape.link_from_shape.rotation = from_z_to(normal);
  return shape;
}

const Mesh& LinkShapes::read(const std::filesystem::path& file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  opened_.push_back(file);
  return files_.emplace(file, read_mesh(file, UpAxis::kZ, opened_, robot_.notes)).first->second;
}

LinkShape LinkShapes::file_shape(const std::filesystem::path& file, const Vec3& scale) {
  check_scale(scale);
  LinkShape shape = made_shape(fmt::format("file {}", file.string()), [this, file] { return read(file); });
  shape.scale = scale;
  return shape;
}

std::optional<std::size_t> LinkShapes::join(const std::vector<LinkShape>& shapes) {
  if (shapes.empty()) return std::nullopt;
  std::string key;
  for (const LinkShape& shape : shapes) key += key_of(shape);
  if (const auto known = made_.find(key); known != made_.end()) return known->second;
  JoinedShapes joined;
  for (const LinkShape& shape : shapes) {
    const Mesh part = shape.make();
    triangles_ += part.triangles.size();
    if (triangles_ > kMostLinkTriangles) {
      throw InputError(fmt::format("the links have more than {} triangles", kMostLinkTriangles));
    }
    append(joined, part, shape.link_from_shape, shape.scale);
  }
  Mesh mesh = mesh_of_places(joined.places_m, std::move(joined.triangles));
  validate(mesh);
  robot_.meshes.push_back(std::move(mesh));
  made_.emplace(std::move(key), robot_.meshes.size() - 1);
  return robot_.meshes.size() - 1;
}

}  // namespace fathom

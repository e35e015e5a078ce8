// SPDX-License-Identifier: MIT
#include "world/sdf/sdf_shapes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <sdf/sdf.hh>

#include <fathom/files/height_fields.hpp>

namespace fathom {

namespace {

constexpr double kEndlessPlaneM = 1000.0;  // a plane of physics has no end; docs/scene-format.md says where ours does

/// As Gazebo reads it: the highest pixel is at the height of the map's size, black at 0.
Mesh make_height_map(const std::string& file, const Vec3& size_m) {
  HeightField field = read_height_image(file, {.size_x_m = size_m.x, .size_y_m = size_m.y, .elevation_m = size_m.z});
  const float highest_m = *std::max_element(field.heights_m.begin(), field.heights_m.end());
  const float factor = highest_m > 0.0F ? static_cast<float>(size_m.z) / highest_m : 1.0F;
  for (float& height_m : field.heights_m) height_m *= factor;
  return make_height_field(field);
}

template <class Vector>
Vec3 sdf_vector(const Vector& v) {
  return {v.X(), v.Y(), v.Z()};
}

LinkShape height_shape(const sdf::Heightmap& map, LinkShapes& shapes) {
  const std::string file = map.Uri();
  const Vec3 size_m = sdf_vector(map.Size());
  LinkShape shape;
  shape.key = fmt::format("heights {} {} {} {}", file, size_m.x, size_m.y, size_m.z);
  shape.link_from_shape.translation_m = sdf_vector(map.Position());
  shape.make = [=, &shapes] {
    shapes.note_opened(file);
    return make_height_map(file, size_m);
  };
  return shape;
}

}  // namespace

std::optional<LinkShape> sdf_shape(const sdf::Geometry& geometry, RobotGeometry kind, LinkShapes& shapes) {
  if (const auto* box = geometry.BoxShape()) return box_shape(sdf_vector(box->Size()));
  if (const auto* sphere = geometry.SphereShape()) return sphere_shape(sphere->Radius());
  if (const auto* cylinder = geometry.CylinderShape()) return cylinder_shape(cylinder->Radius(), cylinder->Length());
  if (const auto* capsule = geometry.CapsuleShape()) return capsule_shape(capsule->Radius(), capsule->Length());
  if (const auto* ellipsoid = geometry.EllipsoidShape()) return ellipsoid_shape(sdf_vector(ellipsoid->Radii()));
  if (const auto* plane = geometry.PlaneShape()) {
    const bool endless = kind == RobotGeometry::kCollision;
    return plane_shape(sdf_vector(plane->Normal()), endless ? kEndlessPlaneM : plane->Size().X(),
                       endless ? kEndlessPlaneM : plane->Size().Y());
  }
  if (const auto* mesh = geometry.MeshShape()) return shapes.file_shape(mesh->Uri(), sdf_vector(mesh->Scale()));
  if (const auto* map = geometry.HeightmapShape()) return height_shape(*map, shapes);
  return std::nullopt;
}

}  // namespace fathom

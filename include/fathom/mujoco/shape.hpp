// SPDX-License-Identifier: MIT
#pragma once
// The shapes of MuJoCo's geoms as meshes, and its rotations as quaternions; what <fathom/mujoco.hpp> is made of.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <mujoco/mujoco.h>

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom::detail {

/// The unit quaternion of a rotation matrix, row-major: of its four forms the one that divides by the most.
inline Quaternion quaternion_from(const std::array<double, 9>& r) {
  const double trace = r[0] + r[4] + r[8];
  Quaternion q;
  if (trace > 0.0) {
    q = {1.0 + trace, r[7] - r[5], r[2] - r[6], r[3] - r[1]};
  } else if (r[0] > r[4] && r[0] > r[8]) {
    q = {r[7] - r[5], 1.0 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6]};
  } else if (r[4] > r[8]) {
    q = {r[2] - r[6], r[1] + r[3], 1.0 - r[0] + r[4] - r[8], r[5] + r[7]};
  } else {
    q = {r[3] - r[1], r[2] + r[6], r[5] + r[7], 1.0 - r[0] - r[4] + r[8]};
  }
  return normalized(q);
}

/// What makes the mesh of a geom, before it is scaled: its type and two numbers of it.
using MujocoShapeKey = std::array<double, 3>;
struct MujocoShape {
  Vec3 scale;
  MujocoShapeKey key;
};

/// Round geoms, boxes and planes are scaled from one mesh each; a capsule cannot be.
inline MujocoShape mujoco_shape(const mjModel& model, int geom, double infinite_plane_m) {
  const auto* numbers = model.geom_size + 3 * geom;
  const double size[3] = {static_cast<double>(numbers[0]), static_cast<double>(numbers[1]),
                          static_cast<double>(numbers[2])};
  const int type = model.geom_type[geom];
  const auto half = [&](double given) { return given > 0.0 ? given : 0.5 * infinite_plane_m; };
  switch (type) {
    case mjGEOM_PLANE:
      return {{half(size[0]), half(size[1]), 1.0}, {mjGEOM_PLANE}};
    case mjGEOM_SPHERE:
      return {{size[0], size[0], size[0]}, {mjGEOM_SPHERE}};
    case mjGEOM_ELLIPSOID:
      return {{size[0], size[1], size[2]}, {mjGEOM_SPHERE}};
    case mjGEOM_CYLINDER:
      return {{size[0], size[0], size[1]}, {mjGEOM_CYLINDER}};
    case mjGEOM_BOX:
      return {{size[0], size[1], size[2]}, {mjGEOM_BOX}};
    case mjGEOM_CAPSULE:
      return {{1, 1, 1}, {mjGEOM_CAPSULE, size[0], size[1]}};
    case mjGEOM_HFIELD:
      return {{1, 1, 1}, {mjGEOM_HFIELD, static_cast<double>(model.geom_dataid[geom])}};
    default:
      return {{1, 1, 1}, {mjGEOM_MESH, static_cast<double>(model.geom_dataid[geom])}};
  }
}

inline Mesh mujoco_height_field(const mjModel& model, int field) {
  const auto* size = model.hfield_size + 4 * field;  // half x, half y, elevation, base
  HeightField made;
  made.rows = static_cast<std::uint32_t>(model.hfield_nrow[field]);
  made.cols = static_cast<std::uint32_t>(model.hfield_ncol[field]);
  const float* data = model.hfield_data + model.hfield_adr[field];
  for (std::size_t i = 0; i < std::size_t{made.rows} * made.cols; ++i) {
    made.heights_m.push_back(static_cast<float>(static_cast<double>(size[2]) * data[i]));
  }
  made.size_x_m = 2.0 * static_cast<double>(size[0]), made.size_y_m = 2.0 * static_cast<double>(size[1]);
  made.base_m = static_cast<double>(size[3]);
  return make_height_field(made);
}

/// The vertices as the geom's frame has them: MuJoCo has centred and turned them when it compiled the model.
inline Mesh mujoco_triangles(const mjModel& model, int mesh) {
  Mesh made;
  const float* vertex = model.mesh_vert + 3 * static_cast<std::size_t>(model.mesh_vertadr[mesh]);
  for (int i = 0; i < model.mesh_vertnum[mesh]; ++i, vertex += 3) {
    made.vertices_m.push_back({vertex[0], vertex[1], vertex[2]});
  }
  const int* face = model.mesh_face + 3 * static_cast<std::size_t>(model.mesh_faceadr[mesh]);
  for (int i = 0; i < model.mesh_facenum[mesh]; ++i, face += 3) {
    made.triangles.push_back({static_cast<std::uint32_t>(face[0]), static_cast<std::uint32_t>(face[1]),
                              static_cast<std::uint32_t>(face[2])});
  }
  return made;
}

/// The mesh of a geom, not scaled.
inline Mesh mujoco_mesh(const mjModel& model, int geom, std::uint32_t segments) {
  const auto* size = model.geom_size + 3 * geom;
  switch (model.geom_type[geom]) {
    case mjGEOM_PLANE:
      return make_plane(2.0, 2.0);
    case mjGEOM_SPHERE:
    case mjGEOM_ELLIPSOID:
      return make_sphere(1.0, segments);
    case mjGEOM_CYLINDER:
      return make_cylinder(1.0, 2.0, segments);
    case mjGEOM_BOX:
      return make_box({2.0, 2.0, 2.0});
    case mjGEOM_CAPSULE:
      return make_capsule(static_cast<double>(size[0]), 2.0 * static_cast<double>(size[1]), segments);
    case mjGEOM_HFIELD:
      return mujoco_height_field(model, model.geom_dataid[geom]);
    default:
      break;
  }
  if (model.geom_dataid[geom] >= 0) return mujoco_triangles(model, model.geom_dataid[geom]);
  throw InputError("geom " + std::to_string(geom) + ": type " + std::to_string(model.geom_type[geom]) +
                   " is not one that the mirror knows");
}

}  // namespace fathom::detail

// SPDX-License-Identifier: MIT
#pragma once
// Random scenes of primitives.

#include <cstdint>
#include <random>
#include <string>

#include <fathom/base/affine.hpp>
#include <fathom/scene/scene.hpp>

namespace fathom::test {

inline constexpr double kWorldM = 8.0;  // entities stand within this of the middle

inline double real(std::mt19937& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
}

inline Pose random_pose(std::mt19937& random, double half_size) {
  const auto c = [&](double limit) { return real(random, -limit, limit); };
  return {{c(half_size), c(half_size), c(half_size)}, from_roll_pitch_yaw(c(3), c(1.5), c(3))};
}

inline Affine affine_of(const Pose& pose) {
  Affine a;
  const Vec3 columns[4] = {rotate(pose.rotation, {1, 0, 0}), rotate(pose.rotation, {0, 1, 0}),
                           rotate(pose.rotation, {0, 0, 1}), pose.translation_m};
  for (int k = 0; k < 4; ++k) a.m[0][k] = columns[k].x, a.m[1][k] = columns[k].y, a.m[2][k] = columns[k].z;
  return a;
}

inline Mesh random_mesh(std::mt19937& random) {
  const auto segments = static_cast<std::uint32_t>(8 + random() % 20);
  switch (random() % 4) {
    case 0:
      return make_box({real(random, 0.1, 3), real(random, 0.1, 3), real(random, 0.1, 3)});
    case 1:
      return make_sphere(real(random, 0.1, 1.5), segments);
    case 2:
      return make_cylinder(real(random, 0.1, 1.5), real(random, 0.1, 3), segments);
    default:
      return make_plane(real(random, 0.1, 3), real(random, 0.1, 3));
  }
}

/// Primitives in random places: scaled unevenly, mirrored, hung on each other, meshes shared.
inline Scene random_scene(std::mt19937& random) {
  Scene scene;
  const auto meshes = static_cast<std::uint32_t>(1 + random() % 4);
  const auto entities = static_cast<std::uint32_t>(1 + random() % 8);
  for (std::uint32_t i = 0; i < meshes; ++i) scene.add_mesh(random_mesh(random));
  for (std::uint32_t i = 0; i < entities; ++i) {
    Entity entity;
    entity.name = std::to_string(i);
    entity.mesh = static_cast<MeshId>(random() % meshes);
    const auto scale = [&] { return (random() % 2 == 0 ? 1 : -1) * real(random, 0.3, 2); };
    if (random() % 2 == 0) entity.scale = {scale(), scale(), scale()};
    if (i > 0 && random() % 3 == 0) entity.parent = static_cast<EntityId>(random() % i);
    entity.parent_from_entity = random_pose(random, entity.parent == kNoEntity ? kWorldM : 2.0);
    scene.add_entity(entity);
  }
  return scene;
}

}  // namespace fathom::test

// SPDX-License-Identifier: MIT
#pragma once
// Meshes placed in the world, rays and hits.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

struct Texture;

/// A mesh that instances share.
struct CastMesh {
  Mesh mesh;
  std::vector<std::array<float, 2>> uv;  ///< [vertices], or empty
  std::uint32_t version = 0;             ///< increment it after moving vertices: the tree is then built again
};

/// A mesh placed in the world by any affine map. It is never hit if the map flattens space, or scales it by more than
/// 1e18 or less than 1e-18.
struct CastInstance {
  std::shared_ptr<const CastMesh> mesh;
  Affine world_from_mesh = {};
  std::int32_t id = 0;  ///< the caller's
  float laser_retro = 0.0F;
  std::shared_ptr<const Texture> texture = nullptr;
  /// The map one time step ago, for velocities; null if it did not move.
  std::shared_ptr<const Affine> previous_world_from_mesh = nullptr;
  /// Displacements of its vertices in the mesh's frame in the last time step, [vertices]; null if they did not move.
  std::shared_ptr<const std::vector<std::array<float, 3>>> vertex_step_m = nullptr;
};

inline constexpr std::uint32_t kNoInstance = 0xffffffffU;

/// Up to kBlockRays rays in the world frame. Arrays are [count], readable up to the next multiple of 16. Directions
/// need not be unit vectors; `far` is in units of their lengths. A ray starts just beyond its origin: it misses a
/// surface at the origin.
struct RayLanes {
  const float *ox = nullptr, *oy = nullptr, *oz = nullptr;
  const float *dx = nullptr, *dy = nullptr, *dz = nullptr;
  const float* far = nullptr;
  const std::int32_t* active = nullptr;  ///< -1: cast; 0: do not
  std::uint32_t count = 0;               ///< at most kBlockRays
};

/// The first hit of each ray of a block.
struct alignas(64) HitLanes {
  std::uint32_t instance[kBlockRays];  ///< position in the list of instances; kNoInstance on a miss
  std::uint32_t triangle[kBlockRays];
  double t[kBlockRays];          ///< the hit is at origin + t * direction; undefined on a miss
  float distance_m[kBlockRays];  ///< from the origin to the hit; undefined on a miss
};

}  // namespace fathom

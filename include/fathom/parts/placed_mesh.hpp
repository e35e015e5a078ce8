// SPDX-License-Identifier: MIT
#pragma once
// Rays of any kind against placed meshes: what a Simulator does for its sensors, for callers that bring rays, meshes
// and placements of their own (the C interface of docs/rgl.md is one).
//
// Which triangle a ray meets is found in single precision by Embree; where it meets it is then computed from the plane
// of that triangle in double precision, so that distances are as good as the numbers given: a ray straight onto a wall
// gives the exact distance, also 300 m from the origin.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fathom/base/affine.hpp>
#include <fathom/base/compute.hpp>
#include <fathom/base/executor.hpp>
#include <fathom/base/export.hpp>
#include <fathom/noise/drive.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

/// A mesh that instances share.
struct CastMesh {
  Mesh mesh;
  std::vector<std::array<float, 2>> uv;  ///< [vertices], or empty
  std::uint32_t version = 0;             ///< raise it after moving vertices: the tree is then made anew
};

/// Throws InputError when the mesh is empty, has an index out of range, a vertex that is not finite, or texture
/// coordinates for another number of vertices. Unlike a scene's mesh it may have no area; nothing hits it then.
FATHOM_API void validate(const CastMesh& mesh);

/// One byte a texel, row-major [height, width].
struct Texture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> texels;

  /// The nearest texel, 0 to 255; coordinates wrap around.
  [[nodiscard]] FATHOM_API float at(double u, double v) const;
};

/// A mesh placed in the world, by any affine map. One that flattens space is never hit.
struct CastInstance {
  std::shared_ptr<const CastMesh> mesh;
  Affine world_from_mesh = {};
  std::int32_t id = 0;  ///< the caller's
  float laser_retro = 0.0F;
  std::shared_ptr<const Texture> texture = nullptr;
  /// Where it stood one time step ago: what its velocity follows from. Empty: it did not move.
  std::shared_ptr<const Affine> previous_world_from_mesh = nullptr;
  /// By how much its vertices moved within the mesh's frame in the last time step, [vertices]; null: they did not.
  std::shared_ptr<const std::vector<std::array<float, 3>>> vertex_step_m = nullptr;
};

inline constexpr std::uint32_t kNoInstance = 0xffffffffU;

/// Up to kBlockRays rays, world frame; arrays are [count], readable up to the next multiple of 16. Directions need not
/// be unit vectors; `far` counts in their lengths. A ray starts just beyond its origin: a surface at the origin is
/// not met.
struct RayLanes {
  const float *ox = nullptr, *oy = nullptr, *oz = nullptr;
  const float *dx = nullptr, *dy = nullptr, *dz = nullptr;
  const float* far = nullptr;
  const std::int32_t* active = nullptr;  ///< -1: cast; 0: do not
  std::uint32_t count = 0;               ///< at most kBlockRays
};

/// What each ray of a block met first.
struct alignas(64) HitLanes {
  std::uint32_t instance[kBlockRays];  ///< position in the list of instances; kNoInstance on a miss
  std::uint32_t triangle[kBlockRays];
  double t[kBlockRays];          ///< the hit is at origin + t direction; undefined on a miss
  float distance_m[kBlockRays];  ///< from the origin to the hit; undefined on a miss
};

/// Instances prepared for casting.
class FATHOM_API RayCaster {
 public:
  /// `executor` builds the trees and must outlive the caster; `compute.threads` does not count. Throws InputError for a
  /// `compute` that cannot be had.
  explicit RayCaster(Executor& executor, const Compute& compute = {});
  ~RayCaster();
  RayCaster(RayCaster&&) noexcept;
  RayCaster& operator=(RayCaster&&) noexcept;

  /// Casts against these from now on. Their meshes are valid; trees of those that were there before are kept. Throws
  /// InputError for an instance without mesh, and then changes nothing.
  void update(std::vector<CastInstance> instances);
  [[nodiscard]] const std::vector<CastInstance>& instances() const;

  /// Nearest hits, both sides of every triangle. Thread-safe between calls of update().
  void cast(const RayLanes& rays, HitLanes& hits) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom

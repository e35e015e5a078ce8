// SPDX-License-Identifier: MIT
#pragma once
// Rays of any kind against placed meshes: what a Simulator does for its sensors, for callers that bring rays, meshes
// and placements of their own (the C interface of docs/rgl.md is one).
//
// Which triangle a ray meets is found in single precision; where it meets it is then computed from the plane of that
// triangle in double precision, so that distances are as good as the numbers given: a ray straight onto a wall gives
// the exact distance, also 300 m from the origin.

#include <memory>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/base/executor.hpp>
#include <fathom/base/export.hpp>
#include <fathom/parts/placed_mesh.hpp>

namespace fathom {

/// Throws InputError when the mesh is empty, has an index out of range, a vertex that is not finite, or texture
/// coordinates for another number of vertices. Unlike a scene's mesh it may have no area; nothing hits it then.
FATHOM_API void validate(const CastMesh& mesh);

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

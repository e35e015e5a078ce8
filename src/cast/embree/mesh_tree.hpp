// SPDX-License-Identifier: MIT
#pragma once
// The tree of one mesh, which instances of any top-level tree may share.

#include <fathom/base/executor.hpp>
#include <fathom/scene/mesh.hpp>

#include "cast/embree/handles.hpp"
#include "cast/triangle_areas.hpp"

namespace fathom {

// Without ROBUST, about one ray in ten thousand slips through the edges of a closed surface.
inline constexpr RTCSceneFlags kRobust = RTC_SCENE_FLAG_ROBUST;

struct MeshTree {
  OwnedScene scene;
  OwnedGeometry geometry;
  TriangleAreas areas;  ///< as built; a deformation is not followed
};

/// Copies the mesh. `deforms`: the tree is refitted when vertices are replaced, not built anew. Trees are built inside
/// the executor, so that a caller's bound on threads holds for that too.
MeshTree build_mesh_tree(RTCDevice device, const Mesh& mesh, bool deforms, Executor& executor);

/// Asks `filter` about every hit on the mesh from now on, which makes casts a little slower.
void filter_hits(RTCDevice device, const MeshTree& tree, RTCFilterFunctionN filter, Executor& executor);

/// Takes over the vertices of a mesh that has as many as before.
void replace_vertices(RTCDevice device, const Mesh& mesh, const MeshTree& tree, Executor& executor);

}  // namespace fathom

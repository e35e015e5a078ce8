// SPDX-License-Identifier: MIT
#pragma once
// PLY meshes are read here and not through Assimp: Assimp 5.2 loops for ever on a header cut short ("format ascii 1."),
// reads a truncated binary body as zeros, and does not keep the order of the vertices, which Scene::replace_vertices
// counts on.

#include <string>
#include <string_view>

#include <fathom/scene/mesh.hpp>

#include "mesh/mesh_reading.hpp"

namespace fathom {

/// Reads `element vertex` (x y z), `element face` (list vertex_indices or vertex_index) and `element tristrips` (the
/// same list, -1 between strips) of a PLY file, ASCII or binary of either byte order; everything else is skipped. A
/// polygon becomes a fan around its first corner, so it must be convex. Memory grows with the bytes that are there, not
/// with the counts that the header claims. A vertex of no face that is not finite gets the place of another. `file` is
/// the name for messages. Throws InputError; does not call validate().
Mesh parse_ply_mesh(std::string_view bytes, const std::string& file, MeshReading& reading);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The tree of a mesh, as the host holds it.

#include <cstdint>

#include "base/large_vector.hpp"
#include "cast/tree/layout.hpp"

namespace fathom::tree {

/// The tree of a mesh; node 0 is the root. Without triangles there is a root without children.
struct MeshTree {
  LargeVector<Node> nodes;
  LargeVector<Leaf> leaves;
  Box bounds;
  float typical_area = 0.0F;  ///< of the triangle that a ray meets on average: sum(area^2) / sum(area); as built
  std::uint32_t number = 0;   ///< among the meshes of a scene
};

}  // namespace fathom::tree

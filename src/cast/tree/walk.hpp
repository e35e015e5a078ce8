// SPDX-License-Identifier: MIT
#pragma once
// What single rays and tiles share: points and corners in all lanes.

#include <cstdint>

#include "cast/tree/lanes.hpp"
#include "cast/tree/layout.hpp"
#include "cast/tree/origin.hpp"
#include "cast/tree/triangle.hpp"

namespace fathom::FATHOM_ISA {

/// A point in all lanes.
FATHOM_KERNEL V3<F4> all3(const Point& p) { return {F4::all(p.x), F4::all(p.y), F4::all(p.z)}; }

/// Corner i of the four triangles of a leaf.
FATHOM_KERNEL V3<F4> corner(const tree::Leaf& leaf, int i) {
  return {F4::load(leaf.v[i][0]), F4::load(leaf.v[i][1]), F4::load(leaf.v[i][2])};
}

}  // namespace fathom::FATHOM_ISA

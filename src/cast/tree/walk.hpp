// SPDX-License-Identifier: MIT
#pragma once
// What single rays and tiles share: the slack of boxes, and an instance seen from an origin.

#include <cstdint>

#include "cast/tree/layout.hpp"
#include "cast/tree/triangle.hpp"

namespace fathom::FATHOM_ISA {

struct Point {
  float x, y, z;
};

/// A point in all lanes.
FATHOM_KERNEL V3<F4> all3(const Point& p) { return {F4::all(p.x), F4::all(p.y), F4::all(p.z)}; }

inline constexpr float kMeshSlack = 0x1p-20F;  ///< of boxes in the frame of their mesh

/// By how much boxes are taken larger on each side when a ray from `o` meets them: more than the roundings of a
/// triangle's test move its corners by (docs/tracer.md). The second term keeps o + slack apart from o.
FATHOM_KERNEL float slack_of(const tree::Box& box, const Point& o, float rate) {
  const float p[3] = {o.x, o.y, o.z};
  float far = 0.0F, size = 0.0F;
  for (int a = 0; a < 3; ++a) {
    const float low = __builtin_fabsf(box.lo[a] - p[a]), high = __builtin_fabsf(box.hi[a] - p[a]);
    const float wide = low > high ? low : high;
    far = wide > far ? wide : far;
    size = __builtin_fabsf(p[a]) > size ? __builtin_fabsf(p[a]) : size;
  }
  if (!(far < kInf)) return 0.0F;  // an empty box
  return far * rate + size * 0x1p-23F;
}

/// An origin in the frame of an instance's mesh. In double precision: the mesh may stand far away.
FATHOM_KERNEL Point origin_in(const tree::Instance& instance, double x, double y, double z) {
  const double* m = instance.inverse;
  const double d[3] = {x - instance.at[0], y - instance.at[1], z - instance.at[2]};
  return {static_cast<float>(m[0] * d[0] + m[3] * d[1] + m[6] * d[2]),
          static_cast<float>(m[1] * d[0] + m[4] * d[1] + m[7] * d[2]),
          static_cast<float>(m[2] * d[0] + m[5] * d[1] + m[8] * d[2])};
}

/// Corner i of the four triangles of a leaf.
FATHOM_KERNEL V3<F4> corner(const tree::Leaf& leaf, int i) {
  return {F4::load(leaf.v[i][0]), F4::load(leaf.v[i][1]), F4::load(leaf.v[i][2])};
}

/// The number of a triangle in its mesh. `place`: 4 leaf + lane, as hits name it.
FATHOM_KERNEL std::uint32_t triangle_of(const tree::Instance& instance, std::uint32_t place) {
  return instance.leaves[place / tree::kLeafTriangles].id[place % tree::kLeafTriangles];
}

}  // namespace fathom::FATHOM_ISA

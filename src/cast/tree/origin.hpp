// SPDX-License-Identifier: MIT
#pragma once
// What every walk shares, one of a device too: the slack of boxes, an instance seen from an origin, and the surface of
// a hit.

#include <cstdint>

#include "cast/tree/layout.hpp"
#include "cast/tree/triangle.hpp"

namespace fathom::FATHOM_ISA {

struct Point {
  float x, y, z;
};

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

/// The number of a triangle in its mesh. `place`: 4 leaf + lane, as hits name it.
FATHOM_KERNEL std::uint32_t triangle_of(const tree::Instance& instance, std::uint32_t place) {
  return instance.leaves[place / tree::kLeafTriangles].id[place % tree::kLeafTriangles];
}

/// World unit normal of a triangle, turned against the ray along d.
FATHOM_KERNEL Point world_normal(const tree::Instance& instance, std::uint32_t place, const float (&d)[3]) {
  const tree::Leaf& leaf = instance.leaves[place / tree::kLeafTriangles];
  const std::uint32_t k = place % tree::kLeafTriangles;
  float e[2][3];
  for (int a = 0; a < 3; ++a) {
    e[0][a] = leaf.v[0][a][k] - leaf.v[1][a][k], e[1][a] = leaf.v[2][a][k] - leaf.v[0][a][k];
  }
  const float n[3] = {e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                      e[0][0] * e[1][1] - e[0][1] * e[1][0]};
  const float* m = instance.m_from_w;  // normals turn by its transpose
  float w[3];
  for (int a = 0; a < 3; ++a) w[a] = m[3 * a] * n[0] + m[3 * a + 1] * n[1] + m[3 * a + 2] * n[2];
  const bool behind = w[0] * d[0] + w[1] * d[1] + w[2] * d[2] > 0.0F;
  const float scale = (behind ? -1.0F : 1.0F) / __builtin_sqrtf(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  return {w[0] * scale, w[1] * scale, w[2] * scale};
}

}  // namespace fathom::FATHOM_ISA

// SPDX-License-Identifier: MIT
#pragma once
// Where a ray meets a triangle, for all walks: one ray and four triangles, eight or sixteen rays and one triangle, and
// one lane of a device (F1 of one_lane.hpp). S. Woop, C. Benthin, I. Wald, "Watertight ray/triangle intersection", JCGT
// 2(1), 2013: the corners, seen from the origin of the ray, are sheared along the dominant axis of its direction, so
// that the ray runs through (0, 0). The signs of three edge functions show whether the triangle contains it. A sign is
// exact for the sheared corners, which depend only on ray and corner: two triangles with a common edge agree about it.
//
// The distance is t = (a . n) / (d . n) from the plane of the triangle, but never outside the triangle's box, with the
// arithmetic of the tree's boxes (docs/tracer.md derives why both are needed).

#include <cstdint>

#include <fathom/core/export.hpp>

#include "trace/tree/layout.hpp"

namespace fathom::FATHOM_ISA {

/// Three values with the lanes of F.
template <class F>
struct V3 {
  F x, y, z;
};
template <class F>
FATHOM_KERNEL V3<F> operator-(V3<F> a, V3<F> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class F>
FATHOM_KERNEL V3<F> operator+(V3<F> a, V3<F> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class F>
FATHOM_KERNEL F dot(V3<F> a, V3<F> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class F>
FATHOM_KERNEL V3<F> cross(V3<F> a, V3<F> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class F>
FATHOM_KERNEL V3<F> all3(const float* p) {
  return {F::all(p[0]), F::all(p[1]), F::all(p[2])};
}
/// m v, m column-major.
template <class F>
FATHOM_KERNEL V3<F> turn(const float* m, V3<F> v) {
  return {F::all(m[0]) * v.x + F::all(m[3]) * v.y + F::all(m[6]) * v.z,
          F::all(m[1]) * v.x + F::all(m[4]) * v.y + F::all(m[7]) * v.z,
          F::all(m[2]) * v.x + F::all(m[5]) * v.y + F::all(m[8]) * v.z};
}

inline constexpr float kInf = __builtin_inff();
inline constexpr float kTinyDirection = 1e-18F;  ///< smaller components of a direction count as this

/// 1 / d, finite, with the sign of d.
template <class F>
FATHOM_KERNEL F reciprocal(F d) {
  const F tiny = select(lt(d, F::all(0.0F)), F::all(-kTinyDirection), F::all(kTinyDirection));
  return F::all(1.0F) / select(lt(abs(d), F::all(kTinyDirection)), tiny, d);
}

/// The shear of a ray: x and y move by sx and sy times z. z is axis `kz`, the longest of the direction, and x and y are
/// the following axes. If kz < 0, it differs between lanes: m0 marks axis 0, and m1 axis 1.
template <class F>
struct Shear {
  F sx, sy;
  typename F::Mask m0, m1;
  int kz;
};

/// `r`: the reciprocals of d.
template <class F>
FATHOM_KERNEL Shear<F> make_shear(V3<F> d, V3<F> r) {
  constexpr unsigned kAll = (1U << F::kLanes) - 1U;
  const F x = abs(d.x), y = abs(d.y), z = abs(d.z);
  const auto m0 = le(y, x) & le(z, x), m1 = without(le(z, y), m0);
  const unsigned b0 = bits(m0), b1 = bits(m1);
  const F along = select(m0, r.x, select(m1, r.y, r.z));
  const F cx = select(m0, d.y, select(m1, d.z, d.x)), cy = select(m0, d.z, select(m1, d.x, d.y));
  return {cx * along, cy * along, m0, m1, b0 == kAll ? 0 : b1 == kAll ? 1 : (b0 | b1) == 0 ? 2 : -1};
}

/// The product of the least and the largest edge function of sheared corners: above 0 if the triangle contains (0, 0),
/// below 0 if not, 0 if contains_exactly() must decide.
template <class F>
FATHOM_KERNEL F edge_product(const F (&x)[3], const F (&y)[3]) {
  const F u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
  return min(min(u, v), w) * max(max(u, v), w);
}

/// Whether the triangle of sheared corners contains (0, 0), including its border. Edge functions are in double, which
/// makes products of floats exact. If all three are 0, the triangle is seen from the side and contains nothing. Lane by
/// lane, because few rays come so near an edge.
template <class F>
[[gnu::noinline]] FATHOM_HOST_DEVICE typename F::Mask contains_exactly(F x0, F x1, F x2, F y0, F y1, F y2) {
  constexpr unsigned N = F::kLanes;
  float x[3][N], y[3][N];
  x0.store(x[0]), x1.store(x[1]), x2.store(x[2]), y0.store(y[0]), y1.store(y[1]), y2.store(y[2]);
  unsigned in = 0;
  for (unsigned k = 0; k < N; ++k) {
    bool above = false, below = false;
    for (int i = 0; i < 3; ++i) {
      const int a = (i + 2) % 3, b = (i + 1) % 3;
      const double edge = double{x[a][k]} * double{y[b][k]} - double{y[a][k]} * double{x[b][k]};
      above = above || edge > 0.0, below = below || edge < 0.0;
    }
    in |= static_cast<unsigned>(above != below) << k;
  }
  return F::mask_from(in);
}

/// The same, in single precision if that decides it.
template <class F>
FATHOM_KERNEL typename F::Mask contains(const F (&x)[3], const F (&y)[3]) {
  const F product = edge_product(x, y), zero = F::all(0.0F);
  const auto in = le(zero, product), doubtful = eq(product, zero);
  if (bits(doubtful) == 0) [[likely]]
    return in;
  // Lane by lane, so that no lane affects another, not even if edge functions overflow.
  return without(in, doubtful) | (doubtful & contains_exactly(x[0], x[1], x[2], y[0], y[1], y[2]));
}

/// Shears the corners, seen from the origins.
template <class F>
FATHOM_KERNEL void shear_corners(const V3<F> (&c)[3], const Shear<F>& s, F (&x)[3], F (&y)[3]) {
  for (int i = 0; i < 3; ++i) {
    F z, a, b;
    if (s.kz == 0) {
      z = c[i].x, a = c[i].y, b = c[i].z;
    } else if (s.kz == 1) {
      z = c[i].y, a = c[i].z, b = c[i].x;
    } else if (s.kz == 2) {
      z = c[i].z, a = c[i].x, b = c[i].y;
    } else {
      z = select(s.m0, c[i].x, select(s.m1, c[i].y, c[i].z));
      a = select(s.m0, c[i].y, select(s.m1, c[i].z, c[i].x));
      b = select(s.m0, c[i].z, select(s.m1, c[i].x, c[i].y));
    }
    x[i] = a - s.sx * z, y[i] = b - s.sy * z;
  }
}

/// Lanes whose rays along d come from the front, where corners run counter-clockwise. `n` is the normal of the walks,
/// which points to the back.
template <class F>
FATHOM_KERNEL typename F::Mask from_front(const V3<F>& n, const V3<F>& d) {
  return lt(F::all(0.0F), dot(d, n));
}

/// The least and the largest coordinates of three corners.
template <class F>
FATHOM_KERNEL V3<F> least_of(const V3<F> (&c)[3]) {
  return {min(min(c[0].x, c[1].x), c[2].x), min(min(c[0].y, c[1].y), c[2].y), min(min(c[0].z, c[1].z), c[2].z)};
}
template <class F>
FATHOM_KERNEL V3<F> most_of(const V3<F> (&c)[3]) {
  return {max(max(c[0].x, c[1].x), c[2].x), max(max(c[0].y, c[1].y), c[2].y), max(max(c[0].z, c[1].z), c[2].z)};
}

/// The distance at which the ray enters the triangle's box lo, hi, seen from the origin.
template <class F>
FATHOM_KERNEL F entry_of(const V3<F>& lo, const V3<F>& hi, const V3<F>& r) {
  return max(max(min(lo.x * r.x, hi.x * r.x), min(lo.y * r.y, hi.y * r.y)), min(lo.z * r.z, hi.z * r.z));
}

/// The slack of the box that limits a distance. Without it a ray within a side of the box would leave where it enters.
template <class F>
FATHOM_KERNEL F exit_slack(const V3<F>& lo, const V3<F>& hi) {
  const F x = max(abs(lo.x), abs(hi.x)), y = max(abs(lo.y), abs(hi.y)), z = max(abs(lo.z), abs(hi.z));
  return max(max(x, y), z) * F::all(0x1p-21F);
}

/// t on the plane of a triangle, limited to its box lo, hi; all seen from the origin. `plane` is the product of a
/// corner and the normal n.
template <class F>
FATHOM_KERNEL F distance(F plane, const V3<F>& n, const V3<F>& d, const V3<F>& lo, const V3<F>& hi, F slack,
                         const V3<F>& r, F entry) {
  const F t = plane / dot(d, n);
  const F x = max((lo.x - slack) * r.x, (hi.x + slack) * r.x), y = max((lo.y - slack) * r.y, (hi.y + slack) * r.y),
          z = max((lo.z - slack) * r.z, (hi.z + slack) * r.z);
  return max(min(t, min(min(x, y), z)), entry);
}

struct Point {
  float x, y, z;
};

inline constexpr float kMeshSlack = 0x1p-20F;  ///< of boxes in the frame of a mesh

/// The slack on each side of boxes for a ray from `o`: above the roundings of a triangle's corners in its test
/// (docs/tracer.md). The second term keeps o + slack different from o.
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

/// The neighbouring keys of a moving instance at a time, and the share of the way from the first to the second.
struct KeyPlace {
  const tree::MotionKey *from, *to;
  double share;

  [[nodiscard]] FATHOM_KERNEL double between(double a, double b) const { return a + share * (b - a); }
};

FATHOM_KERNEL KeyPlace find_keys(const tree::World& world, const tree::Instance& instance, float time_s) {
  const tree::MotionKey* keys = world.keys + instance.first_key;
  std::uint32_t low = 0, high = instance.key_count - 1;
  while (low + 1 < high) {
    const std::uint32_t middle = (low + high) / 2;
    (keys[middle].time_s <= double{time_s} ? low : high) = middle;
  }
  return {keys + low, keys + high, (double{time_s} - keys[low].time_s) * keys[low].per_s};
}

/// The map of an instance at the time of a ray; `own` is memory for a moving one.
FATHOM_KERNEL const tree::MeshMap& map_at(const tree::World& world, const tree::Instance& instance, const float* time_s,
                                          tree::MeshMap& own) {
  if (instance.key_count == 0 || time_s == nullptr) return instance.map;
  const KeyPlace at = find_keys(world, instance, *time_s);
  for (int i = 0; i < 9; ++i) {
    own.inverse[i] = at.between(at.from->inverse[i], at.to->inverse[i]);
    own.m_from_w[i] = static_cast<float>(own.inverse[i]);
  }
  for (int a = 0; a < 3; ++a) own.at[a] = at.between(at.from->at[a], at.to->at[a]);
  own.spare = 0.0F;
  return own;
}

/// The speed along the ray of the surface that a ray from `o` along `d` meets at distance t, m/s. `time_s`: null for
/// the stamp of the scan.
FATHOM_KERNEL float speed_along(const tree::World& world, const tree::Instance& instance, const float* time_s,
                                const float (&o)[3], const float (&d)[3], float t) {
  if (instance.key_count == 0) return 0.0F;
  const KeyPlace at = find_keys(world, instance, time_s == nullptr ? 0.0F : *time_s);
  const tree::MotionKey &a = *at.from, &b = *at.to;
  double v[3], w[3], arm[3];
  for (int i = 0; i < 3; ++i) {
    v[i] = at.between(a.velocity[i], b.velocity[i]), w[i] = at.between(a.turn_rate[i], b.turn_rate[i]);
    arm[i] = double{o[i]} + double{t} * double{d[i]} - at.between(a.at[i], b.at[i]);
  }
  const double x = v[0] + (w[1] * arm[2] - w[2] * arm[1]), y = v[1] + (w[2] * arm[0] - w[0] * arm[2]),
               z = v[2] + (w[0] * arm[1] - w[1] * arm[0]);
  return static_cast<float>(x * double{d[0]} + y * double{d[1]} + z * double{d[2]});
}

/// An origin in the frame of a mesh, in double precision because the mesh may be far away.
FATHOM_KERNEL Point origin_in(const tree::MeshMap& map, double x, double y, double z) {
  const double* m = map.inverse;
  const double d[3] = {x - map.at[0], y - map.at[1], z - map.at[2]};
  return {static_cast<float>(m[0] * d[0] + m[3] * d[1] + m[6] * d[2]),
          static_cast<float>(m[1] * d[0] + m[4] * d[1] + m[7] * d[2]),
          static_cast<float>(m[2] * d[0] + m[5] * d[1] + m[8] * d[2])};
}

/// The number of a triangle in its mesh. `place` is 4 leaf + lane, as in hits.
FATHOM_KERNEL std::uint32_t triangle_of(const tree::Instance& instance, std::uint32_t place) {
  return instance.leaves[place / tree::kLeafTriangles].id[place % tree::kLeafTriangles];
}

/// World unit normal of a triangle, turned against the ray along d.
FATHOM_KERNEL Point world_normal(const tree::Instance& instance, const tree::MeshMap& map, std::uint32_t place,
                                 const float (&d)[3]) {
  const tree::Leaf& leaf = instance.leaves[place / tree::kLeafTriangles];
  const std::uint32_t k = place % tree::kLeafTriangles;
  float e[2][3];
  for (int a = 0; a < 3; ++a) {
    e[0][a] = leaf.v[0][a][k] - leaf.v[1][a][k], e[1][a] = leaf.v[2][a][k] - leaf.v[0][a][k];
  }
  const float n[3] = {e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                      e[0][0] * e[1][1] - e[0][1] * e[1][0]};
  const float* m = map.m_from_w;  // normals turn by its transpose
  float w[3];
  for (int a = 0; a < 3; ++a) w[a] = m[3 * a] * n[0] + m[3 * a + 1] * n[1] + m[3 * a + 2] * n[2];
  const bool behind = w[0] * d[0] + w[1] * d[1] + w[2] * d[2] > 0.0F;
  const float scale = (behind ? -1.0F : 1.0F) / __builtin_sqrtf(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  return {w[0] * scale, w[1] * scale, w[2] * scale};
}

}  // namespace fathom::FATHOM_ISA

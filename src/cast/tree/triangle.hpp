// SPDX-License-Identifier: MIT
#pragma once
// Where a ray meets a triangle: one arithmetic for one ray and four triangles, for eight or sixteen rays and one, and
// for a device. Whether it meets it: S. Woop, C. Benthin, I. Wald, "Watertight ray/triangle intersection", JCGT 2(1),
// 2013. The corners, seen from the origin of the ray, are sheared along the dominant axis of its direction, so that the
// ray runs through (0, 0), and the signs of three edge functions tell whether the triangle contains it. A sign is exact
// for the sheared corners, which depend on ray and corner alone: two triangles with a common edge agree about it.
//
// How far: t = (a . n) / (d . n) from the plane of the triangle, and never outside the triangle's own box, by the
// arithmetic with which the tree tests boxes (docs/tracer.md derives why both are needed).

#include "cast/tree/lanes.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr float kInf = __builtin_inff();
inline constexpr float kExitSlack = 0x1p-21F;  ///< of the box that ends a range, as a share of its farthest coordinate
inline constexpr float kTinyDirection = 1e-18F;  ///< smaller components of a direction count as this

/// 1 / d, finite, with the sign of d.
template <class F>
FATHOM_KERNEL F reciprocal(F d) {
  const F tiny = select(lt(d, F::all(0.0F)), F::all(-kTinyDirection), F::all(kTinyDirection));
  return F::all(1.0F) / select(lt(abs(d), F::all(kTinyDirection)), tiny, d);
}

/// How a ray shears space: x and y move by sx and sy times z, where z is axis `kz`, the longest of its direction, and
/// x and y are those that follow it. kz < 0: it differs between lanes, which m0 (axis 0) and m1 (axis 1) tell.
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

/// Edge functions that single precision found to be 0, again in double, where products of floats are exact. Where all
/// three are 0 the triangle is seen from the side and contains nothing.
template <class F>
[[gnu::noinline]] void settle_edges(const F (&x)[3], const F (&y)[3], F& u, F& v, F& w) {
  constexpr unsigned N = F::kLanes;
  float xs[3][N], ys[3][N], e[3][N];
  for (int i = 0; i < 3; ++i) x[i].store(xs[i]), y[i].store(ys[i]);
  u.store(e[0]), v.store(e[1]), w.store(e[2]);
  for (unsigned k = 0; k < N; ++k) {
    if (e[0][k] != 0.0F && e[1][k] != 0.0F && e[2][k] != 0.0F) continue;
    for (int i = 0; i < 3; ++i) {
      const int a = (i + 2) % 3, b = (i + 1) % 3;
      const double exact = double{xs[a][k]} * double{ys[b][k]} - double{ys[a][k]} * double{xs[b][k]};
      e[i][k] = exact > 0.0 ? 1.0F : exact < 0.0 ? -1.0F : 0.0F;
    }
    if (e[0][k] == 0.0F && e[1][k] == 0.0F && e[2][k] == 0.0F) e[0][k] = 1.0F, e[1][k] = -1.0F;
  }
  u = F::load(e[0]), v = F::load(e[1]), w = F::load(e[2]);
}

/// Whether the triangle of sheared corners contains (0, 0), its border included.
template <class F>
FATHOM_KERNEL typename F::Mask contains(const F (&x)[3], const F (&y)[3]) {
  F u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
  const F zero = F::all(0.0F), least_edge = min(min(u, v), w), most_edge = max(max(u, v), w);
  const auto in = le(zero, least_edge) | le(most_edge, zero);
  // Most tests end here. A 0 counts as inside so far, so that only those inside can change.
  if (bits(in) == 0) return in;
  if (bits(in & (eq(least_edge, zero) | eq(most_edge, zero))) == 0) [[likely]]
    return in;
  settle_edges(x, y, u, v, w);
  return le(zero, min(min(u, v), w)) | le(max(max(u, v), w), zero);
}

/// The corners, seen from the origins, as `shear` leaves them.
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

/// t on the plane of a triangle, and within its box lo, hi. All is seen from the origin; n is the normal, `plane` the
/// product of a corner and n. The ray leaves a box that is a little larger: one that runs within a side of the box,
/// along an axis, would else leave it where it starts.
template <class F>
FATHOM_KERNEL F distance(F plane, V3<F> n, V3<F> d, V3<F> lo, V3<F> hi, V3<F> r) {
  const F t = plane / dot(d, n);
  const F x0 = lo.x * r.x, x1 = hi.x * r.x, y0 = lo.y * r.y, y1 = hi.y * r.y, z0 = lo.z * r.z, z1 = hi.z * r.z;
  const F entry = max(max(min(x0, x1), min(y0, y1)), min(z0, z1));
  const F farthest = max(max(max(abs(lo.x), abs(hi.x)), max(abs(lo.y), abs(hi.y))), max(abs(lo.z), abs(hi.z)));
  const F slack = farthest * F::all(kExitSlack);
  const F far_x = max((lo.x - slack) * r.x, (hi.x + slack) * r.x),
          far_y = max((lo.y - slack) * r.y, (hi.y + slack) * r.y),
          far_z = max((lo.z - slack) * r.z, (hi.z + slack) * r.z);
  const F exit = min(min(far_x, far_y), far_z);
  return max(min(t, exit), entry);
}

}  // namespace fathom::FATHOM_ISA

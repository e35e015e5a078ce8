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

#include "cast/tree/vectors.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr float kInf = __builtin_inff();
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

/// The product of the least and the largest edge function of sheared corners: above 0 where the triangle contains (0,
/// 0), below 0 where it does not; 0 asks for contains_exactly().
template <class F>
FATHOM_KERNEL F edge_product(const F (&x)[3], const F (&y)[3]) {
  const F u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
  return min(min(u, v), w) * max(max(u, v), w);
}

/// Whether the triangle of sheared corners contains (0, 0), its border included, from edge functions in double, where
/// products of floats are exact. Where all three are 0 the triangle is seen from the side and contains nothing. Lane by
/// lane: few rays come so near an edge.
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

/// The same, in single precision wherever that tells it.
template <class F>
FATHOM_KERNEL typename F::Mask contains(const F (&x)[3], const F (&y)[3]) {
  const F product = edge_product(x, y), zero = F::all(0.0F);
  const auto in = le(zero, product), doubtful = eq(product, zero);
  if (bits(doubtful) == 0) [[likely]]
    return in;
  // Lane by lane, so that no lane shows in the result of another, not even where edge functions overflow.
  return without(in, doubtful) | (doubtful & contains_exactly(x[0], x[1], x[2], y[0], y[1], y[2]));
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

/// Where rays along d come from the front of triangles: their corners run counter-clockwise as seen from there. `n` is
/// the normal as walks compute it, which points behind.
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

/// Where the ray enters the triangle's own box lo, hi, seen from the origin.
template <class F>
FATHOM_KERNEL F entry_of(const V3<F>& lo, const V3<F>& hi, const V3<F>& r) {
  return max(max(min(lo.x * r.x, hi.x * r.x), min(lo.y * r.y, hi.y * r.y)), min(lo.z * r.z, hi.z * r.z));
}

/// By how much the box that ends a range is larger than the triangle's own. A ray along an axis that runs within a side
/// of the box would else leave it where it starts.
template <class F>
FATHOM_KERNEL F exit_slack(const V3<F>& lo, const V3<F>& hi) {
  const F x = max(abs(lo.x), abs(hi.x)), y = max(abs(lo.y), abs(hi.y)), z = max(abs(lo.z), abs(hi.z));
  return max(max(x, y), z) * F::all(0x1p-21F);
}

/// t on the plane of a triangle, and within its box lo, hi. All is seen from the origin; n is the normal, `plane` the
/// product of a corner and n.
template <class F>
FATHOM_KERNEL F distance(F plane, const V3<F>& n, const V3<F>& d, const V3<F>& lo, const V3<F>& hi, F slack,
                         const V3<F>& r, F entry) {
  const F t = plane / dot(d, n);
  const F x = max((lo.x - slack) * r.x, (hi.x + slack) * r.x), y = max((lo.y - slack) * r.y, (hi.y + slack) * r.y),
          z = max((lo.z - slack) * r.z, (hi.z + slack) * r.z);
  return max(min(t, min(min(x, y), z)), entry);
}

}  // namespace fathom::FATHOM_ISA

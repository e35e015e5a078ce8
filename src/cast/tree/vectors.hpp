// SPDX-License-Identifier: MIT
#pragma once
// Three values, of as many lanes as F has: those of lanes.hpp, or the one of one_lane.hpp, which a device has.

#include <fathom/base/export.hpp>

namespace fathom::FATHOM_ISA {

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

}  // namespace fathom::FATHOM_ISA

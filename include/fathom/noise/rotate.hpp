#pragma once

#include <fathom/export.hpp>
#include <fathom/math.hpp>
#include <fathom/noise/field.hpp>

namespace fathom {

struct Vector {
  float x, y, z;
};

/// Rotates v actively and right-handed about a coordinate axis by the angle whose sine and cosine are given.
/// `axis` is the same for a whole frame, so the compiler moves the choice out of the loop over rays.
FATHOM_KERNEL Vector rotate_about(Axis axis, math::SinCos a, Vector v) {
  if (axis == Axis::kX) return {v.x, a.cos * v.y - a.sin * v.z, a.sin * v.y + a.cos * v.z};
  if (axis == Axis::kY) return {a.sin * v.z + a.cos * v.x, v.y, a.cos * v.z - a.sin * v.x};
  return {a.cos * v.x - a.sin * v.y, a.sin * v.x + a.cos * v.y, v.z};
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/math/f32.hpp>

namespace fathom {

/// An axis of the sensor frame (x forward, y left, z up).
enum class Axis : std::uint8_t { kX, kY, kZ };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<Axis> = {"x", "y", "z"};

/// A normal rotation about an axis: what a model does to rays or to hit points.
struct AxisTurn {
  Axis axis;
  double mean_rad = 0.0, stddev_rad = 0.0;
};

/// Log density of a rotation by an angle in rad, per rad; angles that differ by whole rotations are one. -infinity
/// without a deviation.
FATHOM_API double log_density(const AxisTurn& turn, double angle_rad);

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

// SPDX-License-Identifier: MIT
#include <fathom/core/geometry.hpp>

#include <cmath>

#include <fathom/core/f64.hpp>

namespace fathom {

Quaternion from_roll_pitch_yaw(double roll_rad, double pitch_rad, double yaw_rad) {
  const math::SinCos64 roll = math::sincos(roll_rad / 2), pitch = math::sincos(pitch_rad / 2),
                       yaw = math::sincos(yaw_rad / 2);
  const Quaternion x = {roll.cos, roll.sin, 0, 0};
  const Quaternion y = {pitch.cos, 0, pitch.sin, 0};
  const Quaternion z = {yaw.cos, 0, 0, yaw.sin};
  return z * y * x;
}

Quaternion slerp(Quaternion a, Quaternion b, double u) {
  double c = dot(a, b);
  if (c < 0.0) {
    b = {-b.w, -b.x, -b.y, -b.z};
    c = -c;
  }
  if (c > 0.9995) {  // nearly equal: the chord is as good as the arc and does not divide by sin 0
    return normalized({a.w + u * (b.w - a.w), a.x + u * (b.x - a.x), a.y + u * (b.y - a.y), a.z + u * (b.z - a.z)});
  }
  const double angle = math::acos(c);
  const double whole = math::sin(angle);
  const double wa = math::sin((1.0 - u) * angle) / whole;
  const double wb = math::sin(u * angle) / whole;
  return {wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z};
}

// Cofactors: columns of the inverse are cross products of rows over the determinant.
std::optional<Affine> inverse(const Affine& a) {
  const Vec3 row[3] = {
      {a.m[0][0], a.m[0][1], a.m[0][2]}, {a.m[1][0], a.m[1][1], a.m[1][2]}, {a.m[2][0], a.m[2][1], a.m[2][2]}};
  const Vec3 column[3] = {cross(row[1], row[2]), cross(row[2], row[0]), cross(row[0], row[1])};
  const double determinant = dot(row[0], column[0]);
  if (!(std::isfinite(determinant) && determinant != 0.0)) return std::nullopt;
  Affine b;
  for (int j = 0; j < 3; ++j) {
    b.m[0][j] = column[j].x / determinant;
    b.m[1][j] = column[j].y / determinant;
    b.m[2][j] = column[j].z / determinant;
  }
  const Vec3 t = transform_vector(b, translation_of(a));
  b.m[0][3] = -t.x, b.m[1][3] = -t.y, b.m[2][3] = -t.z;
  for (const auto& r : b.m) {
    for (const double v : r) {
      if (!std::isfinite(v)) return std::nullopt;
    }
  }
  return b;
}

}  // namespace fathom

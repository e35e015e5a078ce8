// SPDX-License-Identifier: MIT
#include <fathom/base/geometry.hpp>

#include <fathom/math/trigonometry.hpp>

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

}  // namespace fathom

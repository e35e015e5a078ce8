// SPDX-License-Identifier: MIT
#include <fathom/base/geometry.hpp>

#include <cmath>

namespace fathom {

Quaternion from_roll_pitch_yaw(double roll_rad, double pitch_rad, double yaw_rad) {
  const Quaternion x = {std::cos(roll_rad / 2), std::sin(roll_rad / 2), 0, 0};
  const Quaternion y = {std::cos(pitch_rad / 2), 0, std::sin(pitch_rad / 2), 0};
  const Quaternion z = {std::cos(yaw_rad / 2), 0, 0, std::sin(yaw_rad / 2)};
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
  const double angle = std::acos(c);
  const double wa = std::sin((1.0 - u) * angle) / std::sin(angle);
  const double wb = std::sin(u * angle) / std::sin(angle);
  return {wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z};
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Points, rotations, rigid transforms and affine maps in double precision. Transforms are named
// destination_from_source, so that adjacent names cancel: world_from_hit = world_from_sensor * sensor_from_hit.

#include <numbers>
#include <optional>

#include <fathom/core/export.hpp>

namespace fathom {

struct Vec3 {
  double x = 0.0, y = 0.0, z = 0.0;

  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator*(double s, Vec3 v) { return {s * v.x, s * v.y, s * v.z}; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

constexpr double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
// The compiler's square root: <cmath> would outweigh the headers that include this one.
inline double norm(Vec3 v) { return __builtin_sqrt(dot(v, v)); }

/// Unit quaternion, w + xi + yj + zk (Hamilton). The default is the identity.
struct Quaternion {
  double w = 1.0, x = 0.0, y = 0.0, z = 0.0;

  friend constexpr Quaternion operator*(Quaternion a, Quaternion b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
  friend constexpr bool operator==(const Quaternion&, const Quaternion&) = default;
};

constexpr Quaternion conjugate(Quaternion q) { return {q.w, -q.x, -q.y, -q.z}; }
constexpr double dot(Quaternion a, Quaternion b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }

inline Quaternion normalized(Quaternion q) {
  const double n = __builtin_sqrt(dot(q, q));
  return {q.w / n, q.x / n, q.y / n, q.z / n};
}

/// Rotates v by the unit quaternion q.
constexpr Vec3 rotate(Quaternion q, Vec3 v) {
  const Vec3 u = {q.x, q.y, q.z};
  const Vec3 t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}

/// Fixed-axis roll, pitch, yaw (rad): Rz(yaw) Ry(pitch) Rx(roll), as in ROS and URDF.
FATHOM_API Quaternion from_roll_pitch_yaw(double roll_rad, double pitch_rad, double yaw_rad);

/// Spherical interpolation along the shorter arc, u in [0, 1].
FATHOM_API Quaternion slerp(Quaternion a, Quaternion b, double u);

/// Rigid transform: rotate, then translate.
struct Pose {
  Vec3 translation_m;
  Quaternion rotation;

  friend constexpr Pose operator*(const Pose& a_from_b, const Pose& b_from_c) {
    return {a_from_b.translation_m + rotate(a_from_b.rotation, b_from_c.translation_m),
            a_from_b.rotation * b_from_c.rotation};
  }
  friend constexpr Vec3 operator*(const Pose& a_from_b, Vec3 point_b) {
    return a_from_b.translation_m + rotate(a_from_b.rotation, point_b);
  }
  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};

constexpr Pose inverse(const Pose& a_from_b) {
  const Quaternion r = conjugate(a_from_b.rotation);
  return {rotate(r, -1.0 * a_from_b.translation_m), r};
}

inline Pose interpolate(const Pose& a, const Pose& b, double u) {
  return {a.translation_m + u * (b.translation_m - a.translation_m), slerp(a.rotation, b.rotation, u)};
}

/// Largest coordinate of a place or a vertex. There single precision resolves 64 m.
inline constexpr double kMaxCoordinateM = 1e9;

inline constexpr double kRadPerDeg = std::numbers::pi / 180.0;

/// A linear map and a translation, for scale, shear and mirroring: row-major [3][4], the last column is the
/// translation. The default is the identity.
struct Affine {
  double m[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

  friend constexpr bool operator==(const Affine&, const Affine&) = default;
};

constexpr Vec3 transform_vector(const Affine& a, Vec3 v) {
  return {a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z, a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
          a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
constexpr Vec3 translation_of(const Affine& a) { return {a.m[0][3], a.m[1][3], a.m[2][3]}; }
constexpr Vec3 transform_point(const Affine& a, Vec3 p) { return transform_vector(a, p) + translation_of(a); }

constexpr Affine operator*(const Affine& a, const Affine& b) {
  Affine c;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j] + (j == 3 ? a.m[i][3] : 0.0);
    }
  }
  return c;
}

/// The inverse, or empty when the map flattens space or is not finite.
FATHOM_API std::optional<Affine> inverse(const Affine& a);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Affine maps in double precision, for what poses cannot say: scale, shear, mirroring. Named destination_from_source
// like poses.

#include <array>
#include <optional>

#include <fathom/base/export.hpp>
#include <fathom/base/geometry.hpp>

namespace fathom {

/// A linear map and a translation: row-major [3][4], the last column is the translation. The default is the identity.
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

/// The inverse, or nothing when the map flattens space or is not finite.
FATHOM_API std::optional<Affine> inverse(const Affine& a);

}  // namespace fathom

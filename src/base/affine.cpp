// SPDX-License-Identifier: MIT
#include <fathom/base/affine.hpp>

#include <cmath>

namespace fathom {

// By cofactors: columns of the inverse are cross products of rows, over the determinant.
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

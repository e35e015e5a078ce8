// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fathom/math/trigonometry.hpp>
#include <fathom/parts/clouds.hpp>

namespace fathom {

void find_slopes(std::span<const float> normal_xyz, const Vec3& up, double threshold_rad, std::int32_t* out) {
  for (std::size_t i = 0; i < normal_xyz.size() / 3; ++i) {
    const float* n = normal_xyz.data() + 3 * i;
    const double cosine = std::abs(dot({n[0], n[1], n[2]}, up));
    // A cosine above 1 is a rounding of 1: the vector is parallel to `up`. NaN is no slope.
    out[i] = math::acos(std::min(cosine, 1.0)) > threshold_rad ? 1 : 0;
  }
}

}  // namespace fathom

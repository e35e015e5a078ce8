// SPDX-License-Identifier: MIT
#pragma once
// The samples of one ray, as ray_math.hpp.

#include <fathom/math/f32.hpp>

#include "render/ray_math.hpp"
#include "sensor/diverging_samples.hpp"

namespace fathom {

/// The axes of a ray's cone in the sensor frame: across lies in the x-y plane, to the left.
struct ConeAxes {
  Triple across, up;
};
FATHOM_KERNEL ConeAxes cone_axes(const Triple& d) {
  const float square = d.x * d.x + d.y * d.y;
  const bool is_steep = !(square > 1e-12F);  // straight up or down, where any direction is across
  const float scale = 1.0F / math::sqrt(math::select(is_steep, 1.0F, square));
  const float ax = math::select(is_steep, 0.0F, -d.y * scale), ay = math::select(is_steep, 1.0F, d.x * scale);
  return {{ax, ay, 0.0F}, {-d.z * ay, d.z * ax, d.x * ay - d.y * ax}};
}

/// The direction of a sample of the ray along d.
FATHOM_KERNEL Triple sample_along(const ConeAxes& axes, const Triple& d, const SampleDirection& s) {
  return {axes.across.x * s.x + axes.up.x * s.y + d.x * s.z, axes.across.y * s.x + axes.up.y * s.y + d.y * s.z,
          axes.up.z * s.y + d.z * s.z};
}

/// The random stream of a model for return k of each ray; those of return 0 are those of a sensor with one return.
FATHOM_KERNEL std::uint32_t stream_of_return(std::uint32_t stream, std::uint32_t k) {
  return stream ^ (k * 0x9e3779b9U);
}

}  // namespace fathom

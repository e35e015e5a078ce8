// SPDX-License-Identifier: MIT
#pragma once
// fathom's models as the interface wants them: RGL sets no upper limits to their parameters.

#include <rgl/api/core.h>

#include <fathom/noise/noise.hpp>

namespace rgl {

fathom::Axis to_axis(rgl_axis_t axis);

fathom::Noise angular_ray_noise(float mean_rad, float stddev_rad, fathom::Axis axis);
fathom::Noise angular_hit_noise(float mean_rad, float stddev_rad, fathom::Axis axis);
fathom::Noise distance_noise(float mean_m, float stddev_m, float stddev_per_m);

}  // namespace rgl

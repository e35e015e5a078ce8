// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/parts/tracer.hpp>

#include "parts/surface.hpp"

namespace fathom {

/// sensor_at_start_from_sensor_at_t: turned by Rz Ry Rx of the angles that it turned by, and moved on.
Affine step_after(const SensorMotion& motion, double time_s);

struct Velocities {
  Vec3 absolute_mps, relative_mps;
  double radial_mps;
};

/// How fast the point of a triangle moves, and how the sensor sees that.
Velocities velocities_at(const CastInstance& instance, std::uint32_t triangle, const Vec3& hit_world,
                         const Affine& sensor_from_world, const SensorMotion& motion, double step_s);

}  // namespace fathom

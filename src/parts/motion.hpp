// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/parts/tracer.hpp>

#include "parts/surface.hpp"

namespace fathom {

/// sensor_at_start_from_sensor_at_t: the rotation Rz Ry Rx by the angles turned, and the way moved.
Affine step_after(const SensorMotion& motion, double time_s);

struct Velocities {
  Vec3 absolute_mps, relative_mps;
  double radial_mps;
};

/// The velocity of a point of a triangle, in the world and relative to the sensor.
Velocities velocities_at(const CastInstance& instance, std::uint32_t triangle, const Vec3& hit_world,
                         const Affine& sensor_from_world, const SensorMotion& motion, double step_s);

}  // namespace fathom

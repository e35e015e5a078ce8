#pragma once
// A sensor's pose and cameras in single precision, as a frame needs them.

#include <fathom/geometry.hpp>
#include <fathom/sensor.hpp>

#include "sensor/render.hpp"

namespace fathom {

/// The pose relative to `origin`.
Rigid narrow(const Pose& pose, const Vec3& origin);

/// The cameras of a sensor that stands so in the caster's coordinates.
RigView view_rig(const SensorModel& model, const Rigid& cast_from_sensor);

/// The rotation of a sensor whose axes follow the body only in part.
Quaternion aligned(const SensorModel& model, const Quaternion& q);

}  // namespace fathom

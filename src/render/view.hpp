// SPDX-License-Identifier: MIT
#pragma once
// A sensor's pose and cameras in single precision, as a frame needs them.

#include <fathom/base/geometry.hpp>

#include "render/render.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

/// The pose relative to `origin`.
Rigid narrow(const Pose& pose, const Vec3& origin);

/// The cameras of a sensor that stands so in the caster's coordinates.
RigView view_rig(const SensorView& view, const Rigid& cast_from_sensor);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Where a thing really stands, relative to its nominal pose.

#include <span>

#include <fathom/scene/trajectory.hpp>

namespace fathom {

/// The rotation by the length of the vector (rad) about its direction.
Quaternion from_rotation_vector(const Vec3& rotation_rad);

/// Of position x, y, z (m) and rotation vector x, y, z (rad).
Pose pose_offset(std::span<const double, 6> parts);

/// nominal * offset, with its quaternion normalised. Throws InputError as checked_pose().
Pose moved(const Pose& nominal, const Pose& offset);
/// The same of each key of a motion.
Trajectory moved(const Trajectory& nominal, const Pose& offset);

}  // namespace fathom

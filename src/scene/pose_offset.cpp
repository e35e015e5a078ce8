// SPDX-License-Identifier: MIT
#include <cmath>
#include <utility>
#include <vector>

#include <fathom/math/f64.hpp>

#include "scene/checks.hpp"
#include "scene/poses.hpp"

namespace fathom {

Quaternion from_rotation_vector(const Vec3& rotation_rad) {
  // By the largest component first: the square of a tiny one would be 0.
  const double most =
      std::fmax(std::abs(rotation_rad.x), std::fmax(std::abs(rotation_rad.y), std::abs(rotation_rad.z)));
  if (!(most > 0.0)) return {};
  const Vec3 scaled = {rotation_rad.x / most, rotation_rad.y / most, rotation_rad.z / most};
  const double length = norm(scaled);
  const math::SinCos64 half = math::sincos(0.5 * most * length);
  const Vec3 v = (half.sin / length) * scaled;
  return {half.cos, v.x, v.y, v.z};
}

Pose pose_offset(std::span<const double, 6> parts) {
  return {{parts[0], parts[1], parts[2]}, from_rotation_vector({parts[3], parts[4], parts[5]})};
}

Pose moved(const Pose& nominal, const Pose& offset) { return checked_pose(nominal * offset, "drawn pose"); }

Trajectory moved(const Trajectory& nominal, const Pose& offset) {
  if (nominal.is_fixed()) return moved(nominal.keys().front().pose, offset);
  std::vector<StampedPose> keys = nominal.keys();
  for (StampedPose& key : keys) key.pose = moved(key.pose, offset);
  return Trajectory(std::move(keys), nominal.loops());
}

}  // namespace fathom

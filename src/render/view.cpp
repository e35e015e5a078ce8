// SPDX-License-Identifier: MIT
#include "render/view.hpp"

namespace fathom {

Rigid narrow(const Pose& pose, const Vec3& origin) {
  const Vec3 x = rotate(pose.rotation, {1, 0, 0}), y = rotate(pose.rotation, {0, 1, 0}),
             z = rotate(pose.rotation, {0, 0, 1}), t = pose.translation_m - origin;
  const auto f = [](double v) { return static_cast<float>(v); };
  return {{f(x.x), f(y.x), f(z.x), f(x.y), f(y.y), f(z.y), f(x.z), f(y.z), f(z.z)}, {f(t.x), f(t.y), f(t.z)}};
}

namespace {

CameraOffset turned(const Rigid& cast_from_sensor, const Vec3& at) {
  const float* r = cast_from_sensor.r;
  const auto x = static_cast<float>(at.x), y = static_cast<float>(at.y), z = static_cast<float>(at.z);
  return {r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z};
}

}  // namespace

RigView view_rig(const SensorView& view, const Rigid& cast_from_sensor) {
  RigView rig;
  rig.optics = view.optics;
  rig.apart = view.optics.baseline_m > 0.0F;
  if (!rig.apart) return rig;
  rig.left = turned(cast_from_sensor, view.cameras.left_m);
  rig.right = turned(cast_from_sensor, view.cameras.right_m);
  return rig;
}

}  // namespace fathom

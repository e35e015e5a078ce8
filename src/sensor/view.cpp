#include "sensor/view.hpp"

#include <cmath>

#include "sensor/chain.hpp"

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

RigView view_rig(const SensorModel& model, const Rigid& cast_from_sensor) {
  RigView view;
  view.optics = optics_of(model);
  view.apart = view.optics.baseline_m > 0.0F;
  if (!view.apart) return view;
  const StereoRig rig = stereo_rig(std::get<StereoCamera>(model));
  view.left = turned(cast_from_sensor, rig.left_m);
  view.right = turned(cast_from_sensor, rig.right_m);
  return view;
}

Quaternion aligned(const SensorModel& model, const Quaternion& q) {
  const auto* grid = std::get_if<GridScanner>(&model);
  if (grid == nullptr || grid->alignment == GridAlignment::kBase) return q;
  if (grid->alignment == GridAlignment::kWorld) return {};
  return from_roll_pitch_yaw(0, 0, std::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)));
}

}  // namespace fathom

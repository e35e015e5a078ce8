// SPDX-License-Identifier: MIT
// Stereo cameras: a depth camera whose surfaces two cameras must see.

#include <array>

#include "sensor/camera_fields.hpp"
#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr double kMaxCameraM = 100.0;

constexpr std::array<Field<StereoCamera>, 4> kRigFields = {{
    {"baseline_m", "m", &StereoCamera::baseline_m, 0, kMaxCameraM, "distance between the two cameras"},
    {"reference", "left|center|right", choice<&StereoCamera::reference>, 0, 2,
     "where emitter and image stand, with baseline_m: at one camera or between them"},
    {"left_camera", "m", &StereoCamera::left_camera, -kMaxCameraM, kMaxCameraM,
     "pose of the left camera in the sensor frame, instead of baseline_m"},
    {"right_camera", "m", &StereoCamera::right_camera, -kMaxCameraM, kMaxCameraM,
     "pose of the right camera in the sensor frame, instead of baseline_m"},
}};

constexpr std::array<Field<StereoCamera>, 15> all_stereo_fields() {
  std::array<Field<StereoCamera>, 15> fields = {};
  const auto camera = camera_fields<StereoCamera>();
  for (std::size_t i = 0; i < camera.size(); ++i) fields[i] = camera[i];
  for (std::size_t i = 0; i < kRigFields.size(); ++i) fields[camera.size() + i] = kRigFields[i];
  return fields;
}
constexpr std::array<Field<StereoCamera>, 15> kStereoFields = all_stereo_fields();

}  // namespace

std::span<const Field<StereoCamera>> StereoCamera::fields() { return kStereoFields; }

void StereoCamera::check() const {
  check_camera(kSlug, *this);
  static_cast<void>(stereo_rig(*this));
}

StereoRig stereo_rig(const StereoCamera& c) {
  const bool left_placed = c.left_camera.has_value(), right_placed = c.right_camera.has_value();
  if ((left_placed || right_placed) && c.baseline_m != 0.0) {
    throw InputError("stereo_camera has both baseline_m and poses of its cameras; one is enough");
  }
  if (left_placed != right_placed) {
    throw InputError(fmt::format("stereo_camera has {0}_camera but not {1}_camera; both are needed",
                                 left_placed ? "left" : "right", left_placed ? "right" : "left"));
  }
  if (left_placed && c.reference != CameraReference::kCenter) {
    throw InputError(
        fmt::format("stereo_camera.reference = {} stands beside poses of the cameras, which say where they are; "
                    "leave it out, or at center",
                    kChoiceWords<CameraReference>[static_cast<std::size_t>(c.reference)]));
  }
  if (left_placed) return {c.left_camera->translation_m, c.right_camera->translation_m};
  // Left of the image is +y of the sensor frame.
  const double left = c.reference == CameraReference::kLeft     ? 0.0
                      : c.reference == CameraReference::kCenter ? c.baseline_m / 2
                                                                : c.baseline_m;
  return {{0, left, 0}, {0, left - c.baseline_m, 0}};
}

void describe(const StereoCamera& camera, SensorView& view) {
  constexpr double kSameM = 1e-6;
  describe(static_cast<const DepthCamera&>(camera), view);
  view.cameras = stereo_rig(camera);
  const double baseline_m = norm(view.cameras.right_m - view.cameras.left_m);
  view.optics.baseline_m = static_cast<float>(baseline_m);
  view.left_is_reference =
      norm(view.cameras.left_m) <= kSameM && norm(view.cameras.right_m - Vec3{0, -baseline_m, 0}) <= kSameM;
}

std::string with_two_cameras() {
  return fmt::format("a {} with baseline_m above 0, or with poses of both", StereoCamera::kSlug);
}

}  // namespace fathom

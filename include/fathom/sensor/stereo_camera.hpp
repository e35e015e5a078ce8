// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/base/geometry.hpp>
#include <fathom/sensor/depth_camera.hpp>

namespace fathom {

/// Where the sensor's origin, and with it the emitter and the image, stands on the line of the two cameras.
enum class CameraReference : std::uint8_t { kLeft, kCenter, kRight };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<CameraReference> = {"left", "center", "right"};

/// A depth camera with a left and a right camera, baseline_m apart along the image's x axis (the sensor's -y axis), or
/// at poses of their own (sensor_from_camera). The emitter stands at the sensor's origin: its pose is the sensor's. The
/// models ask what lies between a point and a camera, so they use its position alone; its rotation is kept
/// for programs that read it.
struct StereoCamera : DepthCamera {
  double baseline_m = 0.0;
  CameraReference reference = CameraReference::kCenter;
  std::optional<Pose> left_camera, right_camera;  ///< both or none; instead of baseline_m and reference

  static constexpr std::string_view kSlug = "stereo_camera";
  static constexpr std::string_view kDoc = "Depth camera that needs the view of a left and a right camera.";
  FATHOM_API static std::span<const Field<StereoCamera>> fields();
  FATHOM_API void check() const;
};

}  // namespace fathom

#pragma once
// Depth cameras, stereo cameras and grids of parallel rays. See sensor.hpp for the frames and for what is in each kind.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fathom/export.hpp>
#include <fathom/field.hpp>
#include <fathom/geometry.hpp>
#include <fathom/noise/surface.hpp>

namespace fathom {

/// Depth camera: a pinhole camera whose emitter stands at its centre; [height, width] rays as PinholeCamera. The focal
/// length is given in one of three ways: fx (and fy; 0: square pixels), horizontal_fov_rad (square pixels), or
/// focal_length_mm with horizontal_aperture_mm (and vertical_aperture_mm; 0: square pixels).
struct DepthCamera {
  std::uint32_t width = 0, height = 0;
  double fx = 0.0, fy = 0.0;                                ///< px
  std::optional<std::array<double, 2>> principal_point_px;  ///< [cx, cy], from the centre of the first pixel; none: the middle
  double horizontal_fov_rad = 0.0;                          ///< between the outer edges of the first and the last column
  double focal_length_mm = 0.0, horizontal_aperture_mm = 0.0, vertical_aperture_mm = 0.0;
  double min_range_m = 0.0, max_range_m = 10.0;  ///< along the ray

  static constexpr std::string_view kSlug = "depth_camera";
  static constexpr std::string_view kDoc =
      "Depth camera: range and depth through each pixel, by any kind of intrinsics.";
  FATHOM_API static std::span<const Field<DepthCamera>> fields();
  FATHOM_API void check() const;
};

/// Where the sensor's origin, and with it the emitter and the image, stands on the line of the two cameras.
enum class CameraReference : std::uint8_t { kLeft, kCenter, kRight };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<CameraReference> = {"left", "center", "right"};

/// A depth camera with a left and a right camera, baseline_m apart along the image's x axis (the sensor's -y axis), or
/// at poses of their own (sensor_from_camera). The emitter stands at the sensor's origin: its pose is the sensor's. The
/// models ask what lies between a point and a camera, so of its pose they use the position; how it is turned is kept
/// for those who read it.
struct StereoCamera : DepthCamera {
  double baseline_m = 0.0;
  CameraReference reference = CameraReference::kCenter;
  std::optional<Pose> left_camera, right_camera;  ///< both or none; instead of baseline_m and reference

  static constexpr std::string_view kSlug = "stereo_camera";
  static constexpr std::string_view kDoc = "Depth camera that needs the view of a left and a right camera.";
  FATHOM_API static std::span<const Field<StereoCamera>> fields();
  FATHOM_API void check() const;
};

/// What the axes of a grid follow.
enum class GridAlignment : std::uint8_t { kBase, kYaw, kWorld };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<GridAlignment> = {"base", "yaw", "world"};

/// Height scanner as legged robots use it: parallel rays downwards (-z) from a grid around the sensor, [points along y,
/// points along x], both from - to +. An axis has floor(size / resolution) + 1 points, resolution apart, its middle at
/// the sensor; a size within 1e-6 of a multiple of the resolution counts as that multiple.
/// Its frame has the sensor's position, and axes that turn with it (base), only about the vertical (yaw), or not at all
/// (world).
struct GridScanner {
  double size_x_m = 0.0, size_y_m = 0.0;
  double resolution_m = 0.1;
  double start_height_m = 0.0;  ///< of the rays' origins above the sensor
  GridAlignment alignment = GridAlignment::kYaw;
  double min_range_m = 0.0, max_range_m = 100.0;

  static constexpr std::string_view kSlug = "grid_scanner";
  static constexpr std::string_view kDoc = "Parallel rays downwards from a grid: the height scan of legged robots.";
  FATHOM_API static std::span<const Field<GridScanner>> fields();
  FATHOM_API void check() const;
};

/// Points along x and y of a grid; what everything that counts them uses.
struct GridShape {
  std::uint32_t points_x = 0, points_y = 0;
};
FATHOM_API GridShape grid_shape(const GridScanner& grid);

/// Focal length and principal point in pixels. Throws InputError unless the focal length is given in exactly one way
/// and comes out, in both directions, at 1e-3 to 1e7 px.
struct Intrinsics {
  double fx, fy, cx, cy;
};
FATHOM_API Intrinsics intrinsics(const DepthCamera& camera);

/// Where the cameras of a stereo camera stand, in the sensor frame.
struct StereoRig {
  Vec3 left_m, right_m;
};
/// Throws InputError for both a baseline and poses, for a reference other than kCenter beside poses, or for one pose
/// without the other.
FATHOM_API StereoRig stereo_rig(const StereoCamera& camera);

}  // namespace fathom

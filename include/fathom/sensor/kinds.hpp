// SPDX-License-Identifier: MIT
#pragma once
// The kinds of sensor, and a sensor of any kind. Each kind turns into a RayPattern (make_pattern), so that casting,
// noise and output are the same for all. The sensor frame is x forward, y left, z up; azimuth is atan2(y, x), growing
// to the left, and elevation the angle above the x-y plane.

#include <array>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

/// Rotating lidar: [rings, columns]. Row 0 is the highest ring, whatever the order in which rings are listed; the lists
/// below are in the manufacturer's order. Columns follow each other in time. With `clockwise` (seen from above, as
/// Velodyne and Ouster turn) a range image reads from left to right like a camera's, and the default start puts
/// straight ahead in its middle.
///
///   step = span / columns                       (half open: the last column stops one step short of the end)
///   azimuth(ring, c) = start -+ c step -+ 2 pi rate firing_time(ring) + azimuth_offset(ring)
///   time(ring, c)    = c step / (2 pi rate) + firing_time(ring)
///   origin(ring, c)  = beam_origin e(azimuth(ring, c) - azimuth_offset(ring)) + vertical_offset(ring) z
///
/// with - for clockwise, e(a) = (cos a, sin a, 0): the head turns at a steady rate, also while one column fires.
struct SpinningLidar {
  std::vector<double> elevation_rad;       ///< per ring
  std::vector<double> azimuth_offset_rad;  ///< per ring, counter-clockwise; empty: 0
  std::vector<double> firing_time_s;       ///< per ring, after the start of its column; empty: all at once
  std::vector<double> vertical_offset_m;   ///< per ring, height of its ray origin; empty: 0
  double beam_origin_m = 0.0;              ///< distance of the ray origins from the axis
  std::vector<std::uint16_t> ring;         ///< its number; empty: counted from the lowest ring, as Velodyne's driver
  std::uint32_t columns = 0;
  double start_azimuth_rad = std::numbers::pi;
  double span_rad = 2 * std::numbers::pi;  ///< (0, 2 pi]
  double rate_hz = 10.0;                   ///< revolutions per second
  bool clockwise = true;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "spinning_lidar";
  static constexpr std::string_view kDoc = "Rotating lidar with one or more rings, each at its own elevation.";
  FATHOM_API static std::span<const Field<SpinningLidar>> fields();
  FATHOM_API void check() const;
  /// Shift of each row to the right, [rings] from the top, in columns, after which a column of the image looks in one
  /// direction: azimuth offsets and firing times in whole columns. See write_range_image.
  [[nodiscard]] FATHOM_API std::vector<std::int32_t> destagger_shifts() const;
};

/// `count` elevations, evenly spaced from the first to the last, both included.
FATHOM_API std::vector<double> even_elevations(std::uint32_t count, double first_rad, double last_rad);

/// Planar scanner: one row, `rays` rays from min_azimuth to max_azimuth, both included, in the order of increasing
/// azimuth (as ROS' LaserScan). Its mirror turns once per scan, so rays are (max - min) / (rays - 1) / (2 pi rate)
/// apart in time; `clockwise` ones fire from the last to the first.
struct Laser2d {
  std::uint32_t rays = 0;
  double min_azimuth_rad = 0.0;
  double max_azimuth_rad = 0.0;
  double rate_hz = 10.0;  ///< scans per second
  bool clockwise = false;
  double min_range_m = 0.0;
  double max_range_m = 30.0;

  static constexpr std::string_view kSlug = "laser_2d";
  static constexpr std::string_view kDoc = "Planar laser scanner.";
  FATHOM_API static std::span<const Field<Laser2d>> fields();
  FATHOM_API void check() const;
};

/// Pinhole camera: [height, width] rays, pixel (u, v) through ((u - cx) / fx, (v - cy) / fy) with u right, v down and
/// pixel centres at whole numbers. Ranges are along the ray. The optical axis is the sensor's x axis. All pixels are
/// seen at the start of the frame.
struct PinholeCamera {
  double fx = 0.0, fy = 0.0, cx = 0.0, cy = 0.0;  ///< px
  std::uint32_t width = 0, height = 0;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "pinhole_camera";
  static constexpr std::string_view kDoc = "Range camera: one ray through each pixel of a pinhole camera.";
  FATHOM_API static std::span<const Field<PinholeCamera>> fields();
  FATHOM_API void check() const;
  /// A camera with square pixels whose image spans `horizontal_fov_rad` (0, pi) from the left edge of its first to the
  /// right edge of its last pixel, the principal point in the middle.
  FATHOM_API static PinholeCamera from_fov(std::uint32_t width, std::uint32_t height, double horizontal_fov_rad);
};

/// Non-repetitive two-prism scanner (Livox-like), one row of `points`. Each prism deflects the ray by a quarter of the
/// field of view, and turns:
///
///   a(t) = field_of_view / 4 (e(prism1 t) + e(prism2 t)),   e(n) = (cos, sin)(2 pi n) in the sensor's (y, z)
///
/// The ray leaves at the angle |a| from the x axis, towards a: a rosette that fills the cone when the two rates have no
/// small common period. Frame k starts where frame k - 1 ended: t = (k points + i) / points_per_s.
struct Rosette {
  std::uint32_t points = 0;                 ///< per frame
  double field_of_view_rad = 0.0;           ///< full cone angle, (0, pi)
  double prism1_hz = 0.0, prism2_hz = 0.0;  ///< rotation rates, signed, counter-clockwise seen from in front
  double points_per_s = 0.0;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "rosette";
  static constexpr std::string_view kDoc = "Two-prism scanner whose pattern does not repeat from frame to frame.";
  FATHOM_API static std::span<const Field<Rosette>> fields();
  FATHOM_API void check() const;
};

/// Depth camera: a pinhole camera whose emitter stands at its centre; [height, width] rays as PinholeCamera. The focal
/// length is given in one of three ways: fx (and fy; 0: square pixels), horizontal_fov_rad (square pixels), or
/// focal_length_mm with horizontal_aperture_mm (and vertical_aperture_mm; 0: square pixels).
struct DepthCamera {
  std::uint32_t width = 0, height = 0;
  double fx = 0.0, fy = 0.0;  ///< px
  /// [cx, cy], from the centre of the first pixel; empty: the middle
  std::optional<std::array<double, 2>> principal_point_px;
  double horizontal_fov_rad = 0.0;  ///< between the outer edges of the first and the last column
  double focal_length_mm = 0.0, horizontal_aperture_mm = 0.0, vertical_aperture_mm = 0.0;
  double min_range_m = 0.0, max_range_m = 10.0;  ///< along the ray

  static constexpr std::string_view kSlug = "depth_camera";
  static constexpr std::string_view kDoc =
      "Depth camera: range and depth through each pixel, by any kind of intrinsics.";
  FATHOM_API static std::span<const Field<DepthCamera>> fields();
  FATHOM_API void check() const;
};

/// Focal length and principal point in pixels. Throws InputError unless the focal length is given in exactly one way
/// and lies, in both directions, between 1e-3 and 1e7 px.
struct Intrinsics {
  double fx, fy, cx, cy;
};
FATHOM_API Intrinsics intrinsics(const DepthCamera& camera);

/// The place of the sensor's origin, which is that of emitter and image, on the line of the two cameras.
enum class CameraReference : std::uint8_t { kLeft, kCenter, kRight };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<CameraReference> = {"left", "center", "right"};

/// A depth camera with a left and a right camera, baseline_m apart along the image's x axis (the sensor's -y axis), or
/// at their own poses (sensor_from_camera). The emitter has the sensor's pose. Noise models use only the positions of
/// the cameras, for the lines of sight; their rotations are kept for programs that read them.
struct StereoCamera : DepthCamera {
  double baseline_m = 0.0;
  CameraReference reference = CameraReference::kCenter;
  std::optional<Pose> left_camera, right_camera;  ///< both or neither; instead of baseline_m and reference

  static constexpr std::string_view kSlug = "stereo_camera";
  static constexpr std::string_view kDoc = "Depth camera that needs the view of a left and a right camera.";
  FATHOM_API static std::span<const Field<StereoCamera>> fields();
  FATHOM_API void check() const;
};

/// Time-of-flight camera: a depth camera whose pixels mix the light of all surfaces that they see, so that a pixel on
/// an edge shows a range between them. A pixel is a ray that widens (sensor/returns.hpp) to the mean angle of a pixel
/// times footprint_px, with uniform weights and one echo: the mean range, weighted by the returned amplitude
/// reflectivity law(incidence) / range^2. Intensities fall with the square of the range from min_range_m on. The
/// sensor's own divergence and falloff replace these.
///
/// Not modelled: phases that wrap, light that takes detours, lens distortion.
struct TofCamera : DepthCamera {
  double footprint_px = 1.0;

  static constexpr std::string_view kSlug = "tof_camera";
  static constexpr std::string_view kDoc = "Time-of-flight camera: a depth camera whose pixels mix ranges at edges.";
  FATHOM_API static std::span<const Field<TofCamera>> fields();
  FATHOM_API void check() const;
};

/// The frame that the axes of a grid follow.
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

/// Any kind of sensor.
using SensorModel = std::variant<SpinningLidar, Laser2d, PinholeCamera, Rosette, RayPattern, DepthCamera, StereoCamera,
                                 TofCamera, GridScanner>;

/// The intrinsics of a camera of any kind; empty for other sensors.
FATHOM_API std::optional<Intrinsics> lens_of(const SensorModel& model);

/// Most rays that one frame of a sensor may have.
inline constexpr std::uint64_t kMaxRays = std::uint64_t{1} << 28U;

/// The rays of frame `frame` (only a Rosette and a table with rays_per_frame depend on it). Throws InputError, before
/// it allocates, for a parameter outside its limits, lists of unequal length, min_range >= max_range, more than
/// kMaxRays rays, or rays that would not fit in this computer's memory. Angles are computed in double precision and
/// stored as float unit vectors; they come from the C library's sin and cos, so two platforms may differ in the last
/// bit of a direction.
FATHOM_API RayPattern make_pattern(const SensorModel& model, std::uint32_t frame = 0);

/// Rows and columns of make_pattern() for any frame; makes no rays. Throws InputError as make_pattern() does.
FATHOM_API RayPattern::Shape pattern_shape(const SensorModel& model);

/// How a return that noise carried outside [min_range, max_range] is treated.
enum class RangePolicy : std::uint8_t { kKeep, kClamp, kDrop };
inline constexpr std::array<std::string_view, 3> kRangePolicyNames = {"keep", "clamp", "drop"};
constexpr std::string_view to_string(RangePolicy policy) { return kRangePolicyNames[static_cast<std::size_t>(policy)]; }

// The parameters of each kind by name, for files, the command line and the reference page. All of it comes from the
// tables of the kinds (field.hpp).

struct SensorKindInfo {
  std::string_view slug;  ///< "spinning_lidar", "laser_2d", ...
  std::string_view doc;
  std::vector<FieldInfo> fields;
  bool rays_from_file = false;  ///< scene files name a file of rays, and the fields complete it
};

/// All kinds, in the order of SensorModel's alternatives.
FATHOM_API const std::vector<SensorKindInfo>& sensor_kinds();

/// The slug of a model's kind.
FATHOM_API std::string_view sensor_kind(const SensorModel& model);

/// A model of that kind with its defaults. Required fields remain to be set. Throws InputError for an unknown kind,
/// naming the nearest.
FATHOM_API SensorModel make_sensor_model(std::string_view kind);

/// Sets one parameter. Throws InputError for an unknown field (naming the nearest), a value outside its limits, a
/// fraction where a whole number is needed, or a list where a number is needed. make_pattern checks the rules that
/// concern several fields (lengths of lists, min < max).
FATHOM_API void set_sensor_field(SensorModel& model, std::string_view field, std::span<const double> values);

/// The values of a parameter: one, or as many as its list holds. Throws InputError for an unknown field.
FATHOM_API std::vector<double> get_sensor_field(const SensorModel& model, std::string_view field);

}  // namespace fathom

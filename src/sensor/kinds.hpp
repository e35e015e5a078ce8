#pragma once
// The kinds of sensor. Each has a field table, and functions by which it answers for itself: check(), write_rays(),
// describe() and usual_policy(). One file per kind; sensor_view.cpp calls them.

#include <concepts>
#include <span>
#include <string_view>

#include <fathom/sensor.hpp>

#include "sensor/field_table.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

template <>
struct KindTable<SpinningLidar> {
  static constexpr std::string_view kSlug = "spinning_lidar";
  static constexpr std::string_view kDoc = "Rotating lidar with one or more rings, each at its own elevation.";
  static std::span<const FieldRow<SpinningLidar>> rows();
};

template <>
struct KindTable<Laser2d> {
  static constexpr std::string_view kSlug = "laser_2d";
  static constexpr std::string_view kDoc = "Planar laser scanner.";
  static std::span<const FieldRow<Laser2d>> rows();
};

template <>
struct KindTable<PinholeCamera> {
  static constexpr std::string_view kSlug = "pinhole_camera";
  static constexpr std::string_view kDoc = "Range camera: one ray through each pixel of a pinhole camera.";
  static std::span<const FieldRow<PinholeCamera>> rows();
};

template <>
struct KindTable<Rosette> {
  static constexpr std::string_view kSlug = "rosette";
  static constexpr std::string_view kDoc = "Two-prism scanner whose pattern does not repeat from frame to frame.";
  static std::span<const FieldRow<Rosette>> rows();
};

template <>
struct KindTable<RayPattern> {
  static constexpr std::string_view kSlug = "ray_table";
  static constexpr std::string_view kDoc = "Rays given one by one, usually read from a file.";
  static std::span<const FieldRow<RayPattern>> rows();
};

template <>
struct KindTable<DepthCamera> {
  static constexpr std::string_view kSlug = "depth_camera";
  static constexpr std::string_view kDoc =
      "Depth camera: range and depth through each pixel, by any kind of intrinsics.";
  static std::span<const FieldRow<DepthCamera>> rows();
};

template <>
struct KindTable<StereoCamera> {
  static constexpr std::string_view kSlug = "stereo_camera";
  static constexpr std::string_view kDoc = "Depth camera that needs the view of a left and a right camera.";
  static std::span<const FieldRow<StereoCamera>> rows();
};

template <>
struct KindTable<GridScanner> {
  static constexpr std::string_view kSlug = "grid_scanner";
  static constexpr std::string_view kDoc = "Parallel rays downwards from a grid: the height scan of legged robots.";
  static std::span<const FieldRow<GridScanner>> rows();
};

/// Ranges are told apart from slipped units, not judged.
inline constexpr double kMaxRangeM = 1e6;
/// Full, half and quarter turn, as the next larger float: 360 degrees in radians never falls outside by rounding.
inline constexpr double kTurnRad = 6.2831855F;
inline constexpr double kHalfTurnRad = 3.1415927F;
inline constexpr double kQuarterTurnRad = 1.57079637F;

/// Throws InputError when parameters that are each within their limits do not fit together.
void check(const SpinningLidar& lidar);
void check(const Laser2d& laser);
void check(const PinholeCamera& camera);
void check(const Rosette& rosette);
void check(const DepthCamera& camera);
void check(const StereoCamera& camera);
void check(const GridScanner& grid);
/// min_range_m < max_range_m, with the message of all kinds.
void check_range_limits(std::string_view kind, double min_range_m, double max_range_m);

/// Writes the rays of frame `frame` of a checked model. Arrays of `out` are reused: once they have their size, nothing
/// is allocated.
void write_rays(const SpinningLidar& lidar, std::uint32_t frame, RayPattern& out);
void write_rays(const Laser2d& laser, std::uint32_t frame, RayPattern& out);
void write_rays(const PinholeCamera& camera, std::uint32_t frame, RayPattern& out);
void write_rays(const Rosette& rosette, std::uint32_t frame, RayPattern& out);
void write_rays(const DepthCamera& camera, std::uint32_t frame, RayPattern& out);
void write_rays(const GridScanner& grid, std::uint32_t frame, RayPattern& out);
inline void write_rays(const RayPattern& rays, std::uint32_t /*frame*/, RayPattern& out) { out = rays; }

/// Sets what is not as usual in the view of a checked model.
void describe(const SpinningLidar& lidar, SensorView& view);
inline void describe(const Laser2d& /*laser*/, SensorView& /*view*/) {}
void describe(const PinholeCamera& camera, SensorView& view);
void describe(const Rosette& rosette, SensorView& view);
void describe(const RayPattern& rays, SensorView& view);
void describe(const DepthCamera& camera, SensorView& view);
void describe(const StereoCamera& camera, SensorView& view);
void describe(const GridScanner& grid, SensorView& view);

/// What becomes of returns outside the limits of a kind, whatever its parameters: of a depth camera they are lost.
template <class Kind>
constexpr RangePolicy usual_policy(const Kind& /*kind*/) {
  return std::derived_from<Kind, DepthCamera> ? RangePolicy::kDrop : RangePolicy::kKeep;
}

/// Gives the arrays of directions their size, the range limits their one value, and empties everything optional.
void start_pattern(RayPattern& out, std::uint32_t rows, std::uint32_t cols, double min_range_m, double max_range_m);
/// Stores the direction of ray `i`.
void set_direction(RayPattern& out, std::size_t i, double x, double y, double z);

}  // namespace fathom

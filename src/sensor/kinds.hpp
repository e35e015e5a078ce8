// SPDX-License-Identifier: MIT
#pragma once
// The functions of each kind of sensor, besides the table of its parameters: check(), write_rays(), describe(),
// shape_of(), rings(), shifts(), usual_policy() and farthest_range_m(). kinds.cpp calls them for a SensorModel.

#include <concepts>
#include <cstdint>
#include <numbers>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/sensor/kinds.hpp>

#include "core/text.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

/// A limit against wrong units, not against long ranges.
inline constexpr double kMaxRangeM = 1e6;
/// Limits of the cameras' images and optics.
inline constexpr double kMostImageSide = 65536;
inline constexpr double kLeastFocalPx = 1e-3, kMostFocalPx = 1e7, kMostCenterPx = 1e6;
inline constexpr double kMostFieldOfViewRad = 3.14;
/// Full, half and quarter turn, as the next larger float: 360 degrees in radians never falls outside by rounding.
inline constexpr double kTurnRad = 2.0F * std::numbers::pi_v<float>;
inline constexpr double kHalfTurnRad = std::numbers::pi_v<float>;
inline constexpr double kQuarterTurnRad = 0.5F * std::numbers::pi_v<float>;

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
void write_rays(const RayPattern& rays, std::uint32_t frame, RayPattern& out);

/// Sets the members of a checked model's view that differ from the defaults, except usual_policy and farthest_m. Makes
/// no rays.
void describe(const SpinningLidar& lidar, SensorView& view);
void describe(const Laser2d& laser, SensorView& view);
void describe(const PinholeCamera& camera, SensorView& view);
void describe(const Rosette& rosette, SensorView& view);
void describe(const RayPattern& rays, SensorView& view);
void describe(const DepthCamera& camera, SensorView& view);
void describe(const StereoCamera& camera, SensorView& view);
void describe(const TofCamera& camera, SensorView& view);
void describe(const GridScanner& grid, SensorView& view);

/// Rows and columns of a checked model's rays.
inline RayPattern::Shape shape_of(const Laser2d& laser) { return {1, laser.rays}; }
inline RayPattern::Shape shape_of(const PinholeCamera& camera) { return {camera.height, camera.width}; }
inline RayPattern::Shape shape_of(const Rosette& rosette) { return {1, rosette.points}; }
inline RayPattern::Shape shape_of(const RayPattern& rays) {
  return {rays.rows, rays.rays_per_frame > 0 ? rays.rays_per_frame : rays.cols};
}
inline RayPattern::Shape shape_of(const DepthCamera& camera) { return {camera.height, camera.width}; }
RayPattern::Shape shape_of(const SpinningLidar& lidar);
RayPattern::Shape shape_of(const GridScanner& grid);

/// The rings of a checked model's rays: its rows, counted from 0, unless it numbers rings itself.
std::set<std::uint32_t> count_rings(std::uint32_t rows);
std::set<std::uint32_t> rings(const SpinningLidar& lidar);
std::set<std::uint32_t> rings(const RayPattern& rays);
template <class Kind>
std::set<std::uint32_t> rings(const Kind& kind) {
  return count_rings(shape_of(kind).rows);
}

/// See column_shifts(). Only a lidar that makes a full turn has staggered rows.
std::vector<std::int32_t> shifts(const SpinningLidar& lidar);
template <class Kind>
std::vector<std::int32_t> shifts(const Kind& /*kind*/) {
  return {};
}

/// A depth camera loses returns outside its limits; other kinds keep them.
template <class Kind>
constexpr RangePolicy usual_policy(const Kind& /*kind*/) {
  return std::derived_from<Kind, DepthCamera> ? RangePolicy::kDrop : RangePolicy::kKeep;
}

/// The farthest range that any ray measures; a table may have a limit for each ray.
template <class Kind>
constexpr double farthest_range_m(const Kind& kind) {
  return kind.max_range_m;
}
double farthest_range_m(const RayPattern& rays);

/// Gives the arrays of directions their size, the range limits their one value, and empties everything optional.
void start_pattern(RayPattern& out, const RayPattern::Shape& shape, double min_range_m, double max_range_m);
/// Stores the direction of ray `i`.
void set_direction(RayPattern& out, std::size_t i, double x, double y, double z);

/// Estimated memory per ray: 30 bytes of pattern (direction, origin, time, ring) and about as much for a frame with a
/// cloud, range and reason.
inline constexpr std::uint64_t kBytesPerRay = 64;

/// Physical memory of this computer, in bytes. Not the free memory: other programs must not decide whether a scene is
/// accepted.
std::uint64_t physical_memory_bytes();

/// "about 1.5 GiB and this computer has 1.0 GiB": the memory that rays need, for messages.
std::string memory_text(std::uint64_t rays, std::uint64_t memory_bytes);

/// Throws InputError when rows x cols is 0, above kMaxRays, or needs more than `memory_bytes`. `kind` and the two names
/// begin the message.
void check_ray_count(std::string_view kind, std::string_view rows_name, std::uint64_t rows, std::string_view cols_name,
                     std::uint64_t cols, std::uint64_t memory_bytes = physical_memory_bytes());

}  // namespace fathom

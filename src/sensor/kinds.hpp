// SPDX-License-Identifier: MIT
#pragma once
// The kinds of sensor. Each has a table of its parameters, and functions by which it answers for itself: check(),
// write_rays(), describe(), shape_of(), rings(), shifts(), usual_policy() and farthest_range_m(). One file per kind;
// sensor_view.cpp calls them.

#include <concepts>
#include <cstdint>
#include <numbers>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/sensor/model.hpp>

#include "base/text.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

/// The limit stops slipped units; it does not judge ranges.
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
inline void write_rays(const RayPattern& rays, std::uint32_t /*frame*/, RayPattern& out) { out = rays; }

/// Sets what differs from the defaults in the view of a checked model, all but usual_policy and farthest_m. Makes no
/// rays.
void describe(const SpinningLidar& lidar, SensorView& view);
void describe(const Laser2d& laser, SensorView& view);
void describe(const PinholeCamera& camera, SensorView& view);
void describe(const Rosette& rosette, SensorView& view);
void describe(const RayPattern& rays, SensorView& view);
void describe(const DepthCamera& camera, SensorView& view);
void describe(const StereoCamera& camera, SensorView& view);
void describe(const GridScanner& grid, SensorView& view);

/// Rows and columns of a checked model's rays.
inline PatternShape shape_of(const Laser2d& laser) { return {1, laser.rays}; }
inline PatternShape shape_of(const PinholeCamera& camera) { return {camera.height, camera.width}; }
inline PatternShape shape_of(const Rosette& rosette) { return {1, rosette.points}; }
inline PatternShape shape_of(const RayPattern& rays) { return {rays.rows, rays.cols}; }
inline PatternShape shape_of(const DepthCamera& camera) { return {camera.height, camera.width}; }
PatternShape shape_of(const SpinningLidar& lidar);
PatternShape shape_of(const GridScanner& grid);

/// The rings of a checked model's rays: its rows, counted from 0, unless it numbers rings itself.
std::set<std::uint32_t> count_rings(std::uint32_t rows);
std::set<std::uint32_t> rings(const SpinningLidar& lidar);
std::set<std::uint32_t> rings(const RayPattern& rays);
template <class Kind>
std::set<std::uint32_t> rings(const Kind& kind) {
  return count_rings(shape_of(kind).rows);
}

/// See column_shifts(). Only the rows of a lidar that turns once round are staggered.
std::vector<std::int32_t> shifts(const SpinningLidar& lidar);
template <class Kind>
std::vector<std::int32_t> shifts(const Kind& /*kind*/) {
  return {};
}

/// How a kind treats returns outside its limits, whatever its parameters: a depth camera loses them.
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
void start_pattern(RayPattern& out, const PatternShape& shape, double min_range_m, double max_range_m);
/// Stores the direction of ray `i`.
void set_direction(RayPattern& out, std::size_t i, double x, double y, double z);

}  // namespace fathom

#pragma once
// The kinds of sensor: each has a table of its parameters and a function that writes its rays. One file per kind.

#include <string_view>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/sensor.hpp>

#include "base/text.hpp"

namespace fathom {

/// Ranges are told apart from slipped units, not judged.
inline constexpr double kMaxRangeM = 1e6;
/// Full, half and quarter turn, as the next larger float: 360 degrees in radians never falls outside by rounding.
inline constexpr double kTurnRad = 6.2831855F;
inline constexpr double kHalfTurnRad = 3.1415927F;
inline constexpr double kQuarterTurnRad = 1.57079637F;

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

/// Gives the arrays of directions their size, the range limits their one value, and empties everything optional.
void start_pattern(RayPattern& out, std::uint32_t rows, std::uint32_t cols, double min_range_m, double max_range_m);
/// Stores the direction of ray `i`.
void set_direction(RayPattern& out, std::size_t i, double x, double y, double z);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// A sensor of any kind. Each kind turns into a RayPattern (make_pattern), so that everything after it, casting, noise,
// output, is the same for all. The sensor frame is x forward, y left, z up; azimuth is atan2(y, x), growing to the
// left, and elevation the angle above the x-y plane.

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include <fathom/base/export.hpp>
#include <fathom/sensor/grid_scanner.hpp>
#include <fathom/sensor/laser_2d.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/sensor/pinhole_camera.hpp>
#include <fathom/sensor/rosette.hpp>
#include <fathom/sensor/spinning_lidar.hpp>
#include <fathom/sensor/stereo_camera.hpp>

namespace fathom {

/// Any kind of sensor.
using SensorModel =
    std::variant<SpinningLidar, Laser2d, PinholeCamera, Rosette, RayPattern, DepthCamera, StereoCamera, GridScanner>;

/// Most rays that one frame of a sensor may have.
inline constexpr std::uint64_t kMaxRays = std::uint64_t{1} << 28U;

/// The rays of frame `frame` (only Rosette depends on it). Throws InputError, before it allocates, for a parameter
/// outside its limits, lists of unequal length, min_range >= max_range, more than kMaxRays rays, or rays that would not
/// fit in this computer's memory. Angles are computed in double precision and stored as float unit vectors; they come
/// from the C library's sin and cos, so two platforms may differ in the last bit of a direction.
FATHOM_API RayPattern make_pattern(const SensorModel& model, std::uint32_t frame = 0);

/// What make_pattern() gives its pattern for any frame; makes no rays. Throws InputError as make_pattern() does.
FATHOM_API PatternShape pattern_shape(const SensorModel& model);

/// How a return that noise carried outside [min_range, max_range] is treated.
enum class RangePolicy : std::uint8_t { kKeep, kClamp, kDrop };
inline constexpr std::array<std::string_view, 3> kRangePolicyNames = {"keep", "clamp", "drop"};
constexpr std::string_view to_string(RangePolicy policy) { return kRangePolicyNames[static_cast<std::size_t>(policy)]; }

}  // namespace fathom

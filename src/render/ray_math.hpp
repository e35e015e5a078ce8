// SPDX-License-Identifier: MIT
#pragma once
// The arithmetic of a frame for one ray, besides casts and noise. The loops over the lanes of a block (lanes.cpp,
// window_lanes.cpp) and the threads of a device share it.

#include <cstdint>

#include <fathom/core/f32.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/noise/detail/window.hpp>
#include <fathom/noise/model.hpp>

#include "sensor/returns.hpp"

namespace fathom {

inline constexpr float kNoNumber = __builtin_nanf("");
inline constexpr auto kHitLane = static_cast<std::uint32_t>(Reason::kHit);
inline constexpr auto kMissLane = static_cast<std::uint32_t>(Reason::kMiss);
inline constexpr auto kNearLane = static_cast<std::uint32_t>(Reason::kBelowMinRange);
inline constexpr auto kFarLane = static_cast<std::uint32_t>(Reason::kAboveMaxRange);
inline constexpr auto kLowPowerLane = static_cast<std::uint32_t>(Reason::kLowPower);

/// A rigid transform in single precision: rotation row-major, then translation.
struct Rigid {
  float r[9];
  float t[3];
};

struct Triple {
  float x, y, z;
};

FATHOM_KERNEL float turn(const Rigid& p, int row, float x, float y, float z) {
  return p.r[3 * row] * x + p.r[3 * row + 1] * y + p.r[3 * row + 2] * z;
}
FATHOM_KERNEL Triple turned(const Rigid& p, float x, float y, float z) {
  return {turn(p, 0, x, y, z), turn(p, 1, x, y, z), turn(p, 2, x, y, z)};
}
FATHOM_KERNEL Triple moved(const Rigid& p, float x, float y, float z) {
  return {turn(p, 0, x, y, z) + p.t[0], turn(p, 1, x, y, z) + p.t[1], turn(p, 2, x, y, z) + p.t[2]};
}

/// The velocity of a rigid frame: of its origin, m/s, and its rotation, rad/s.
struct RigidSpeed {
  float v[3];
  float w[3];
};

/// The speed along d of the origin of a ray, given in the frame of a sensor with this pose.
FATHOM_KERNEL float origin_speed(const RigidSpeed& s, const Rigid& pose, const Triple& origin, const Triple& d) {
  const Triple arm = turned(pose, origin.x, origin.y, origin.z);
  const float x = s.v[0] + (s.w[1] * arm.z - s.w[2] * arm.y), y = s.v[1] + (s.w[2] * arm.x - s.w[0] * arm.z),
              z = s.v[2] + (s.w[0] * arm.y - s.w[1] * arm.x);
  return x * d.x + y * d.y + z * d.z;
}

/// The reason of a ray of this range under the limits low and high.
FATHOM_KERNEL std::uint32_t gate(float range, float low, float high) {
  const std::uint32_t near_far = range < low ? kNearLane : range > high ? kFarLane : kHitLane;
  return range < math::kInfinity ? near_far : kMissLane;
}

/// The return at `range` along a ray from the sensor's origin.
FATHOM_KERNEL Return return_from_origin(float dx, float dy, float dz, float range) {
  return {dx * range, dy * range, dz * range, range, range};
}
/// The same along a ray with its own origin.
FATHOM_KERNEL Return return_along(const Ray& ray, float range) {
  const float x = ray.ox + ray.dx * range, y = ray.oy + ray.dy * range, z = ray.oz + ray.dz * range;
  return {x, y, z, range, math::sqrt(x * x + y * y + z * z)};
}

/// The end of a ray, no number on a miss. The choice comes last, because the bits of a sum with NaN differ between a
/// processor and a device.
FATHOM_KERNEL Triple end_of(const Ray& ray, float range) {
  const bool met = range < math::kInfinity;
  return {math::select(met, ray.ox + ray.dx * range, kNoNumber), math::select(met, ray.oy + ray.dy * range, kNoNumber),
          math::select(met, ray.oz + ray.dz * range, kNoNumber)};
}

/// Distance of that end to the image plane, +inf on a miss.
FATHOM_KERNEL float depth_of(float ox, float dx, float range) {
  return math::select(range < math::kInfinity, ox + dx * range, math::kInfinity);
}

/// A valid return whose range was not measured: at or below 0, or no number.
FATHOM_KERNEL bool is_unmeasurable(std::uint32_t reason, float range) { return (reason == kHitLane) & !(range > 0.0F); }

/// The return carried to `range`, along its line.
FATHOM_KERNEL Return clamp_to(const Return& in, float range) {
  Return out = move_radially(in, range - in.range_m);
  out.range_m = range;
  return out;
}

/// Azimuth and elevation of a direction.
struct RayAngles {
  float azimuth, elevation;
};
FATHOM_KERNEL RayAngles angles_of(float dx, float dy, float dz) {
  return {math::atan2(dy, dx), math::atan2(dz, math::sqrt(dx * dx + dy * dy))};
}

/// The angle of incidence and its cosine; n turned against the ray along d.
struct Incidence {
  float angle, cosine;
};
FATHOM_KERNEL Incidence incidence_of(const Triple& d, const Triple& n) {
  const float dot = d.x * n.x + d.y * n.y + d.z * n.z;
  // The length of the cross product keeps the angle accurate near 0, where an arc cosine would lose half its digits.
  const float cx = d.y * n.z - d.z * n.y, cy = d.z * n.x - d.x * n.z, cz = d.x * n.y - d.y * n.x;
  return {math::atan2(math::sqrt(cx * cx + cy * cy + cz * cz), -dot), -dot};
}

/// Four neighbouring rays of a row, which lie in four neighbouring lanes.
struct QuadTarget {
  std::uint32_t index;   ///< of its first ray in the frame's arrays
  std::uint32_t filled;  ///< number of its four rays that exist; the others are padding
};

/// A value for a frame: every NaN becomes kNoNumber. The NaN of an operation has other bits on a processor than on a
/// device.
FATHOM_KERNEL float shown(float x) {
  return math::select((math::bits_of(x) & 0x7fffffffU) <= 0x7f800000U, x, kNoNumber);
}

/// Disparity of a valid return at that depth; 0 without one. `fb`: focal length times baseline, px m.
FATHOM_KERNEL float disparity_of(bool valid, float depth_m, float fb) {
  const float d = fb / math::select(depth_m > 0.0F, depth_m, 1.0F);
  return math::select(valid & (depth_m > 0.0F) & has_range(d), d, 0.0F);
}

/// Range along a ray from the disparity; `dx`: x of its direction.
FATHOM_KERNEL float range_of_disparity(float disparity_px, float dx, float fb) { return fb / disparity_px / dx; }

/// The axes of a ray's cone in the sensor frame: across lies in the x-y plane, to the left.
struct ConeAxes {
  Triple across, up;
};
FATHOM_KERNEL ConeAxes cone_axes(const Triple& d) {
  const float square = d.x * d.x + d.y * d.y;
  const bool is_steep = !(square > 1e-12F);  // straight up or down, where any direction is across
  const float scale = 1.0F / math::sqrt(math::select(is_steep, 1.0F, square));
  const float ax = math::select(is_steep, 0.0F, -d.y * scale), ay = math::select(is_steep, 1.0F, d.x * scale);
  return {{ax, ay, 0.0F}, {-d.z * ay, d.z * ax, d.x * ay - d.y * ax}};
}

/// The direction of a sample of the ray along d.
FATHOM_KERNEL Triple sample_along(const ConeAxes& axes, const Triple& d, const SampleDirection& s) {
  return {axes.across.x * s.x + axes.up.x * s.y + d.x * s.z, axes.across.y * s.x + axes.up.y * s.y + d.y * s.z,
          axes.up.z * s.y + d.z * s.z};
}

/// A ray of a sensor in another frame. `place`: from the caster's coordinates.
FATHOM_KERNEL Ray placed_ray(const Rigid& place, const Rigid& cast_from_sensor, const Ray& ray) {
  const Triple o = moved(cast_from_sensor, ray.ox, ray.oy, ray.oz);
  const Triple d = turned(cast_from_sensor, ray.dx, ray.dy, ray.dz);
  const Triple at = moved(place, o.x, o.y, o.z), along = turned(place, d.x, d.y, d.z);
  return {at.x, at.y, at.z, along.x, along.y, along.z};
}

/// The random stream of a model for return k of each ray; return 0 has the stream of a sensor with one return.
FATHOM_KERNEL std::uint32_t stream_of_return(std::uint32_t stream, std::uint32_t k) {
  return stream ^ (k * 0x9e3779b9U);
}

}  // namespace fathom

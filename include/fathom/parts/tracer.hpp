// SPDX-License-Identifier: MIT
#pragma once
// Posed rays against instances, with everything a return can tell: place, distance, intensity, velocities, angles,
// several returns of a diverging ray. The formulas are those of Robotec GPU Lidar's raytrace node; see docs/rgl.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <fathom/base/export.hpp>
#include <fathom/parts/posed_rays.hpp>
#include <fathom/parts/ray_caster.hpp>
#include <fathom/sensor/returns.hpp>

namespace fathom {

/// Gives the rays of a block in the frame of the sensor: `tiles` and `wants_sides` are set.
class PosedRaySource {
 public:
  virtual ~PosedRaySource() = default;
  virtual void load(PosedRayBlock& block) const = 0;
};

/// Velocity of the sensor, of any size; applied for the times of PosedRays::time_offset_s.
struct SensorMotion {
  Vec3 linear_mps;     ///< in the sensor frame
  Vec3 angular_radps;  ///< about its axes
};

/// What is cast. Spans are [rays], or as stated.
struct PosedRays {
  const PosedRaySource& source;
  std::uint32_t count = 0;
  RayGrid grid = {};  ///< rays in tiles are cast faster; changes no result, but for CasterKind::kEmbree roundings
  std::span<const std::array<float, 2>> range_m = {};  ///< min and max: [rays], one for all, or empty: no limits
  std::span<const float> time_offset_s = {};           ///< empty: 0
  std::span<const std::int8_t> mask = {};              ///< 0: not cast, a miss; empty: all are cast
};

struct TraceSettings {
  Affine world_from_sensor;
  SensorMotion motion;
  bool distort = false;                 ///< cast each ray from where the moving sensor is at its time
  float near_miss_m = math::kInfinity;  ///< distance reported below the minimum range
  float far_miss_m = math::kInfinity;   ///< distance reported where nothing was met
  float divergence_h_rad = 0.0F;        ///< full angle about the y axis; both 0: rays do not diverge
  float divergence_v_rad = 0.0F;        ///< full angle about the x axis
  float default_intensity = 0.0F;       ///< of surfaces without texture
  bool intensity_falls_off = false;     ///< divide intensities by the square of the distance
  double step_s = 0.0;                  ///< time between previous_world_from_mesh and now; not > 0: velocities are NaN
  Isa isa = detect_isa();
  std::span<const ReturnChoice> returns;  ///< at least one; of a ray that does not diverge, all are the same
};

/// Arrays to fill, [rays, returns]; null: neither wanted nor computed. Points are interleaved, xyz xyz. Azimuth
/// and elevation are those of a ray whose frame came about by turning about z, x, y of a left-handed sensor frame with
/// y up and z forward (Unity's): azimuth = atan2(-m20, m22) of sensor_from_ray, 0 when |m21| >= 1; elevation =
/// asin(m12).
struct TraceArrays {
  float* xyz = nullptr;  ///< world, on the undistorted centre of the ray
  float* distance_m = nullptr;
  std::int32_t* is_hit = nullptr;
  std::int32_t* id = nullptr;  ///< of the instance; 0 on a miss
  float* intensity = nullptr;  ///< texture or default, times |cos| of incidence; see intensity_falls_off; 0 on a miss
  float* laser_retro = nullptr;
  float* azimuth_rad = nullptr;  ///< as stated above
  float* elevation_rad = nullptr;
  float* normal = nullptr;                 ///< world, by the order of corners, not turned; NaN on a miss
  float* incidence_rad = nullptr;          ///< [0, pi/2]; NaN on a miss
  float* absolute_velocity_mps = nullptr;  ///< world; NaN on a miss
  float* relative_velocity_mps = nullptr;  ///< sensor frame; NaN on a miss
  float* radial_speed_mps = nullptr;       ///< positive: receding; 0 on a miss
  Matrix34* world_from_ray = nullptr;      ///< undistorted: xyz lies on its z axis
};

/// Rays [begin, end).
struct RayStrip {
  std::uint32_t begin, end;
};

/// Casts rays strip by strip, so that the code that reads their returns finds them in the cache.
class FATHOM_API Tracer {
 public:
  /// Refers to its arguments, which must outlive it. Throws InputError when the sizes of arrays differ.
  Tracer(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings, const TraceArrays& out);
  ~Tracer();
  Tracer(Tracer&&) noexcept;
  Tracer& operator=(Tracer&&) noexcept;

  [[nodiscard]] std::size_t strips() const;
  [[nodiscard]] RayStrip strip(std::size_t number) const;
  /// Casts the rays of a strip and fills their part of the arrays. Thread-safe for different strips.
  void trace_strip(std::size_t number) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Beams against instances, with everything a return can tell: place, distance, intensity, velocities, angles, several
// returns of a diverging beam. The formulas are those of Robotec GPU Lidar's raytrace node; see docs/rgl.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <fathom/base/export.hpp>
#include <fathom/parts/placed_mesh.hpp>
#include <fathom/parts/posed_rays.hpp>

namespace fathom {

/// Which of the surfaces that a diverging beam meets.
enum class ReturnChoice : std::uint8_t { kFirst, kSecond, kLast, kStrongest, kSecondStrongest };

/// Gives the beams of a block in the frame of the sensor: `beams` and `wants_sides` are set.
class BeamSource {
 public:
  virtual ~BeamSource() = default;
  virtual void load(BeamBlock& block) const = 0;
};

/// Fastest motion of the sensor is not limited; times are those of Beams::time_offset_s.
struct SensorMotion {
  Vec3 linear_mps;     ///< in the sensor frame
  Vec3 angular_radps;  ///< about its axes
};

/// What is cast. Spans are [beams], or as stated.
struct Beams {
  const BeamSource& source;
  std::uint32_t count = 0;
  BeamGrid grid = {};  ///< changes no result but for the roundings of Embree: beams in tiles are cast faster
  std::span<const std::array<float, 2>> range_m = {};  ///< min and max: [beams], one for all, or empty: no limits
  std::span<const float> time_offset_s = {};           ///< empty: 0
  std::span<const std::int8_t> mask = {};              ///< 0: not cast, a miss; empty: all are cast
};

struct TraceSettings {
  Affine world_from_sensor;
  SensorMotion motion;
  bool distort = false;                 ///< cast each beam from where the moving sensor is at its time
  float near_miss_m = math::kInfinity;  ///< distance reported below the minimum range
  float far_miss_m = math::kInfinity;   ///< distance reported where nothing was met
  float divergence_h_rad = 0.0F;        ///< full angle about the y axis; both 0: a beam is one ray
  float divergence_v_rad = 0.0F;        ///< full angle about the x axis
  float default_intensity = 0.0F;       ///< of surfaces without texture
  double step_s = 0.0;                  ///< time between previous_world_from_mesh and now; not > 0: velocities are NaN
  Isa isa = detect_isa();
  std::span<const ReturnChoice> returns;  ///< at least one; a single ray is its own first, last, ...
};

/// Arrays to fill, [beams, returns]; null: not wanted, and then not computed. Points are interleaved, xyz xyz.
struct TraceArrays {
  float* xyz = nullptr;  ///< world, on the undistorted centre of the beam
  float* distance_m = nullptr;
  std::int32_t* is_hit = nullptr;
  std::int32_t* id = nullptr;  ///< of the instance; 0 on a miss
  float* intensity = nullptr;  ///< texture or default, times |cos| of the incidence; 0 on a miss
  float* laser_retro = nullptr;
  float* azimuth_rad = nullptr;  ///< see beam_angles()
  float* elevation_rad = nullptr;
  float* normal = nullptr;                 ///< world, by the order of corners, not turned; NaN on a miss
  float* incidence_rad = nullptr;          ///< [0, pi/2]; NaN on a miss
  float* absolute_velocity_mps = nullptr;  ///< world; NaN on a miss
  float* relative_velocity_mps = nullptr;  ///< sensor frame; NaN on a miss
  float* radial_speed_mps = nullptr;       ///< positive: receding; 0 on a miss
  Matrix34* beam = nullptr;                ///< world_from_beam, undistorted: xyz lies on its z axis
};

/// Azimuth and elevation of a beam whose frame came about by turning about z, x, y of a left-handed sensor frame with y
/// up and z forward (Unity's): azimuth = atan2(-m20, m22), 0 when |m21| >= 1; elevation = asin(m12).
struct BeamAngles {
  float azimuth_rad, elevation_rad;
};
FATHOM_API BeamAngles beam_angles(const Affine& sensor_from_beam);

/// The rays that stand for a diverging beam: the centre, and three cones of 19.
inline constexpr std::uint32_t kBeamSamples = 58;

/// Beams [begin, end).
struct BeamStrip {
  std::uint32_t begin, end;
};

/// Casts beams strip by strip, so that whoever works on their returns finds them in the cache.
class FATHOM_API Tracer {
 public:
  /// Everything that is given stays the caller's and must outlive the tracer. Throws InputError when arrays disagree in
  /// size.
  Tracer(const RayCaster& caster, const Beams& beams, const TraceSettings& settings, const TraceArrays& out);
  ~Tracer();
  Tracer(Tracer&&) noexcept;
  Tracer& operator=(Tracer&&) noexcept;

  [[nodiscard]] std::size_t strips() const;
  [[nodiscard]] BeamStrip strip(std::size_t number) const;
  /// Casts the beams of a strip and fills their part of the arrays. Thread-safe for different strips.
  void run(std::size_t number) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The data of a trace, and the arrays about surfaces.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parts/lanes.hpp"
#include "parts/tracer.hpp"
#include "sensor/returns.hpp"

namespace fathom {

/// The data common to all blocks.
struct TraceJob {
  const RayCaster& caster;
  PosedRays rays;
  TraceSettings settings;
  TraceArrays out;
  const TraceKernels& lanes;
  Affine sensor_from_world;
  bool diverges = false;
  bool wants_sides = false;
  std::array<SampleDirection, kDivergingSamples> samples;  ///< if it diverges
  // [instances + 1], the last for a miss; filled only if wanted. Separate arrays stay in the cache.
  std::vector<std::int32_t> ids;
  std::vector<float> laser_retros;

  [[nodiscard]] std::size_t returns() const { return settings.returns.size(); }
  [[nodiscard]] const CastInstance& instance(std::uint32_t number) const { return caster.instances()[number]; }
};

/// The end of a ray.
struct RayEnd {
  bool hit = false;
  float distance_m = 0.0F;
  std::uint32_t instance = kNoInstance, triangle = 0;
  Vec3 direction, point;  ///< direction of the cast ray, and the hit
};

/// The cast rays of a block in the world.
struct BlockRays {
  const PosedRayBlock& block;
  const RayBlock& centre;  ///< distorted, if the job distorts
  const float* min_m;      ///< [lanes]
  const float* max_m;
  const std::int32_t* active;
};

inline Vec3 origin_of(const RayBlock& b, std::uint32_t i) { return {b.ox[i], b.oy[i], b.oz[i]}; }
inline Vec3 direction_of(const RayBlock& b, std::uint32_t i) { return {b.dx[i], b.dy[i], b.dz[i]}; }

/// The ray in lane i of a block, as a map world_from_ray.
inline Affine frame_of(const PosedRayBlock& b, std::uint32_t i) {
  const RayBlock &s = b.side, &r = b.ray;
  return {{{s.dx[i], s.ox[i], r.dx[i], r.ox[i]},
           {s.dy[i], s.oy[i], r.dy[i], r.oy[i]},
           {s.dz[i], s.oz[i], r.dz[i], r.oz[i]}}};
}

inline void put(RayBlock& b, std::uint32_t i, const Vec3& origin, const Vec3& direction) {
  b.ox[i] = static_cast<float>(origin.x), b.oy[i] = static_cast<float>(origin.y);
  b.oz[i] = static_cast<float>(origin.z);
  b.dx[i] = static_cast<float>(direction.x), b.dy[i] = static_cast<float>(direction.y);
  b.dz[i] = static_cast<float>(direction.z);
}

/// Stores a point into an array of interleaved points.
inline void put(float* points, std::size_t at, const Vec3& v) {
  points[3 * at] = static_cast<float>(v.x);
  points[3 * at + 1] = static_cast<float>(v.y);
  points[3 * at + 2] = static_cast<float>(v.z);
}

/// The end of the ray in `lane`. Hits nearer than min_m count as misses.
inline RayEnd ray_end(const TraceSettings& settings, const RayBlock& rays, const HitLanes& hits, std::uint32_t lane,
                      float min_m) {
  RayEnd end;
  if (hits.instance[lane] == kNoInstance) {
    end.distance_m = settings.far_miss_m;
    return end;
  }
  end.direction = direction_of(rays, lane);
  end.distance_m = hits.distance_m[lane];
  if (end.distance_m < min_m) {
    end.distance_m = settings.near_miss_m;
    return end;
  }
  end.hit = true;
  end.instance = hits.instance[lane], end.triangle = hits.triangle[lane];
  end.point = origin_of(rays, lane) + hits.t[lane] * end.direction;
  return end;
}

/// The arrays of a trace that need the hit triangle.
class SurfaceArrays {
 public:
  explicit SurfaceArrays(const TraceJob& job) : job_(job) {}

  /// Whether one of them is wanted.
  [[nodiscard]] bool wanted() const;
  /// Fills place `at` of each wanted array.
  void store(std::size_t at, const RayEnd& end) const;
  [[nodiscard]] float intensity_of(const RayEnd& end) const;

 private:
  [[nodiscard]] bool wants_velocity() const;
  [[nodiscard]] const CastInstance& instance_of(const RayEnd& end) const { return job_.instance(end.instance); }
  [[nodiscard]] Vec3 normal_of(const RayEnd& end) const;
  void store_normal(std::size_t at, const RayEnd& end) const;
  void store_velocity(std::size_t at, const RayEnd& end) const;

  const TraceJob& job_;
};

}  // namespace fathom

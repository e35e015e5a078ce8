// SPDX-License-Identifier: MIT
#pragma once
// The data that all parts of a trace read.

#include <array>
#include <cstdint>
#include <vector>

#include <fathom/parts/tracer.hpp>

#include "parts/trace_lanes.hpp"
#include "sensor/diverging_samples.hpp"

namespace fathom {

/// The data that is the same for all blocks.
struct TraceJob {
  const RayCaster& caster;
  PosedRays rays;
  TraceSettings settings;
  TraceArrays out;
  const TraceKernels& lanes;
  Affine sensor_from_world;
  bool diverges = false;
  bool wants_sides = false;
  std::array<SampleDirection, kDivergingSamples> samples;  ///< where it diverges
  // [instances + 1], the last for a miss; filled only where wanted. Separate arrays stay in the cache.
  std::vector<std::int32_t> ids;
  std::vector<float> laser_retros;

  [[nodiscard]] std::size_t returns() const { return settings.returns.size(); }
  [[nodiscard]] const CastInstance& instance(std::uint32_t number) const { return caster.instances()[number]; }
};

/// Where one ray ends.
struct RayEnd {
  bool hit = false;
  float distance_m = 0.0F;
  std::uint32_t instance = kNoInstance, triangle = 0;
  Vec3 direction, point;  ///< of the ray as cast, and where it struck
};

/// The rays of a block in the world, as they are cast.
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

/// The end of the ray in `lane` of a cast; hits nearer than min_m do not count.
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

}  // namespace fathom

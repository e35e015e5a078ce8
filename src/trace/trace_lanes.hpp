#pragma once
// The loops over the lanes of a block. trace_lanes.cpp is compiled once per instruction set with the flags of the noise
// kernels, so that these loops vectorise and give the same bits everywhere.

#include <cstdint>

#include <fathom/affine.hpp>
#include <fathom/cast.hpp>

#include "base/isa.hpp"

namespace fathom {

/// Planes of the triangles that were hit, world: the points p with n . p = c. n is not a unit vector.
struct alignas(64) PlaneLanes {
  double nx[kBlockRays], ny[kBlockRays], nz[kBlockRays], c[kBlockRays];
};

/// What a block asks the tree for, and what it answered.
struct alignas(64) AskedLanes {
  float far[kBlockRays];
  std::int32_t active[kBlockRays];
  std::int32_t coherent[kBlockRays / 16];  ///< whether the rays of a packet are nearly parallel
  float t[kBlockRays];                     ///< single precision
  std::int32_t again[kBlockRays];          ///< not 0: the surface lies in the origin of the ray, or beyond its end
};

/// What beams report at what they met; [count].
struct Gate {
  const float* min_m;  ///< hits nearer than this count as misses
  float near_miss_m, far_miss_m;
};

struct TraceKernels {
  /// (x, y, z) := a (x, y, z), as points or as directions.
  void (*transform)(const Affine& a, bool points, std::uint32_t count, float* x, float* y, float* z);
  /// Rays that can be cast, and ends that are later by a few roundings.
  void (*ask)(const RayLanes& rays, AskedLanes& asked);
  /// Exact places, distances, and whether they count.
  void (*place)(const RayLanes& rays, const PlaneLanes& planes, AskedLanes& asked, HitLanes& hits);
  /// Distances to report, and 1 or 0 for hit or miss.
  void (*gate)(const Gate& gate, const HitLanes& hits, std::uint32_t count, float* distance_m, std::int32_t* is_hit);
  /// xyz := o + distance unit(d), interleaved; a direction's 0 stays 0 at an infinite distance.
  void (*points)(const RayBlock& rays, const float* distance_m, std::uint32_t count, float* xyz);
};

namespace sse2 {
extern const TraceKernels kTraceKernels;
}
namespace avx2 {
extern const TraceKernels kTraceKernels;
}
namespace avx512 {
extern const TraceKernels kTraceKernels;
}

inline const TraceKernels& trace_kernels(Isa isa) {
  return for_isa(isa, sse2::kTraceKernels, avx2::kTraceKernels, avx512::kTraceKernels);
}

}  // namespace fathom

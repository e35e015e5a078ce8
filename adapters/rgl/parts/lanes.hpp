// SPDX-License-Identifier: MIT
#pragma once
// The loops over the lanes of a block. lanes.cpp is compiled once per instruction set with the flags of the noise
// kernels, so that these loops vectorise and give the same bits everywhere.

#include <cstdint>

#include <fathom/core/geometry.hpp>
#include <fathom/noise/detail/drive.hpp>

#include "core/compute.hpp"
#include "trace/placed_mesh.hpp"
#include "trace/tile.hpp"

namespace fathom {

/// The plane n . p = c as (n, c). n is not a unit vector.
struct alignas(32) Plane {
  double part[4];
};

/// The data of an instance for its hits. In the world, the plane (n, c) of its mesh is n.x x + n.y y + n.z z +
/// (0, 0, 0, c), where x, y, z are the rows of mesh_from_world with the last column negated.
struct Placed {
  Plane row[3];
  const Plane* planes;  ///< [triangles], in the frame of the mesh
};

/// Planes of the hit triangles, world.
struct PlaneLanes {
  Plane plane[kBlockRays];
};

/// The query of a block to the tree, and its answer.
struct alignas(64) AskedLanes {
  float far[kBlockRays];
  std::int32_t active[kBlockRays];
  std::int32_t coherent[kBlockRays / kPacketRays];  ///< whether the rays of a packet are nearly parallel
  float t[kBlockRays];                              ///< single precision
  std::int32_t again[kBlockRays];  ///< not 0: the surface is at the origin of the ray or beyond its end; cast again
  std::int32_t any_again;          ///< not 0: at least one ray is cast again
};

/// Limits and reported distances, [count].
struct Gate {
  const float* min_m;  ///< hits nearer than this count as misses
  float near_miss_m, far_miss_m;
};

struct TraceKernels {
  /// (x, y, z) := a (x, y, z), as points or as directions.
  void (*transform)(const Affine& a, bool points, std::uint32_t count, float* x, float* y, float* z);
  /// Finds the rays that can be cast, and extends their ends by a few roundings.
  void (*ask)(const RayLanes& rays, AskedLanes& asked);
  /// Loads the planes of the hit triangles; for a miss, a plane that causes no exception.
  void (*planes)(const Placed* instances, const HitLanes& hits, std::uint32_t count, PlaneLanes& planes);
  /// Computes exact places and distances, and which rays to cast again.
  void (*place)(const RayLanes& rays, const PlaneLanes& planes, AskedLanes& asked, HitLanes& hits);
  /// Distances to report, and 1 or 0 for hit or miss.
  void (*gate)(const Gate& gate, const HitLanes& hits, std::uint32_t count, float* distance_m, std::int32_t* is_hit);
  /// xyz := o + distance unit(d), interleaved; a direction's 0 stays 0 at an infinite distance.
  void (*points)(const RayBlock& rays, const float* distance_m, const double* t, const std::int32_t* is_hit,
                 std::uint32_t count, float* xyz);
};

FATHOM_EACH_ISA(extern const TraceKernels kTraceKernels;)

inline const TraceKernels& trace_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kTraceKernels); }

// The loops over the points of a block.

/// Points before a noise model acts.
struct alignas(64) PlaceLanes {
  float x[kBlockRays], y[kBlockRays], z[kBlockRays];
};

/// The pose of the sensor, and its inverse.
struct SensorPlace {
  Affine sensor_from_world, world_from_sensor;
};

struct PointKernels {
  /// before := sensor_from_world xyz. The returns get these points, their radius and kHit. [count], interleaved.
  void (*load)(const SensorPlace& place, const float* xyz, std::uint32_t count, PlaceLanes& before,
               ReturnBlock& returns);
  /// out := xyz + world_from_sensor (returns - before), as directions.
  void (*store)(const SensorPlace& place, const float* xyz, const PlaceLanes& before, const ReturnBlock& returns,
                std::uint32_t count, float* out);
};

FATHOM_EACH_ISA(extern const PointKernels kPointKernels;)

inline const PointKernels& point_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kPointKernels); }

}  // namespace fathom

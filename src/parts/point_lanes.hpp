// SPDX-License-Identifier: MIT
#pragma once
// The loops over the points of a block; point_lanes.cpp is compiled once per instruction set.

#include <cstdint>

#include <fathom/base/affine.hpp>
#include <fathom/noise/drive.hpp>

#include "base/isa.hpp"

namespace fathom {

/// Places before a noise model acts.
struct alignas(64) PlaceLanes {
  float x[kBlockRays], y[kBlockRays], z[kBlockRays];
};

/// The pose of the sensor, and its inverse.
struct SensorPlace {
  Affine sensor_from_world, world_from_sensor;
};

struct PointKernels {
  /// before := sensor_from_world xyz; the returns start there, with their radius, all valid. [count], interleaved.
  void (*load)(const SensorPlace& place, const float* xyz, std::uint32_t count, PlaceLanes& before,
               ReturnBlock& returns);
  /// out := xyz + world_from_sensor (returns - before), as directions.
  void (*store)(const SensorPlace& place, const float* xyz, const PlaceLanes& before, const ReturnBlock& returns,
                std::uint32_t count, float* out);
};

namespace sse2 {
extern const PointKernels kPointKernels;
}
namespace avx2 {
extern const PointKernels kPointKernels;
}
namespace avx512 {
extern const PointKernels kPointKernels;
}

inline const PointKernels& point_kernels(Isa isa) {
  return for_isa(isa, sse2::kPointKernels, avx2::kPointKernels, avx512::kPointKernels);
}

}  // namespace fathom

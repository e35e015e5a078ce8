// SPDX-License-Identifier: MIT
#pragma once
// The loops over the lanes of a block, besides noise: geometry and masking. lanes.cpp is compiled once per instruction
// set with the flags of the noise kernels, so these loops vectorise and give the same bits everywhere.

#include <cstdint>

#include <fathom/base/compute.hpp>
#include <fathom/base/ids.hpp>
#include <fathom/noise/drive.hpp>
#include <fathom/sensor/model.hpp>

#include "render/plan.hpp"
#include "render/ray_math.hpp"

namespace fathom {

/// Rays in the caster's coordinates, and what they met.
struct alignas(64) CastBlock {
  float ox[kBlockRays], oy[kBlockRays], oz[kBlockRays];
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];
  float range_m[kBlockRays];
  std::uint32_t entity[kBlockRays], triangle[kBlockRays];
  float nx[kBlockRays], ny[kBlockRays], nz[kBlockRays];
};

/// Room for up to three planes of results of a block before they go to the frame.
struct alignas(64) PlaneBlock {
  float a[kBlockRays], b[kBlockRays], c[kBlockRays];
};

/// The range limits of a block's rays: arrays with one value per lane, or with one for all.
struct RangeLimits {
  const float* min_m;
  const float* max_m;
  bool min_per_lane, max_per_lane;
};

struct LaneKernels {
  /// cast.d := R rays.d and, for rays with origins, cast.o := R rays.o + t.
  void (*to_world)(const Rigid& world_from_sensor, const RayBlock& rays, CastBlock& cast);
  /// The same with a pose per lane: poses[index[i]]. Always writes origins.
  void (*to_world_rolling)(const Rigid* poses, const std::uint32_t* index, const RayBlock& rays, CastBlock& cast);
  /// Reasons by hit and range gate, and ranges, from the cast.
  void (*gate_returns)(const CastBlock& cast, const RangeLimits& limits, ReturnBlock& returns);
  /// Hit points and radii from rays and ranges.
  void (*place_returns)(const RayBlock& rays, ReturnBlock& returns);
  /// Where rays end after `range_m`, NaN on a miss.
  void (*ends)(const RayBlock& rays, const float* range_m, PlaneBlock& out);
  /// A range at or below 0, or none that is a number, was not measured: such a return is below the minimum.
  void (*lose_unmeasurable)(ReturnBlock& returns);
  /// Treats valid returns outside the limits (kClamp, kDrop).
  void (*apply_policy)(RangePolicy policy, const RangeLimits& limits, ReturnBlock& returns);
  /// out := value where the return is valid, else NaN.
  void (*mask_lost)(const ReturnBlock& returns, const float* value, float* out);
  /// Hit points in the world, NaN where lost.
  void (*points_to_world)(const Rigid& world_from_sensor, const ReturnBlock& returns, PlaneBlock& out);
  void (*points_to_world_rolling)(const Rigid* poses, const std::uint32_t* index, const ReturnBlock& returns,
                                  PlaneBlock& out);
  /// a := azimuth, b := elevation of the emitted rays in the sensor frame.
  void (*angles)(const RayBlock& rays, PlaneBlock& out);
  /// a := incidence angle (NaN on a miss), b := its cosine (0 on a miss), from cast.d and cast.n.
  void (*incidence)(const CastBlock& cast, std::uint32_t count, PlaneBlock& out);
  /// Normals, NaN on a miss.
  void (*normals)(const CastBlock& cast, std::uint32_t count, PlaneBlock& out);
};

namespace sse2 {
extern const LaneKernels kLanes;
}
namespace avx2 {
extern const LaneKernels kLanes;
}
namespace avx512 {
extern const LaneKernels kLanes;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The loops over the lanes of a block that tell how surfaces lie to emitter and cameras. As lanes.hpp, compiled once
// per instruction set.

#include <cstdint>

#include <fathom/base/ids.hpp>
#include <fathom/noise/drive.hpp>
#include <fathom/noise/energy.hpp>

#include "base/isa.hpp"
#include "render/lanes.hpp"

namespace fathom {

/// A camera of a rig: offset from the sensor's origin along the axes of the caster's coordinates.
struct CameraOffset {
  float x = 0, y = 0, z = 0;
};

/// Share of its way that a line of sight need not be clear: the resolution of single precision, for a surface seen
/// head-on and coordinates no larger than the distance, and the most that slant and coordinates make of it.
inline constexpr float kSightResolution = 8.0F * 0x1p-24F, kLoosestSight = 1e-3F;

/// That share for coordinates up to `coordinate` and the cosine of the angle to the normal, at most `loosest`. A
/// quotient of the slant, which the limit keeps away from 0 / 0.
FATHOM_KERNEL float sight_resolution(float coordinate, float distance, float cosine, float loosest) {
  const float ratio = coordinate / distance, head_on = math::select(ratio > 1.0F, ratio, 1.0F) * kSightResolution;
  const float size = math::float_of(math::bits_of(cosine) & 0x7fffffffU), least = head_on / loosest;
  return head_on / math::select(least > size, least, size);
}

/// Rays from one camera to the hit points of a block; see SightLines.
struct alignas(64) SightBlock {
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];
  float clear[kBlockRays];
  std::uint32_t blocked[kBlockRays];
};

/// Pixels of one row of an image, for the angles of edges. Arrays start at the first pixel of the row and reach over
/// `cols`; range +inf is a miss.
struct EdgeRow {
  const float *dx, *dy, *dz, *range_m;
};

struct SurfaceKernels {
  /// Every cosine of the lanes, all taken at the emitter.
  void (*angles_at_emitter)(const CastBlock& cast, std::uint32_t count, SurfaceBlock& out);
  /// Every cosine of the lanes, for rays from the sensor's origin.
  void (*angles)(const CastBlock& cast, std::uint32_t count, const CameraOffset& left, const CameraOffset& right,
                 SurfaceBlock& out);
  /// Lines from a camera to the valid returns; `cosine`: of that camera. `origin`: the sensor's, caster's coordinates;
  /// `reach`: Caster::reach().
  void (*sight)(const CastBlock& cast, const ReturnBlock& returns, const CameraOffset& camera, const float* origin,
                float reach, const float* cosine, SightBlock& out);
  /// E, NaN on a miss.
  void (*energy)(const CastBlock& cast, const SurfaceBlock& surface, std::uint32_t count, EnergyAngle angle,
                 float* out);
  /// Distance to the image plane, +inf on a miss.
  void (*depth)(const RayBlock& rays, const float* range_m, float* out);
  /// For pixels [begin, begin + count) of `row`: the angle at the edge of a step (Surface::edge_rad). `above`, `below`:
  /// null outside the image.
  void (*edge_angles)(const EdgeRow& row, const EdgeRow* above, const EdgeRow* below, std::uint32_t cols,
                      std::uint32_t begin, std::uint32_t count, float* out);
};

namespace sse2 {
extern const SurfaceKernels kSurfaceKernels;
}
namespace avx2 {
extern const SurfaceKernels kSurfaceKernels;
}
namespace avx512 {
extern const SurfaceKernels kSurfaceKernels;
}

inline const SurfaceKernels& surface_kernels(Isa isa) {
  return for_isa(isa, sse2::kSurfaceKernels, avx2::kSurfaceKernels, avx512::kSurfaceKernels);
}

}  // namespace fathom

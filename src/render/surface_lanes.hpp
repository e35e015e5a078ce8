// SPDX-License-Identifier: MIT
#pragma once
// The loops over the lanes of a block that tell how surfaces lie to emitter and cameras. As lanes.hpp, compiled once
// per instruction set.

#include <cstdint>

#include <fathom/base/ids.hpp>
#include <fathom/noise/drive.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "base/compute.hpp"
#include "render/lanes.hpp"
#include "render/surface_math.hpp"

namespace fathom {

/// Rays from one camera to the hit points of a block; see SightLines.
struct alignas(64) SightBlock {
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];
  float clear[kBlockRays];
  std::uint32_t blocked[kBlockRays];
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
  /// For the same pixels: Surface::jump and jump_rad. `normals`: of `row`.
  void (*edge_jumps)(const EdgeRow& row, const EdgeNormals& normals, const EdgeRow* above, const EdgeRow* below,
                     std::uint32_t cols, std::uint32_t begin, std::uint32_t count, float* jump, float* jump_rad);
  /// Normals of what was struck, in the sensor frame.
  void (*sensor_normals)(const Rigid& cast_from_sensor, const CastBlock& cast, std::uint32_t count, PlaneBlock& out);
  /// The same with a pose per lane: poses[index[i]].
  void (*sensor_normals_rolling)(const Rigid* poses, const std::uint32_t* index, const CastBlock& cast,
                                 std::uint32_t count, PlaneBlock& out);
  /// Surface::energy_gain; `reflectivity`: of each lane.
  void (*energy_gains)(const EnergyGain& gain, const float* reflectivity, const float* range_m, std::uint32_t count,
                       float* out);
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

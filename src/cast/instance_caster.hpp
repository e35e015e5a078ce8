// SPDX-License-Identifier: MIT
#pragma once
// A caster of lists of instances, as the parts for programs use it: any affine map, rays that are switched off and that
// end, directions of any length.

#include <cstdint>
#include <vector>

#include <fathom/parts/placed_mesh.hpp>

#include "cast/tile.hpp"

namespace fathom {

/// Which rays are cast, from where and to where, instead of what the rays themselves say; [kBlockRays].
struct CastLimits {
  const std::int32_t* active;  ///< 0 behind the last ray
  float near;                  ///< of all rays
  const float* far;
  /// [kBlockRays / kPacketRays]: not 0 where the rays of a packet are nearly parallel and cast as one, which costs a
  /// factor of 2 to 3 where they are not. Null: nowhere.
  const std::int32_t* coherent;
};

/// The result of a cast in single precision, [kBlockRays]; `t` counts in lengths of the direction. On a miss `instance`
/// is kNoInstance, and the others may be anything.
struct RoughHits {
  std::uint32_t* instance;
  std::uint32_t* triangle;
  float* t;
};

class InstanceCaster {
 public:
  virtual ~InstanceCaster() = default;
  /// Takes over a list of valid instances. Trees are kept by the address of their mesh, which the list keeps alive. An
  /// instance whose map flattens space is not met.
  virtual void update(const std::vector<CastInstance>& instances) = 0;
  /// Nearest hits within the limits. Thread-safe between updates.
  virtual void cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const = 0;
};

}  // namespace fathom

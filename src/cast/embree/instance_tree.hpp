// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include <fathom/base/executor.hpp>
#include <fathom/base/isa.hpp>
#include <fathom/parts/placed_mesh.hpp>

namespace fathom {

inline constexpr std::uint32_t kPacketRays = 16;

/// Which rays are cast, from where and to where, instead of what the rays themselves say; [kBlockRays].
struct CastLimits {
  const std::int32_t* active;  ///< 0 behind the last ray
  float near;                  ///< of all rays
  const float* far;
  /// [kBlockRays / kPacketRays]: not 0 where the rays of a packet are nearly parallel; then Embree walks the tree for
  /// all at once, which costs a factor of 2 to 3 where they are not. Null: nowhere.
  const std::int32_t* coherent;
};

/// The result of a cast in single precision, [kBlockRays]; `t` counts in lengths of the direction, +inf on a miss.
struct RoughHits {
  std::uint32_t* instance;
  std::uint32_t* triangle;
  float* t;
};

/// Embree behind RayCaster: a tree per mesh, an instance per placement with any affine map, always robust.
class InstanceTree {
 public:
  InstanceTree(Executor& executor, Isa isa);
  ~InstanceTree();

  /// Takes over a list of valid instances. Trees are kept by the address of their mesh, which the list keeps alive.
  void update(const std::vector<CastInstance>& instances);

  /// Nearest hits within the limits. Thread-safe between updates.
  void cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom

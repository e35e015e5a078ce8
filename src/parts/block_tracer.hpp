// SPDX-License-Identifier: MIT
#pragma once

#include "parts/surface_arrays.hpp"
#include "parts/trace_job.hpp"

namespace fathom {

/// The work on one block of rays. Its arrays live on the stack of the thread that runs it: nothing is allocated.
class BlockTracer {
 public:
  BlockTracer(const TraceJob& job, const RayTiles& tiles);

  /// Loads the rays, casts them and fills their places in the arrays.
  void run();

 private:
  void distort();
  void limit();
  void store_angles() const;
  void store_frames() const;
  void trace_rays();
  /// Stores, for each ray, the value of its instance. `values`: [instances + 1], the last for a miss.
  template <class T>
  void store_of_instances(const std::vector<T>& values, T* out);
  /// Copies the values of lanes, `Parts` each, to all returns of their rays.
  template <std::size_t Parts = 1, class T>
  void store(const T* lanes, T* out) const;
  /// Calls f(lane, place in the arrays).
  template <class F>
  void for_each_place(F f) const;

  /// The time of the ray in a lane, s.
  [[nodiscard]] double time_of(std::uint32_t lane) const;
  /// world_from_sensor at a time.
  [[nodiscard]] Affine world_step(double time_s) const;
  /// world_from_ray of the ray in a lane as it is cast. Call it after the block was moved to the world.
  [[nodiscard]] Affine cast_frame(std::uint32_t lane) const;

  const TraceJob& job_;
  PosedRayBlock block_;
  RayBlock distorted_;
  HitLanes hits_;
  float min_m_[kBlockRays], max_m_[kBlockRays];
  std::int32_t active_[kBlockRays];
  float distance_m_[kBlockRays], xyz_[3 * kBlockRays];
  std::int32_t hit_[kBlockRays];
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include "parts/surface_arrays.hpp"
#include "parts/trace_job.hpp"

namespace fathom {

/// Rays that diverge: each is cast as its samples, whose hits are grouped into returns. `frame_of_lane` gives
/// world_from_ray as it is cast.
class DivergingRays {
 public:
  DivergingRays(const TraceJob& job, const BlockRays& rays) : job_(job), rays_(rays), surface_(job) {}

  /// Casts all rays of the block and fills their places.
  template <class FrameOfLane>
  void run(FrameOfLane frame_of_lane) {
    const std::uint32_t count = rays_.block.tiles.count;
    for (std::uint32_t begin = 0; begin < count; begin += kBundle) {
      const std::uint32_t end = begin + kBundle < count ? begin + kBundle : count;
      for (std::uint32_t i = begin; i < end; ++i) load_samples(i, (i - begin) * kDivergingSamples, frame_of_lane(i));
      cast_samples((end - begin) * kDivergingSamples);
      for (std::uint32_t i = begin; i < end; ++i) reduce(i, (i - begin) * kDivergingSamples);
    }
  }

 private:
  static constexpr std::uint32_t kBundle = kBlockRays / kDivergingSamples;  ///< rays whose samples fit in one cast

  void load_samples(std::uint32_t i, std::uint32_t lane, const Affine& world_from_ray);
  void cast_samples(std::uint32_t count);
  void reduce(std::uint32_t i, std::uint32_t first_lane) const;
  void store(std::uint32_t i, std::size_t at, const RayEnd& end) const;
  [[nodiscard]] Vec3 point_on_centre(std::uint32_t i, float distance_m) const;

  const TraceJob& job_;
  const BlockRays& rays_;
  SurfaceArrays surface_;
  RayBlock samples_;
  HitLanes hits_;
  float far_[kBlockRays];
  std::int32_t active_[kBlockRays];
};

}  // namespace fathom

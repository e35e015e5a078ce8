// SPDX-License-Identifier: MIT
#pragma once

#include "parts/surface_arrays.hpp"
#include "parts/trace_job.hpp"

namespace fathom {

/// Beams that open: each is cast as its samples, and what they meet is told apart into returns. `frame_of_lane` is the
/// map world_from_beam as it is cast.
class DivergingBeams {
 public:
  DivergingBeams(const TraceJob& job, const CastBeams& beams) : job_(job), beams_(beams), surface_(job) {}

  /// Casts all beams of the block and fills their places.
  template <class FrameOfLane>
  void run(FrameOfLane frame_of_lane) {
    const std::uint32_t count = beams_.block.beams.count;
    for (std::uint32_t begin = 0; begin < count; begin += kBundle) {
      const std::uint32_t end = begin + kBundle < count ? begin + kBundle : count;
      for (std::uint32_t i = begin; i < end; ++i) load_samples(i, (i - begin) * kBeamSamples, frame_of_lane(i));
      cast_samples((end - begin) * kBeamSamples);
      for (std::uint32_t i = begin; i < end; ++i) reduce(i, (i - begin) * kBeamSamples);
    }
  }

 private:
  static constexpr std::uint32_t kBundle = kBlockRays / kBeamSamples;  ///< beams whose samples fit in one cast

  void load_samples(std::uint32_t i, std::uint32_t lane, const Affine& world_from_beam);
  void cast_samples(std::uint32_t count);
  void reduce(std::uint32_t i, std::uint32_t first_lane) const;
  void store(std::uint32_t i, std::size_t at, const Echo& echo) const;
  [[nodiscard]] Vec3 point_on_centre(std::uint32_t i, float distance_m) const;

  const TraceJob& job_;
  const CastBeams& beams_;
  SurfaceArrays surface_;
  RayBlock samples_;
  HitLanes hits_;
  float far_[kBlockRays];
  std::int32_t active_[kBlockRays];
};

}  // namespace fathom

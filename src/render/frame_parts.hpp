// SPDX-License-Identifier: MIT
#pragma once
// The parts of rendering a frame: storing the lanes of a block, casting rays that diverge, lines of sight, and the
// passes over the whole image.

#include <cstdint>
#include <span>
#include <vector>

#include <fathom/frame/frame.hpp>

#include "core/compute.hpp"
#include "frame/frame_writer.hpp"
#include "render/lanes.hpp"
#include "render/render.hpp"
#include "trace/caster.hpp"
#include "trace/tree/layout.hpp"

namespace fathom {

/// The places of a block's lanes in an array over the rays of a job.
struct BlockPlaces {
  BlockPlaces(const CastPlan& plan, std::uint32_t block)
      : targets(plan.targets.data() + plan.first_lanes[block] / kQuadRays),
        rays(plan.ray_of_lane.data() + plan.first_lanes[block]),
        quads((plan.first_lanes[block + 1] - plan.first_lanes[block]) / kQuadRays),
        first(plan.first_rays[block]),
        is_run(first != CastPlan::kNoRun) {}

  const QuadTarget* targets;  ///< [quads]
  const std::uint32_t* rays;  ///< of the lanes
  std::uint32_t quads;
  std::uint32_t first;  ///< ray of a run
  bool is_run;          ///< whether the lanes are neighbours there

  [[nodiscard]] std::uint32_t lanes() const { return quads * kQuadRays; }
  /// Copies the values of lanes to their places.
  template <class T>
  void scatter(const T* lane, T* all) const;
  /// The reverse; padding lanes repeat another ray.
  template <class T>
  void gather(const T* all, T* lane) const;
};

/// Writes the lanes of a block to their places in the arrays of a frame. Skips arrays that the frame lacks.
class BlockStore {
 public:
  /// `block`: its number in the plan.
  BlockStore(const RenderJob& job, Frame& frame, std::uint32_t block);
  [[nodiscard]] const BlockPlaces& places() const { return places_; }

  /// From now on values are of return k of each ray.
  void begin_return(std::uint32_t k) { first_ = job_.first + k * frame_.rays(); }

  void values(Channel channel, const float* lanes, std::size_t plane = 0);
  void points(Channel channel, const PlaneBlock& planes);
  void reasons(const std::uint32_t* lanes);
  void entities(const std::uint32_t* lanes);
  void triangles(const std::uint32_t* lanes);
  void labels(const std::uint32_t* lanes);
  void paths(const std::uint32_t* lanes);
  /// The inputs of edge loss besides normals. `reached`: for each lane, 1 if the return is still valid, else 0.
  void edges(const CastBlock& cast, const std::uint32_t* reached);
  /// To an array over the rays of the job, such as the arrays of EdgeScratch.
  template <class T>
  void keep(const T* lanes, std::vector<T>& all) const;
  void keep_reasons(const std::uint32_t* lanes) const;
  /// From such an array.
  template <class T>
  void fetch(const std::vector<T>& all, T* lanes) const;
  void fetch_reasons(std::uint32_t* lanes) const;
  /// Lane i gets the value at place[i].
  template <class T>
  static void load(const std::vector<T>& all, const std::uint32_t* place, std::uint32_t count, T* lanes) {
    for (std::uint32_t i = 0; i < count; ++i) lanes[i] = all[place[i]];
  }

 private:
  const RenderJob& job_;
  const Frame& frame_;
  FrameWriter writer_;
  const BlockPlaces places_;
  std::size_t first_;  // of the job's first ray, in an array of the frame
};

/// Stores the channels that are values of the pattern.
void store_pattern(const RenderJob& job, Frame& frame);

/// Whether entities move between the rays of a job.
inline bool sees_motion(const RenderJob& job) {
  const tree::World* world = job.caster.world();
  return !job.rolling_cast_from_sensor.empty() && world != nullptr && world->key_count > 0;
}
/// The time of a ray of a rolling sensor, by its lane in the plan.
inline float time_of_lane(const RenderJob& job, std::uint32_t lane) {
  return job.plan.times_s[job.plan.time_index[lane]];
}

/// The hits of one return of each ray of a block, in the caster's coordinates. A ray without this return has a miss
/// here, and `blank` says whether it has other returns.
struct alignas(64) ReturnHits {
  float range_m[kBlockRays];  ///< +inf on a miss
  std::uint32_t entity[kBlockRays], triangle[kBlockRays];
  float nx[kBlockRays], ny[kBlockRays], nz[kBlockRays];
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];  ///< of the sample that struck it
  float intensity[kBlockRays];                           ///< 0 on a miss
  float speed_m_s[kBlockRays];                           ///< of the surface along that sample
  std::uint32_t blank[kBlockRays];
  std::uint32_t path[kBlockRays], lost[kBlockRays];  ///< as LanePaths (light_paths.hpp), like `light`
  float light[kBlockRays];
};

/// Casts the rays of a block as their samples, and fills hits[k] for each return k of the job. `begin`: the first lane
/// of the block in the plan.
void cast_samples(const RenderJob& job, std::uint32_t begin, const RayBlock& rays, ReturnHits* hits);

/// The entry of a model that a lane of such a block takes.
inline std::uint32_t entry_of_lane(const RenderJob& job, const EntryTable& table, std::uint32_t begin,
                                   const CastBlock& cast, std::uint32_t lane) {
  if (!table.by_ring) return table.entry_of(cast.entity[lane]);
  return table.entry_of(ring_of(job.pattern, job.plan.ray_of_lane[begin + lane]));
}

/// Finds, for each valid return of such a block, which cameras do not see it: SurfaceBlock::hidden. Reads the cosines
/// of `surface`.
void find_hidden(const RenderJob& job, std::uint32_t begin, const CastBlock& cast, const ReturnBlock& returns,
                 SurfaceBlock& surface);

/// Edge loss reads neighbours, so it runs over the image after all blocks. In the order of a frame it comes before hit
/// noise: its reason replaces the reason of a later stage. With a window it runs between the two halves of the blocks,
/// and the window does not see the pixels that it loses.
void lose_edges(const RenderJob& job, Executor& executor, Frame& frame);

/// The stage kImage, for the jobs whose chain has a window: a window over the image of disparities. It runs between the
/// two halves of a frame's blocks, on the arrays that the first half keeps in EdgeScratch, and changes `reason`,
/// `matched_px` and `taken`, which the second half reads. The jobs share a plan. `shows_surfaces`: whether `taken` is
/// read.
void match_images(std::span<const RenderJob> jobs, bool shows_surfaces, Executor& executor);

}  // namespace fathom

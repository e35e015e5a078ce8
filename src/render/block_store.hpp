// SPDX-License-Identifier: MIT
#pragma once
// Writes the lanes of a block to their places in the arrays of a frame. Arrays that were not asked for are skipped.

#include <cstdint>
#include <vector>

#include <fathom/frame/frame.hpp>

#include "base/frame_writer.hpp"
#include "render/lanes.hpp"
#include "render/render.hpp"

namespace fathom {

class BlockStore {
 public:
  /// `block`: its number in the plan.
  BlockStore(const RenderJob& job, Frame& frame, std::uint32_t block);

  /// What follows goes to return k of each ray.
  void begin_return(std::uint32_t k) { first_ = job_.first + k * frame_.rays(); }

  void values(Channel channel, const float* lanes, std::size_t plane = 0);
  void points(Channel channel, const PlaneBlock& planes);
  void reasons(const std::uint32_t* lanes);
  void entities(const std::uint32_t* lanes);
  void triangles(const std::uint32_t* lanes);
  void labels(const std::uint32_t* lanes);
  /// What edge loss reads besides normals. `reached`: for each lane, 1 where the return is still valid, else 0.
  void edges(const CastBlock& cast, const std::uint32_t* reached);
  /// To a place of its own for each ray of the job, such as the arrays of EdgeScratch.
  template <class T>
  void keep(const T* lanes, std::vector<T>& all) const;
  void keep_reasons(const std::uint32_t* lanes) const;
  /// The other way round.
  template <class T>
  void fetch(const std::vector<T>& all, T* lanes) const;
  void fetch_reasons(std::uint32_t* lanes) const;
  /// `place`: for each lane, whose value it gets.
  template <class T>
  static void load(const std::vector<T>& all, const std::uint32_t* place, std::uint32_t count, T* lanes) {
    for (std::uint32_t i = 0; i < count; ++i) lanes[i] = all[place[i]];
  }

 private:
  const RenderJob& job_;
  const Frame& frame_;
  FrameWriter writer_;
  const QuadTarget* targets_;
  const std::uint32_t* rays_;  ///< of the lanes
  std::uint32_t quads_;
  std::size_t first_;  // of the job's first ray, in an array of the frame
};

/// Channels that the pattern gives as they are.
void store_pattern(const RenderJob& job, Frame& frame);

}  // namespace fathom

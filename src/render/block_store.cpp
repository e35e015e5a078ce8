// SPDX-License-Identifier: MIT
#include "render/block_store.hpp"

#include <algorithm>
#include <cstring>

#include "render/shown.hpp"

namespace fathom {

namespace {

template <class T>
void scatter(const T* lanes, const QuadTarget* targets, std::uint32_t quads, T* out) {
  for (std::uint32_t q = 0; q < quads; ++q) {
    const QuadTarget t = targets[q];
    if (t.filled == kQuadRays) {
      std::memcpy(out + t.index, lanes + kQuadRays * q, kQuadRays * sizeof(T));
    } else {
      for (std::uint32_t k = 0; k < t.filled; ++k) out[t.index + k] = lanes[kQuadRays * q + k];
    }
  }
}

/// Of lanes whose values T can hold.
template <class T>
void scatter_narrow(const std::uint32_t* lanes, const QuadTarget* targets, std::uint32_t quads, T* out) {
  T narrow[kBlockRays];
  for (std::uint32_t i = 0; i < quads * kQuadRays; ++i) narrow[i] = static_cast<T>(lanes[i]);
  scatter(narrow, targets, quads, out);
}

/// The other way round; lanes that are no quad's own repeat another ray.
template <class T>
void gather(const T* all, const QuadTarget* targets, std::uint32_t quads, const std::uint32_t* rays, T* lanes) {
  for (std::uint32_t q = 0; q < quads; ++q) {
    const std::uint32_t first = kQuadRays * q;
    if (targets[q].filled == kQuadRays) {
      std::memcpy(lanes + first, all + targets[q].index, kQuadRays * sizeof(T));
    } else {
      for (std::uint32_t k = first; k < first + kQuadRays; ++k) lanes[k] = all[rays[k]];
    }
  }
}

}  // namespace

BlockStore::BlockStore(const RenderJob& job, Frame& frame, std::uint32_t block)
    : job_(job),
      frame_(frame),
      writer_(frame),
      targets_(job.plan.targets.data() + job.plan.first_lanes[block] / kQuadRays),
      rays_(job.plan.ray_of_lane.data() + job.plan.first_lanes[block]),
      quads_((job.plan.first_lanes[block + 1] - job.plan.first_lanes[block]) / kQuadRays),
      first_(job.first) {}

void BlockStore::values(Channel channel, const float* lanes, std::size_t plane) {
  if (float* out = writer_.floats(channel)) {
    float all[kBlockRays];
    for (std::uint32_t i = 0; i < quads_ * kQuadRays; ++i) all[i] = shown(lanes[i]);
    scatter(all, targets_, quads_, out + plane * frame_.size() + first_);
  }
}

void BlockStore::points(Channel channel, const PlaneBlock& planes) {
  values(channel, planes.a, 0);
  values(channel, planes.b, 1);
  values(channel, planes.c, 2);
}

void BlockStore::reasons(const std::uint32_t* lanes) {
  if (Reason* out = writer_.reason()) scatter_narrow(lanes, targets_, quads_, out + first_);
}

void BlockStore::entities(const std::uint32_t* lanes) {
  if (std::uint32_t* out = writer_.entity_id()) scatter(lanes, targets_, quads_, out + first_);
}

void BlockStore::triangles(const std::uint32_t* lanes) {
  if (std::uint32_t* out = writer_.triangle_id()) scatter(lanes, targets_, quads_, out + first_);
}

void BlockStore::labels(const std::uint32_t* lanes) {
  if (std::uint32_t* out = writer_.label()) scatter(lanes, targets_, quads_, out + first_);
}

void BlockStore::edges(const CastBlock& cast, const std::uint32_t* reached) {
  EdgeScratch& edge = *job_.edge;
  keep(cast.range_m, edge.range_m);
  scatter_narrow(reached, targets_, quads_, edge.reached.data());
  if (job_.chain.edge_differs_by_entity) keep(cast.entity, edge.entity);
}

template <class T>
void BlockStore::keep(const T* lanes, std::vector<T>& all) const {
  scatter(lanes, targets_, quads_, all.data());
}
template void BlockStore::keep(const float* lanes, std::vector<float>& all) const;
template void BlockStore::keep(const std::uint32_t* lanes, std::vector<std::uint32_t>& all) const;

void BlockStore::keep_reasons(const std::uint32_t* lanes) const {
  scatter_narrow(lanes, targets_, quads_, job_.edge->reason.data());
}

template <class T>
void BlockStore::fetch(const std::vector<T>& all, T* lanes) const {
  gather(all.data(), targets_, quads_, rays_, lanes);
}
template void BlockStore::fetch(const std::vector<float>& all, float* lanes) const;
template void BlockStore::fetch(const std::vector<std::uint32_t>& all, std::uint32_t* lanes) const;

void BlockStore::fetch_reasons(std::uint32_t* lanes) const {
  Reason narrow[kBlockRays];
  gather(job_.edge->reason.data(), targets_, quads_, rays_, narrow);
  for (std::uint32_t i = 0; i < quads_ * kQuadRays; ++i) lanes[i] = static_cast<std::uint32_t>(narrow[i]);
}

void store_pattern(const RenderJob& job, Frame& frame) {
  const RayPattern& pattern = job.pattern;
  FrameWriter writer(frame);
  for (std::uint32_t k = 0; k < job.returns(); ++k) {
    const std::size_t first = job.first + k * frame.rays();
    if (float* out = writer.floats(Channel::kTimeOffset)) {
      if (pattern.time_offset_s.empty()) {
        std::fill_n(out + first, std::size_t{pattern.rows} * pattern.cols, 0.0F);
      } else {
        std::copy(pattern.time_offset_s.begin(), pattern.time_offset_s.end(), out + first);
      }
    }
    if (std::uint16_t* out = writer.ring()) {
      for (std::uint32_t row = 0; row < pattern.rows && pattern.ring.empty(); ++row) {
        std::fill_n(out + first + std::size_t{row} * pattern.cols, pattern.cols, static_cast<std::uint16_t>(row));
      }
      std::copy(pattern.ring.begin(), pattern.ring.end(), out + first);
    }
  }
}

}  // namespace fathom

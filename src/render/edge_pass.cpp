// SPDX-License-Identifier: MIT
#include "render/edge_pass.hpp"

#include <algorithm>
#include <array>

#include "base/frame_writer.hpp"
#include "render/apply_entries.hpp"
#include "render/draw_fields.hpp"

namespace fathom {

namespace {

constexpr auto kHit = static_cast<std::uint32_t>(Reason::kHit), kMasked = static_cast<std::uint32_t>(Reason::kMasked);

/// The arrays that mark a ray as lost: those of the frame, or what a window reads.
class LossWriter {
 public:
  LossWriter(const RenderJob& job, Frame& frame) {
    if (job.chain.window) {
      reason_ = job.edge->reason.data();
      add(job.edge->disparity_px.data());
      return;
    }
    FrameWriter writer(frame);
    reason_ = writer.reason();
    first_ = job.first;
    for (const Channel channel : {Channel::kRange, Channel::kDepth}) add(writer.floats(channel));
    for (const Channel channel : {Channel::kHitSensor, Channel::kHitWorld}) {
      float* out = writer.floats(channel);
      for (std::size_t plane = 0; out != nullptr && plane < 3; ++plane) add(out + plane * frame.size());
    }
  }

  /// `ray`: its place in the image.
  void lose(std::size_t ray, Reason reason) const {
    const std::size_t at = first_ + ray;
    if (reason_ != nullptr) reason_[at] = reason;
    for (std::size_t k = 0; k < count_; ++k) values_[k][at] = __builtin_nanf("");
  }

 private:
  void add(float* out) {
    if (out != nullptr) values_[count_++] = out;
  }

  Reason* reason_ = nullptr;
  std::size_t first_ = 0;
  std::array<float*, 8> values_ = {};
  std::size_t count_ = 0;
};

/// Parts of rows of the image, one after the other, as blocks that the models' kernels take.
class RowSegments {
 public:
  RowSegments(const RenderJob& job, Frame& frame) : job_(job), out_(job, frame) {
    // Values that edge models do not read are the same for all lanes.
    std::fill_n(returns_.x, kBlockRays, 0.0F), std::fill_n(returns_.y, kBlockRays, 0.0F);
    std::fill_n(returns_.z, kBlockRays, 0.0F), std::fill_n(returns_.radius_m, kBlockRays, 0.0F);
    for (float* cosine : {surface_.cos_emitter, surface_.cos_left, surface_.cos_right, surface_.left_to_emitter,
                          surface_.right_to_emitter}) {
      std::fill_n(cosine, kBlockRays, 1.0F);
    }
    std::fill_n(surface_.hidden, kBlockRays, 0U);
    std::fill_n(surface_.energy_gain, kBlockRays, 1.0F);
    // What of the neighbours no model reads.
    std::fill_n(surface_.edge_rad, kBlockRays, 0.0F), std::fill_n(surface_.jump_rad, kBlockRays, 0.0F);
    std::fill_n(surface_.jump, kBlockRays, -1.0F);
    surface_.optics = job.rig.optics;
    returns_.quads = quads_;
    returns_.surface = &surface_;
    draws_.rays = rays_of_lane_;
  }

  void run(std::uint32_t row, std::uint32_t begin) {
    row_ = row, begin_ = begin, count_ = std::min(kBlockRays, job_.plan.cols - begin);
    const std::size_t first = std::size_t{row_} * job_.plan.cols + begin_;
    load(first);
    for (const ActiveNoise& n : job_.chain.edge_loss) apply(n, first);
    for (std::uint32_t i = 0; i < count_; ++i) {
      const std::uint32_t reason = returns_.reason[i];
      if (reason != kHit && reason != kMasked) out_.lose(first + i, static_cast<Reason>(reason));
    }
  }

 private:
  /// `first`: index of the segment's first ray in the image.
  void apply(const ActiveNoise& n, std::size_t first) {
    const NoiseKey key = {job_.seed, job_.frame_index, n.stream};
    draws_.fields = fields_of(job_, n);
    if (n.others.empty()) return n.noise.apply(job_.isa, key, rays_, returns_, draws_);
    std::uint32_t entry[kBlockRays] = {};
    for (std::uint32_t i = 0; i < count_; ++i) entry[i] = n.table.entry_of(id_of(n.table, first + i));
    apply_entries(n, entry, job_.isa, key, rays_, returns_, draws_);
  }

  [[nodiscard]] std::uint32_t id_of(const EntryTable& table, std::size_t ray) const {
    if (!table.by_ring) return job_.edge->entity[ray];
    return job_.pattern.ring.empty() ? row_ : job_.pattern.ring[ray];
  }

  [[nodiscard]] EdgeRow pixels(std::uint32_t row) const {
    const std::size_t at = std::size_t{row} * job_.plan.cols;
    const RayPattern& p = job_.pattern;
    return {p.direction_x.data() + at, p.direction_y.data() + at, p.direction_z.data() + at,
            job_.edge->range_m.data() + at};
  }

  /// The segment's lanes follow the image, so its quads do too; see CastPlan::quad_keys for their names.
  void load(std::size_t first) {
    const std::uint32_t lanes = (count_ + 15) / 16 * 16;
    const std::uint32_t quads_per_row = (job_.plan.cols + kQuadRays - 1) / kQuadRays;
    for (std::uint32_t q = 0; q < kBlockRays / kQuadRays; ++q)
      quads_[q] = row_ * quads_per_row + begin_ / kQuadRays + q;
    returns_.count = lanes;
    std::copy_n(job_.edge->range_m.data() + first, count_, returns_.range_m);
    const std::uint8_t* reached = job_.edge->reached.data() + first;
    for (std::uint32_t i = 0; i < count_; ++i) returns_.reason[i] = reached[i] != 0 ? kHit : kMasked;
    for (std::uint32_t i = 0; i < lanes; ++i) {
      rays_of_lane_[i] = static_cast<std::uint32_t>(first) + std::min(i, count_ - 1);
    }
    for (std::uint32_t i = count_; i < lanes; ++i) {
      returns_.reason[i] = kMasked, returns_.range_m[i] = 0.0F, surface_.edge_rad[i] = 0.0F;
      surface_.jump[i] = -1.0F, surface_.jump_rad[i] = 0.0F;
    }
    const EdgeRow row = pixels(row_);
    const EdgeRow above = row_ > 0 ? pixels(row_ - 1) : row, below = row_ + 1 < job_.plan.rows ? pixels(row_ + 1) : row;
    const EdgeRow *const up = row_ > 0 ? &above : nullptr, *const down = row_ + 1 < job_.plan.rows ? &below : nullptr;
    const SurfaceKernels& kernels = surface_kernels(job_.isa);
    if (job_.chain.edge_reads.angles) {
      kernels.edge_angles(row, up, down, job_.plan.cols, begin_, count_, surface_.edge_rad);
    }
    if (!job_.chain.edge_reads.jumps) return;
    const EdgeScratch& edge = *job_.edge;
    const std::size_t at = std::size_t{row_} * job_.plan.cols;
    const EdgeNormals normals = {edge.edge_nx.data() + at, edge.edge_ny.data() + at, edge.edge_nz.data() + at};
    kernels.edge_jumps(row, normals, up, down, job_.plan.cols, begin_, count_, surface_.jump, surface_.jump_rad);
  }

  const RenderJob& job_;
  LossWriter out_;
  std::uint32_t row_ = 0, begin_ = 0, count_ = 0;
  alignas(64) std::uint32_t quads_[kBlockRays / kQuadRays + 8] = {};
  std::uint32_t rays_of_lane_[kBlockRays] = {};
  RayBlock rays_;
  ReturnBlock returns_;
  SurfaceBlock surface_;
  DrawBuffer draws_;
};

}  // namespace

void EdgeScratch::fit(const StagedChain& chain, std::uint32_t rows, std::uint32_t cols) {
  const std::size_t rays = std::size_t{rows} * cols;
  const bool has_edges = !chain.edge_loss.empty(), has_window = chain.window.has_value();
  if (has_edges || has_window) range_m.resize(rays);
  if ((has_edges && chain.edge_differs_by_entity) || has_window) entity.resize(rays);
  if (has_edges) {
    reached.resize(rays);
  }
  if (has_edges && chain.edge_reads.jumps) {
    for (std::vector<float>* normal : {&edge_nx, &edge_ny, &edge_nz}) normal->resize(rays);
  }
  if (!has_window) return;
  reason.resize(rays);
  for (std::vector<std::uint32_t>* ids : {&taken, &triangle}) ids->resize(rays);
  for (std::vector<float>* values : {&disparity_px, &matched_px, &nx, &ny, &nz, &dx, &dy, &dz}) {
    values->resize(rays);
  }
  if (chain.window->min_area_px > 1) region.resize(3 * rays), links.resize(4 * link_words(cols));
}

void lose_edges(const RenderJob& job, Executor& executor, Frame& frame) {
  executor.parallel_for(job.plan.rows, 4, [&](std::size_t first, std::size_t last) {
    RowSegments segments(job, frame);
    for (std::size_t row = first; row < last; ++row) {
      for (std::uint32_t begin = 0; begin < job.plan.cols; begin += kBlockRays) {
        segments.run(static_cast<std::uint32_t>(row), begin);
      }
    }
  });
}

}  // namespace fathom

#include "sensor/edge_pass.hpp"

#include <algorithm>

#include "sensor/apply_rows.hpp"

namespace fathom {

namespace {

constexpr auto kHit = static_cast<std::uint32_t>(Reason::kHit), kMasked = static_cast<std::uint32_t>(Reason::kMasked);

/// Writes the loss of one ray into every array that says so.
void lose(Frame& frame, std::size_t at, Reason reason) {
  if (Reason* out = frame.reason_data()) out[at] = reason;
  constexpr float kNan = __builtin_nanf("");
  for (const Channel channel : {Channel::kRange, Channel::kDepth}) {
    if (float* out = frame.float_data(channel)) out[at] = kNan;
  }
  for (const Channel channel : {Channel::kHitSensor, Channel::kHitWorld}) {
    if (float* out = frame.float_data(channel)) {
      for (std::size_t plane = 0; plane < 3; ++plane) out[plane * frame.size() + at] = kNan;
    }
  }
}

/// Part of a row of the image, as a block that the models' kernels take.
class RowSegment {
 public:
  RowSegment(const RenderJob& job, Frame& frame, std::uint32_t row, std::uint32_t begin)
      : job_(job), frame_(frame), row_(row), begin_(begin), count_(std::min(kBlockRays, job.plan.cols - begin)) {}

  void run() {
    load();
    const std::size_t first = std::size_t{row_} * job_.plan.cols + begin_;
    for (const ActiveNoise& n : job_.chain.edge_loss) apply(n, first);
    for (std::uint32_t i = 0; i < count_; ++i) {
      const std::uint32_t reason = returns_.reason[i];
      if (reason != kHit && reason != kMasked) lose(frame_, job_.first + first + i, static_cast<Reason>(reason));
    }
  }

 private:
  /// `first`: index of the segment's first ray in the image.
  void apply(const ActiveNoise& n, std::size_t first) {
    const NoiseKey key = {job_.seed, job_.frame_index, n.stream};
    if (n.rows.empty()) return n.noise.apply(job_.isa, key, rays_, returns_, draws_);
    std::uint32_t row[kBlockRays] = {};
    for (std::uint32_t i = 0; i < count_; ++i) row[i] = n.table.row_of(id_of(n.table, first + i));
    apply_rows(n, row, job_.isa, key, rays_, returns_, draws_);
  }

  [[nodiscard]] std::uint32_t id_of(const RowTable& table, std::size_t ray) const {
    if (!table.by_channel) return job_.edge->entity[ray];
    return job_.pattern.ring.empty() ? row_ : job_.pattern.ring[ray];
  }

  [[nodiscard]] EdgeRow pixels(std::uint32_t row) const {
    const std::size_t at = std::size_t{row} * job_.plan.cols;
    const RayPattern& p = job_.pattern;
    return {p.direction_x.data() + at, p.direction_y.data() + at, p.direction_z.data() + at,
            job_.edge->range_m.data() + at};
  }

  /// The segment's lanes follow the image, so its quads do too; see CastPlan::quad_keys for their names.
  void load() {
    const std::uint32_t lanes = (count_ + 15) / 16 * 16;
    const std::uint32_t quads_per_row = (job_.plan.cols + kQuadRays - 1) / kQuadRays;
    for (std::uint32_t q = 0; q < kBlockRays / kQuadRays; ++q)
      quads_[q] = row_ * quads_per_row + begin_ / kQuadRays + q;
    returns_.quads = quads_;
    returns_.count = lanes;
    returns_.surface = &surface_;
    surface_.optics = job_.rig.optics;
    const std::size_t first = std::size_t{row_} * job_.plan.cols + begin_;
    for (std::uint32_t i = 0; i < lanes; ++i) {
      returns_.reason[i] = i < count_ && job_.edge->reached[first + i] != 0 ? kHit : kMasked;
      returns_.x[i] = 0.0F, returns_.y[i] = 0.0F, returns_.z[i] = 0.0F, returns_.radius_m[i] = 0.0F;
      returns_.range_m[i] = i < count_ ? job_.edge->range_m[first + i] : 0.0F;
      surface_.cos_emitter[i] = 1.0F, surface_.cos_left[i] = 1.0F, surface_.cos_right[i] = 1.0F;
      surface_.left_to_emitter[i] = 1.0F, surface_.right_to_emitter[i] = 1.0F;
      surface_.hidden[i] = 0, surface_.edge_rad[i] = 0.0F;
    }
    const EdgeRow row = pixels(row_);
    const EdgeRow above = row_ > 0 ? pixels(row_ - 1) : row, below = row_ + 1 < job_.plan.rows ? pixels(row_ + 1) : row;
    surface_kernels(job_.isa).edge_angles(row, row_ > 0 ? &above : nullptr,
                                          row_ + 1 < job_.plan.rows ? &below : nullptr, job_.plan.cols, begin_, count_,
                                          surface_.edge_rad);
  }

  const RenderJob& job_;
  Frame& frame_;
  std::uint32_t row_, begin_, count_;
  alignas(64) std::uint32_t quads_[kBlockRays / kQuadRays + 8] = {};
  RayBlock rays_;
  ReturnBlock returns_;
  SurfaceBlock surface_;
  DrawBuffer draws_;
};

}  // namespace

void lose_edges(const RenderJob& job, Executor& executor, Frame& frame) {
  executor.parallel_for(job.plan.rows, 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      for (std::uint32_t begin = 0; begin < job.plan.cols; begin += kBlockRays) {
        RowSegment(job, frame, static_cast<std::uint32_t>(row), begin).run();
      }
    }
  });
}

}  // namespace fathom

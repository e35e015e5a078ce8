// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "frame/frame_writer.hpp"
#include "render/draw_fields.hpp"
#include "render/frame_parts.hpp"

namespace fathom {

namespace {

constexpr auto kHit = static_cast<std::uint32_t>(Reason::kHit), kMasked = static_cast<std::uint32_t>(Reason::kMasked);

/// The arrays that mark a ray as lost: of the frame, or with a window its inputs.
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

/// Parts of rows of the image as blocks for the models' kernels.
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
    // Defaults for the values of neighbours.
    std::fill_n(surface_.edge_rad, kBlockRays, 0.0F), std::fill_n(surface_.jump_rad, kBlockRays, 0.0F);
    std::fill_n(surface_.jump, kBlockRays, -1.0F);
    surface_.optics = job.rig.optics;
    returns_.quads = quads_;
    returns_.surface = &surface_;
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
    return table.by_ring ? ring_of(job_.pattern, ray) : job_.edge->entity[ray];
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
    draws_.rays = lanes == count_ ? nullptr : rays_of_lane_;
    draws_.first_ray = static_cast<std::uint32_t>(first);
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
  if (has_edges) reached.resize(rays);
  if (has_edges && chain.edge_reads.jumps) {
    for (std::vector<float>* normal : {&edge_nx, &edge_ny, &edge_nz}) normal->resize(rays);
  }
  if (!has_window) return;
  reason.resize(rays);
  for (std::vector<std::uint32_t>* ids : {&taken, &triangle, &pixel}) ids->resize(rays);
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

namespace {

/// Rows of a task: many compared to the rows above and below that it reads too.
constexpr std::size_t kRowsPerTask = 48;

/// The connected regions of an image, as runs of neighbouring pixels in rows. Two runs of neighbouring rows are joined
/// if two of their pixels, one above the other, belong together. EdgeScratch's `region` is three arrays, [rays] each:
/// the begin of a run, the run that it is joined to (itself at the root), and its number of pixels (at the root, of
/// all).
class RegionFinder {
 public:
  RegionFinder(EdgeScratch& scratch, std::uint32_t rows, std::uint32_t cols, float max_step_px,
               const WindowKernels& kernels)
      : d_(scratch.matched_px.data()),
        rows_(rows),
        cols_(cols),
        words_((cols + 63) / 64),
        step_(max_step_px),
        kernels_(kernels),
        begin_(scratch.region.data()),
        root_(begin_ + std::size_t{rows} * cols),
        area_(root_ + std::size_t{rows} * cols) {
    std::uint64_t* words = scratch.links.data();
    for (std::uint64_t** bits : {&links_.valid, &links_.right, &links_.up, &right_above_}) {
      *bits = words, words += EdgeScratch::link_words(cols);
    }
  }

  /// Calls lose(place) for each valid pixel of a region with fewer than `least` pixels.
  template <class Lose>
  void run(std::uint32_t least, Lose lose) {
    std::uint32_t above = 0, here = 0;
    for (std::uint32_t row = 0; row < rows_; ++row) {
      const std::uint32_t first = here;
      const float* const d = d_ + std::size_t{row} * cols_;
      kernels_.links(row > 0 ? d - cols_ : nullptr, d, cols_, step_, links_);
      here = add_runs(row * cols_, first);
      if (row > 0) join(row * cols_, above, first);
      std::swap(links_.right, right_above_);
      above = first;
    }
    for (std::uint32_t run = 0; run < here; ++run) {
      const std::uint32_t root = root_of(run);
      if (root != run) area_[root] += area_[run];
    }
    for (std::uint32_t run = 0; run < here; ++run) {
      const std::uint32_t root = root_of(run);
      if (area_[root] >= least) continue;
      const std::uint32_t length = root == run ? length_of(run) : area_[run];
      for (std::uint32_t i = 0; i < length; ++i) lose(begin_[run] + i);
    }
  }

 private:
  [[nodiscard]] bool is_one(std::uint32_t a, std::uint32_t b) const {
    const float step = d_[a] - d_[b];
    return d_[a] > 0.0F && d_[b] > 0.0F && step < step_ && -step < step_;
  }

  /// Length of a root's run, whose area is that of the whole region.
  [[nodiscard]] std::uint32_t length_of(std::uint32_t run) const {
    std::uint32_t end = begin_[run] + 1;
    while (end % cols_ != 0 && is_one(end - 1, end)) ++end;
    return end - begin_[run];
  }

  /// The runs of a row, from run `next` on; `row`: its first pixel. Returns the number of all runs.
  std::uint32_t add_runs(std::uint32_t row, std::uint32_t next) {
    std::uint32_t ended = next;
    std::uint64_t carry = 0;
    for (std::uint32_t w = 0; w < words_; ++w) {
      const std::uint64_t valid = links_.valid[w], right = links_.right[w];
      for_each_bit(valid & ~(right << 1 | carry), [&](std::uint32_t bit) {
        begin_[next] = row + 64 * w + bit, root_[next] = next;
        ++next;
      });
      for_each_bit(valid & ~right, [&](std::uint32_t bit) {
        area_[ended] = row + 64 * w + bit + 1 - begin_[ended];
        ++ended;
      });
      carry = right >> 63;
    }
    return next;
  }

  /// Joins runs [above, here) of the row above with the runs from `here` on of this row. Skips a pixel whose left
  /// neighbour belongs to the same two runs.
  void join(std::uint32_t row, std::uint32_t above, std::uint32_t here) {
    std::uint32_t up = above, down = here;
    std::uint64_t carry = 0;
    for (std::uint32_t w = 0; w < words_; ++w) {
      const std::uint64_t same = links_.up[w] & right_above_[w] & links_.right[w];
      for_each_bit(links_.up[w] & ~(same << 1 | carry), [&](std::uint32_t bit) {
        const std::uint32_t at = row + 64 * w + bit;
        while (begin_[up] + area_[up] + cols_ <= at) ++up;
        while (begin_[down] + area_[down] <= at) ++down;
        unite(up, down);
      });
      carry = same >> 63;
    }
  }

  template <class F>
  static void for_each_bit(std::uint64_t word, F f) {
    for (; word != 0; word &= word - 1) f(static_cast<std::uint32_t>(std::countr_zero(word)));
  }

  std::uint32_t root_of(std::uint32_t run) {
    while (root_[run] != run) run = root_[run] = root_[root_[run]];
    return run;
  }

  void unite(std::uint32_t a, std::uint32_t b) {
    a = root_of(a), b = root_of(b);
    root_[std::max(a, b)] = std::min(a, b);
  }

  const float* d_;
  std::uint32_t rows_, cols_, words_;
  float step_;
  const WindowKernels& kernels_;
  std::uint32_t *begin_, *root_, *area_;
  RegionLinks links_ = {};
  std::uint64_t* right_above_ = nullptr;
};

/// Counts the valid pixels of windows in a strip of columns. Each column has a count over the rows of the window.
class ValidCounts {
 public:
  static constexpr std::uint32_t kStrip = 32;

  ValidCounts(const WindowImage& image, std::uint32_t radius, std::uint32_t left)
      : image_(image),
        r_(radius),
        first_(left > radius ? left - radius : 0),
        end_(std::min(left + kStrip + radius, image.cols)) {}

  /// Adds a row to the columns, or takes it away.
  void add(std::uint32_t row, std::int32_t sign) {
    const float* const d = image_.disparity_px + std::size_t{row} * image_.cols + first_;
    for (std::size_t i = 0; i < end_ - first_; ++i) columns_[i] += d[i] > 0.0F ? sign : 0;
  }

  /// Whether all pixels of all windows are valid. `rows`: of a window.
  [[nodiscard]] bool are_full(std::uint32_t rows) const {
    return std::all_of(columns_.begin(), columns_.begin() + (end_ - first_),
                       [&](std::int32_t n) { return n == static_cast<std::int32_t>(rows); });
  }

  /// Calls use(column, valid pixels of its window, columns of its window) for each column of the strip.
  template <class Use>
  void for_each(std::uint32_t left, Use use) const {
    std::int32_t sum = 0;
    std::uint32_t begin = first_, end = first_;
    for (std::uint32_t col = left; col < std::min(left + kStrip, image_.cols); ++col) {
      for (; end < std::min(col + r_ + 1, image_.cols); ++end) sum += columns_[end - first_];
      for (; begin + r_ < col; ++begin) sum -= columns_[begin - first_];
      use(col, static_cast<std::uint32_t>(sum), end - begin);
    }
  }

 private:
  WindowImage image_;
  std::uint32_t r_, first_, end_;
  std::array<std::int32_t, kStrip + 2 * WindowRule::kMostRadius> columns_ = {};
};

void put(EdgeScratch& scratch, std::size_t at, const WindowPixel& pixel) {
  scratch.matched_px[at] = pixel.disparity_px, scratch.taken[at] = pixel.taken, scratch.reason[at] = pixel.reason;
}

/// Loses the pixels of rows [begin, end) whose windows have too few valid ones, and bridges lines of shadow. Nothing
/// changes where all windows are full: no pixel of theirs is in a shadow.
void finish_shadows(const WindowRule& rule, const WindowImage& image, std::uint32_t begin, std::uint32_t end,
                    EdgeScratch& scratch) {
  const auto r = static_cast<std::uint32_t>(rule.radius_px);
  for (std::uint32_t left = 0; left < image.cols; left += ValidCounts::kStrip) {
    ValidCounts counts(image, r, left);
    std::uint32_t top = begin > r ? begin - r : 0, bottom = top;
    for (std::uint32_t row = begin; row < end; ++row) {
      for (; bottom < std::min(row + r + 1, image.rows); ++bottom) counts.add(bottom, 1);
      for (; top + r < row; ++top) counts.add(top, -1);
      if (counts.are_full(bottom - top)) continue;
      const std::size_t first = std::size_t{row} * image.cols;
      counts.for_each(left, [&](std::uint32_t col, std::uint32_t valid, std::uint32_t columns) {
        const auto at = static_cast<std::uint32_t>(first) + col;
        if (may_match_hidden(rule, scratch.reason[at])) {
          const WindowPixel bridged = match_hidden(rule, image, row, col);
          if (bridged.reason == Reason::kHit) put(scratch, at, bridged);
        } else if (image.disparity_px[at] > 0.0F && !is_supported(rule, valid, columns * (bottom - top))) {
          put(scratch, at, {0.0F, at, Reason::kEdge});
        }
      });
    }
  }
}

void match_rows(const RenderJob& job, bool shows_surfaces, std::uint32_t begin, std::uint32_t end) {
  EdgeScratch& scratch = *job.edge;
  const WindowImage image = {scratch.disparity_px.data(), job.plan.rows, job.plan.cols};
  std::uint32_t* const taken = shows_surfaces ? scratch.taken.data() : nullptr;
  const WindowResult result = {scratch.matched_px.data(), taken, scratch.reason.data()};
  window_kernels(job.isa).match(*job.chain.window, image, begin, end, result);
  if (job.chain.window->valid_share > 0.0F) finish_shadows(*job.chain.window, image, begin, end, scratch);
}

void lose_speckles(const RenderJob& job) {
  EdgeScratch& scratch = *job.edge;
  const WindowRule& rule = *job.chain.window;
  if (rule.min_area_px <= 1) return;
  RegionFinder finder(scratch, job.plan.rows, job.plan.cols, rule.max_step_px, window_kernels(job.isa));
  finder.run(rule.min_area_px, [&](std::uint32_t at) { scratch.reason[at] = Reason::kSpeckle; });
}

}  // namespace

void match_images(std::span<const RenderJob> jobs, bool shows_surfaces, Executor& executor) {
  const std::size_t rows = jobs.front().plan.rows, tasks = (rows + kRowsPerTask - 1) / kRowsPerTask;
  executor.parallel_for(jobs.size() * tasks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const RenderJob& job = jobs[i / tasks];
      const std::size_t begin = i % tasks * kRowsPerTask, end = std::min(begin + kRowsPerTask, rows);
      if (!job.chain.window) continue;
      match_rows(job, shows_surfaces, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
    }
  });
  executor.parallel_for(jobs.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (jobs[i].chain.window) lose_speckles(jobs[i]);
    }
  });
}

}  // namespace fathom

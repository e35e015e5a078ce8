// SPDX-License-Identifier: MIT
#include "render/window_pass.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "render/window_lanes.hpp"

namespace fathom {

namespace {

/// Rows that a task takes: large against the rows above and below that it reads besides.
constexpr std::size_t kRowsPerTask = 48;

/// The connected regions of an image, as runs of neighbouring pixels in rows; two runs of neighbouring rows are joined
/// where pixels, one above the other, belong together. Three arrays of EdgeScratch's `region`, [rays] each: where a run
/// begins, the run that it is joined to (itself at the root), and its pixels (at the root, those of all).
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

  /// Where a root's run ends: its area has become that of the region.
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

  /// Runs [above, here) are those of the row above, the others from `here` on those of this one. Where a pixel and the
  /// one to its left are of the same two runs, the left one has joined them.
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

void match_rows(const RenderJob& job, bool shows_surfaces, std::uint32_t begin, std::uint32_t end) {
  EdgeScratch& scratch = *job.edge;
  const WindowImage image = {scratch.disparity_px.data(), job.plan.rows, job.plan.cols};
  std::uint32_t* const taken = shows_surfaces ? scratch.taken.data() : nullptr;
  const WindowResult result = {scratch.matched_px.data(), taken, scratch.reason.data()};
  window_kernels(job.isa).match(*job.chain.window, image, begin, end, result);
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

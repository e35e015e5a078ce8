// SPDX-License-Identifier: MIT
#include "render/window_pass.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

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
  RegionFinder(const EdgeScratch& scratch, std::uint32_t rows, std::uint32_t cols, float max_step_px,
               std::uint32_t* room)
      : d_(scratch.matched_px.data()),
        rows_(rows),
        cols_(cols),
        step_(max_step_px),
        begin_(room),
        root_(room + std::size_t{rows} * cols),
        area_(room + 2 * std::size_t{rows} * cols) {}

  /// Calls lose(place) for each valid pixel of a region with fewer than `least` pixels.
  template <class Lose>
  void run(std::uint32_t least, Lose lose) {
    std::uint32_t above = 0, here = 0;
    for (std::uint32_t row = 0; row < rows_; ++row) {
      const std::uint32_t first = here;
      here = add_runs(row, first);
      if (row > 0) join(above, first, here);
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

  std::uint32_t add_runs(std::uint32_t row, std::uint32_t next) {
    const std::uint32_t end = (row + 1) * cols_;
    for (std::uint32_t at = row * cols_; at < end;) {
      if (!(d_[at] > 0.0F)) {
        ++at;
        continue;
      }
      const std::uint32_t from = at++;
      while (at < end && is_one(at - 1, at)) ++at;
      begin_[next] = from, root_[next] = next, area_[next] = at - from;
      ++next;
    }
    return next;
  }

  /// Runs [above, here) are those of the row above, [here, end) those of this one.
  void join(std::uint32_t above, std::uint32_t here, std::uint32_t end) {
    std::uint32_t up = above, down = here;
    while (up < here && down < end) {
      const std::uint32_t up_begin = begin_[up] + cols_, up_end = up_begin + area_[up];  // as of this row
      const std::uint32_t down_end = begin_[down] + area_[down];
      const std::uint32_t last = std::min(up_end, down_end);
      for (std::uint32_t at = std::max(up_begin, begin_[down]); at < last; ++at) {
        if (!is_one(at - cols_, at)) continue;
        unite(up, down);
        break;
      }
      if (up_end < down_end) {
        ++up;
      } else {
        ++down;
      }
    }
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
  std::uint32_t rows_, cols_;
  float step_;
  std::uint32_t *begin_, *root_, *area_;
};

void match_rows(const RenderJob& job, std::uint32_t begin, std::uint32_t end) {
  EdgeScratch& scratch = *job.edge;
  const WindowImage image = {scratch.disparity_px.data(), job.plan.rows, job.plan.cols};
  const WindowResult result = {scratch.matched_px.data(), scratch.taken.data(), scratch.reason.data()};
  window_kernels(job.isa).match(*job.chain.window, image, begin, end, result);
}

void lose_speckles(const RenderJob& job) {
  EdgeScratch& scratch = *job.edge;
  const WindowRule& rule = *job.chain.window;
  if (rule.min_area_px <= 1) return;
  RegionFinder finder(scratch, job.plan.rows, job.plan.cols, rule.max_step_px, scratch.region.data());
  finder.run(rule.min_area_px, [&](std::uint32_t at) { scratch.reason[at] = Reason::kSpeckle; });
}

}  // namespace

void match_images(std::span<const RenderJob> jobs, Executor& executor) {
  const std::size_t rows = jobs.front().plan.rows, tasks = (rows + kRowsPerTask - 1) / kRowsPerTask;
  executor.parallel_for(jobs.size() * tasks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const RenderJob& job = jobs[i / tasks];
      const std::size_t begin = i % tasks * kRowsPerTask, end = std::min(begin + kRowsPerTask, rows);
      if (job.chain.window) match_rows(job, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
    }
  });
  executor.parallel_for(jobs.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (jobs[i].chain.window) lose_speckles(jobs[i]);
    }
  });
}

}  // namespace fathom

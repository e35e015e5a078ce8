// SPDX-License-Identifier: MIT
#include "render/device/field_plan.hpp"

#include <span>

namespace fathom::device {

namespace {

struct Rows {
  std::uint32_t begin, end;
  Rows(const RenderJob& job, const Window& window)
      : begin(window.ray_begin / job.plan.cols), end((window.ray_end + job.plan.cols - 1) / job.plan.cols) {}
  [[nodiscard]] std::uint32_t count() const { return end - begin; }
};

std::uint32_t numbers_of(const CorrelatedDraws& draws) {
  return static_cast<std::uint32_t>(draws.draws.normals + draws.draws.uniforms);
}

/// A field without its memory.
FieldJob field_of(const RenderJob& job, const CorrelatedDraws& draws, std::uint32_t draw, const Rows& rows) {
  const LineKernel &across = draws.kernel.across, &down = draws.kernel.down;
  const Lattice lattice = {job.plan.cols, draws.closes};
  return {.kernel = nullptr,
          .seed = job.seed,
          .stream = draws.stream,
          .draw = draw,
          .time = key_time(draws.correlation.time_s, job.frame_index, job.stamp_s),
          .row_begin = rows.begin,
          .row_end = rows.end,
          .cols = job.plan.cols,
          .lines = rows.count() + down.before + down.after,
          .quads = lattice.end_quad(across) - lattice.first_quad(across),
          .closes = draws.closes,
          .is_uniform = draw >= static_cast<std::uint32_t>(draws.draws.normals),
          .white = nullptr,
          .half = nullptr,
          .out = nullptr};
}

std::size_t white_floats(const FieldJob& field) { return 4 * std::size_t{field.white_threads()}; }

}  // namespace

std::size_t field_floats(const RenderJob& job, const Window& window) {
  const Rows rows(job, window);
  std::size_t floats = 0;
  for (const CorrelatedDraws& draws : job.chain.correlated) {
    const FieldJob field = field_of(job, draws, 0, rows);
    floats += numbers_of(draws) * (field.threads() + white_floats(field) + field.half_threads());
  }
  return floats;
}

void add_fields(const RenderJob& job, const Window& window, float* memory, Keeper& keeper,
                std::vector<FieldJob>& fields, FrameData& data) {
  const Rows rows(job, window);
  data.field_plane = std::size_t{rows.count()} * job.plan.cols;
  data.fields = from_first(static_cast<const float*>(memory), std::size_t{rows.begin} * job.plan.cols);
  float* out = memory;
  float* next = memory + data.field_plane * count_correlated(job.chain);
  for (const CorrelatedDraws& draws : job.chain.correlated) {
    const FieldKernel* const kernel = keeper.keep(std::span(&draws.kernel, 1));
    for (std::uint32_t draw = 0; draw < numbers_of(draws); ++draw) {
      FieldJob field = field_of(job, draws, draw, rows);
      field.out = out, out += data.field_plane;
      field.white = next, next += white_floats(field);
      field.half = next, next += field.half_threads();
      field.kernel = kernel;
      fields.push_back(field);
    }
  }
}

}  // namespace fathom::device

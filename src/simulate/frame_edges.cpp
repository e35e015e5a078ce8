// SPDX-License-Identifier: MIT
#include "simulate/frame_edges.hpp"

#include <algorithm>
#include <cstdint>

#include "render/surface_lanes.hpp"

namespace fathom {

void FrameEdges::find(const RayPattern& p, const Frame& truth) {
  const std::size_t cols = p.cols;
  for (std::vector<float>* values : {&edge_rad, &jump, &jump_rad}) values->resize(truth.rays());
  const auto row_at = [&](std::size_t row) -> EdgeRow {
    const std::size_t at = row * cols;
    return {p.direction_x.data() + at, p.direction_y.data() + at, p.direction_z.data() + at,
            truth.clean_range_m().data() + at};
  };
  const SurfaceKernels& kernels = surface_kernels(detect_isa());
  for (std::size_t row = 0; row < p.rows; ++row) {
    const EdgeRow here = row_at(row), above = row_at(row > 0 ? row - 1 : row),
                  below = row_at(std::min<std::size_t>(row + 1, p.rows - 1));
    const EdgeRow *const up = row > 0 ? &above : nullptr, *const down = row + 1 < p.rows ? &below : nullptr;
    const std::size_t at = row * cols;
    const EdgeNormals of_row = {normals[0].data() + at, normals[1].data() + at, normals[2].data() + at};
    for (std::uint32_t begin = 0; begin < p.cols; begin += kBlockRays) {
      const std::uint32_t count = std::min(kBlockRays, p.cols - begin);
      alignas(64) float angle[kBlockRays], step[kBlockRays], step_angle[kBlockRays];
      kernels.edge_angles(here, up, down, p.cols, begin, count, angle);
      kernels.edge_jumps(here, of_row, up, down, p.cols, begin, count, step, step_angle);
      std::copy_n(angle, count, edge_rad.data() + at + begin);
      std::copy_n(step, count, jump.data() + at + begin);
      std::copy_n(step_angle, count, jump_rad.data() + at + begin);
    }
  }
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The passes of a frame over its image, one pixel a thread, once every ray was rendered: edge loss, and the window with
// its speckles.

#include <cstdint>

#include <fathom/core/export.hpp>

#include "render/device/apply_noise.hpp"
#include "render/device/frame_data.hpp"

namespace fathom::device {

// Connected regions of an image by many threads at once: a forest over the pixels in which each points to a pixel of
// its region, a root to itself. A root is joined to another by an exchange that fails if it is no longer a root, so the
// forest is right for any order of the threads: see Playne, Hawick, "A new algorithm for parallel connected-component
// labelling on GPUs", IEEE TPDS 29, 2018. Which pixel becomes the root does not matter, only the number of pixels below
// it.

FATHOM_KERNEL std::uint32_t root_of(std::uint32_t* region, std::uint32_t pixel) {
  for (;;) {
    const std::uint32_t next = __atomic_load_n(region + pixel, __ATOMIC_RELAXED);
    if (next == pixel) return pixel;
    pixel = next;
  }
}

FATHOM_KERNEL void join_regions(std::uint32_t* region, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = root_of(region, a), b = root_of(region, b);
    if (a == b) return;
    std::uint32_t high = a > b ? a : b;
    const std::uint32_t low = a > b ? b : a, root = high;
    if (__atomic_compare_exchange_n(region + root, &high, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  }
}

/// Whether neighbours with such disparities belong to one region.
FATHOM_KERNEL bool are_joined(float a, float b, float max_step_px) {
  const float step = a - b;
  return a > 0.0F && b > 0.0F && step < max_step_px && -step < max_step_px;
}

/// The window at one pixel, by its place in the frame, after edge loss.
FATHOM_KERNEL void match_pixel(const FrameData& f, std::uint32_t pixel) {
  const std::uint32_t cols = f.rays.cols, rows = f.rays.rows;
  if (!f.chain.has_window || pixel >= rows * cols) return;
  const Windowed& w = f.windowed;
  WindowPixel out = {0.0F, pixel, Reason::kHit};
  const WindowImage image = {w.disparity_px, rows, cols};
  const std::uint32_t row = pixel / cols, col = pixel % cols;
  if (w.disparity_px[pixel] > 0.0F) {
    const bool supported = is_supported(f.chain.window, image, row, col);
    out = supported ? match_window(f.chain.window, image, row, col) : WindowPixel{0.0F, pixel, Reason::kEdge};
  }
  if (may_match_hidden(f.chain.window, w.reason[pixel])) {
    const WindowPixel bridged = match_hidden(f.chain.window, image, row, col);
    if (bridged.reason == Reason::kHit) out = bridged, w.reason[pixel] = Reason::kHit;
  }
  w.matched_px[pixel] = out.disparity_px, w.taken[pixel] = out.taken;
  if (out.reason != Reason::kHit) w.reason[pixel] = out.reason;
  if (f.chain.window.min_area_px > 1) w.region[pixel] = pixel, w.area[pixel] = 0;
}

[[nodiscard]] FATHOM_KERNEL bool has_regions(const FrameData& f, std::uint32_t pixel) {
  return f.chain.has_window && f.chain.window.min_area_px > 1 && pixel < f.rays.rows * f.rays.cols;
}

/// Joins a pixel's region with the regions to its left and above, once all pixels have their disparities.
FATHOM_KERNEL void join_pixel(const FrameData& f, std::uint32_t pixel) {
  if (!has_regions(f, pixel)) return;
  const Windowed& w = f.windowed;
  const float* const d = w.matched_px;
  const std::uint32_t cols = f.rays.cols;
  const float step = f.chain.window.max_step_px;
  if (pixel % cols > 0 && are_joined(d[pixel], d[pixel - 1], step)) join_regions(w.region, pixel, pixel - 1);
  if (pixel >= cols && are_joined(d[pixel], d[pixel - cols], step)) join_regions(w.region, pixel, pixel - cols);
}

/// Counts a pixel for its region, once all are joined.
FATHOM_KERNEL void count_pixel(const FrameData& f, std::uint32_t pixel) {
  if (!has_regions(f, pixel)) return;
  __atomic_fetch_add(f.windowed.area + root_of(f.windowed.region, pixel), 1U, __ATOMIC_RELAXED);
}

/// Loses a pixel of a small region, once all are counted.
FATHOM_KERNEL void lose_speckle(const FrameData& f, std::uint32_t pixel) {
  if (!has_regions(f, pixel) || !(f.windowed.matched_px[pixel] > 0.0F)) return;
  const std::uint32_t area = f.windowed.area[root_of(f.windowed.region, pixel)];
  if (area < f.chain.window.min_area_px) f.windowed.reason[pixel] = Reason::kSpeckle;
}

/// Edge loss of one pixel, by its place in the frame; see lose_edges().
FATHOM_KERNEL void lose_edge(const FrameData& f, std::uint32_t pixel) {
  const std::uint32_t cols = f.rays.cols, rows = f.rays.rows;
  if (f.chain.edge_loss.count == 0 || pixel >= rows * cols || f.edges.reached[pixel] == 0) return;
  const std::uint32_t row = pixel / cols, col = pixel % cols;
  const auto pixels = [&](std::uint32_t r) {
    const std::size_t at = std::size_t{r} * cols;
    return EdgeRow{f.image.dx + at, f.image.dy + at, f.image.dz + at, f.edges.range_m + at};
  };
  RayState s = {};
  s.reason = kHitLane;
  s.hit.range_m = f.edges.range_m[pixel];
  s.surface.optics = f.rig.optics;
  if (rows > 1 || cols > 1) {
    const EdgeRow here = pixels(row), above = pixels(row > 0 ? row - 1 : row),
                  below = pixels(row + 1 < rows ? row + 1 : row);
    const Neighbourhood around =
        neighbourhood_of(here, row > 0 ? &above : nullptr, row + 1 < rows ? &below : nullptr, cols, col);
    if (f.chain.edge_reads.angles) s.surface.edge_rad = edge_angle(here, around, col);
    if (f.chain.edge_reads.jumps) {
      const std::size_t first = std::size_t{row} * cols;
      const Jump jump = edge_jump(here, {f.edges.nx + first, f.edges.ny + first, f.edges.nz + first}, around, col);
      s.surface.jump = jump.excess, s.surface.jump_rad = jump.angle_rad;
    }
  }
  const std::uint32_t quads_per_row = (cols + 3) / 4;
  const std::uint32_t entity = f.edges.entity == nullptr ? tree::kNone : f.edges.entity[pixel];
  const std::uint32_t ring = f.image.ring == nullptr ? row : f.image.ring[pixel];
  const DrawPlace at = {row * quads_per_row + col / 4, col % 4, numbers_of_ray(f, pixel), f.field_plane};
  apply_steps(f.chain.edge_loss, {f.seed, f.frame_index, 0}, at, entity, ring, 0, s);
  if (s.reason == kHitLane) return;
  if (f.chain.has_window) {
    f.windowed.reason[pixel] = static_cast<Reason>(s.reason);
    f.windowed.disparity_px[pixel] = kNoNumber;
    return;
  }
  const Channels& out = f.out;
  if (out.reason != nullptr) out.reason[pixel] = static_cast<Reason>(s.reason);
  if (out.range != nullptr) out.range[pixel] = kNoNumber;
  if (out.depth != nullptr) out.depth[pixel] = kNoNumber;
  for (float* points : {out.hit_sensor, out.hit_world}) {
    for (int k = 0; k < 3 && points != nullptr; ++k) points[pixel + k * out.plane] = kNoNumber;
  }
}

}  // namespace fathom::device

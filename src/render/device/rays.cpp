// SPDX-License-Identifier: MIT
#include "render/device/rays.hpp"

#include <algorithm>
#include <span>

namespace fathom::device {

namespace {

/// What keeps part of an array, [begin, end) of it; an empty array stays so.
template <class T>
const T* keep_part(const std::vector<T>& values, std::size_t begin, std::size_t end, Keeper& keeper) {
  if (values.empty()) return nullptr;
  return from_first(keeper.keep(std::span(values).subspan(begin, end - begin)), begin);
}

/// The rays of a tile: the least and one more than the greatest.
Window window_of_tile(const CastPlan& plan, std::uint32_t tile) {
  Window w = {plan.first_lanes[tile], plan.first_lanes[tile + 1], plan.rows * plan.cols, 0};
  for (std::uint32_t quad = w.lane_begin / 4; quad < w.lane_end / 4; ++quad) {
    const QuadTarget& target = plan.targets[quad];
    if (target.filled == 0) continue;
    w.ray_begin = std::min(w.ray_begin, target.index), w.ray_end = std::max(w.ray_end, target.index + target.filled);
  }
  return w;
}

/// The smallest windows that share no ray's place.
std::vector<Window> bands_of(const CastPlan& plan) {
  std::vector<Window> tiles;
  for (std::uint32_t tile = 0; tile < plan.blocks(); ++tile) tiles.push_back(window_of_tile(plan, tile));
  std::vector<std::uint32_t> least(tiles.size() + 1, plan.rows * plan.cols);  // of the rays of all tiles from here on
  for (std::size_t i = tiles.size(); i-- > 0;) least[i] = std::min(least[i + 1], tiles[i].ray_begin);
  std::vector<Window> bands;
  bool open = false;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (!open) {
      bands.push_back(tiles[i]);
    } else {
      Window& band = bands.back();
      band.lane_end = tiles[i].lane_end, band.ray_end = std::max(band.ray_end, tiles[i].ray_end);
      band.ray_begin = std::min(band.ray_begin, tiles[i].ray_begin);
    }
    open = bands.back().ray_end > least[i + 1];
  }
  return bands;
}

}  // namespace

Window whole(const CastPlan& plan) { return {0, plan.lanes(), 0, plan.rows * plan.cols}; }

std::vector<Window> windows_of(const CastPlan& plan, std::uint32_t most_lanes) {
  std::vector<Window> windows;
  for (const Window& band : bands_of(plan)) {
    if (!windows.empty() && band.lane_end - windows.back().lane_begin <= most_lanes) {
      windows.back().lane_end = band.lane_end, windows.back().ray_end = band.ray_end;
    } else {
      windows.push_back(band);
    }
  }
  return windows;
}

Rays rays_of(const CastPlan& plan, const Window& window, Keeper& keeper) {
  const auto lanes = [&](const auto& values) { return keep_part(values, window.lane_begin, window.lane_end, keeper); };
  const auto quads = [&](const auto& values) {
    return keep_part(values, window.lane_begin / 4, window.lane_end / 4, keeper);
  };
  Rays rays = {};
  rays.dx = lanes(plan.dx), rays.dy = lanes(plan.dy), rays.dz = lanes(plan.dz);
  rays.ox = lanes(plan.ox), rays.oy = lanes(plan.oy), rays.oz = lanes(plan.oz);
  rays.min_per_lane = plan.min_range_m.size() > 1, rays.max_per_lane = plan.max_range_m.size() > 1;
  rays.min_range_m = rays.min_per_lane ? lanes(plan.min_range_m) : keeper.keep(std::span(plan.min_range_m));
  rays.max_range_m = rays.max_per_lane ? lanes(plan.max_range_m) : keeper.keep(std::span(plan.max_range_m));
  rays.quad_keys = quads(plan.quad_keys), rays.targets = quads(plan.targets);
  rays.time_index = lanes(plan.time_index);
  rays.lanes = window.lane_end, rays.rows = plan.rows, rays.cols = plan.cols;
  return rays;
}

Image image_of(const RayPattern& pattern, const Window& window, Keeper& keeper) {
  const auto part = [&](const auto& values) { return keep_part(values, window.ray_begin, window.ray_end, keeper); };
  return {part(pattern.direction_x), part(pattern.direction_y), part(pattern.direction_z), part(pattern.ring)};
}

}  // namespace fathom::device

// SPDX-License-Identifier: MIT
#include <fathom/parts/posed_rays.hpp>

#include <algorithm>
#include <stdexcept>

#include <fathom/math/f32.hpp>

#include "cast/tile.hpp"
#include "parts/find_ray_grid.hpp"
#include "parts/ray_layout.hpp"
#include "parts/ray_tiles.hpp"
#include "parts/trace_lanes.hpp"

namespace fathom {

namespace {

void pad(float (&lanes)[kBlockRays], std::uint32_t count) {
  std::fill(lanes + count, lanes + whole_packets(count), lanes[count - 1]);
}

/// Rays in the order in which blocks hold them.
std::vector<std::uint32_t> order_of_lanes(const RayLayout& layout) {
  std::vector<std::uint32_t> order;
  for (std::size_t strip = 0; strip < layout.strips(); ++strip) {
    layout.for_each_block(strip, [&](const RayTiles& block) {
      for (std::uint32_t lane = 0; lane < block.count; ++lane) order.push_back(block.ray_of(lane));
    });
  }
  return order;
}

/// The number of lanes before a block: those of whole bands of tiles, and those of the blocks to its left.
std::size_t first_lane(const RayTiles& block, const RayGrid& grid, std::uint32_t tiled_rays) {
  if (block.rows == 1) {
    if (block.first < tiled_rays) throw std::logic_error("a row of a grid that lies in tiles");
    return block.first;
  }
  if (block.rows != grid.tile_rows || block.stride != grid.row) throw std::logic_error("tiles of another grid");
  const std::uint32_t in_band = block.first % (block.rows * block.stride);
  return block.first - in_band + std::size_t{in_band} * block.rows;
}

/// Quads count through all rays.
void name_quads(const RayTiles& tiles, std::uint32_t (&quads)[kBlockRays / kQuadRays + 8]) {
  std::fill(std::begin(quads), std::end(quads), 0U);
  for_each_run(tiles, [&](std::uint32_t lane, std::uint32_t ray, std::uint32_t n) {
    for (std::uint32_t k = 0; k < n; k += kQuadRays) quads[(lane + k) / kQuadRays] = (ray + k) / kQuadRays;
  });
}

}  // namespace

PosedRayTable::PosedRayTable(std::span<const Matrix34> rays)
    : count_(static_cast<std::uint32_t>(rays.size())), grid_(find_grid(rays)) {
  const std::vector<std::uint32_t> order = order_of_lanes(RayLayout(count_, grid_));
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 3; ++row) {
      std::vector<float>& part = parts_[3 * column + row];
      part.resize(rays.size());
      for (std::size_t i = 0; i < rays.size(); ++i) part[i] = rays[order[i]][row][column];
      // Most sensors' rays start in one point: their origins are then not read from memory.
      const auto same = [&](float v) { return math::bits_of(v) == math::bits_of(part.front()); };
      if (std::all_of(part.begin(), part.end(), same)) part.resize(std::min<std::size_t>(part.size(), 1));
    }
  }
}

void PosedRayTable::load(PosedRayBlock& block) const {
  const std::size_t begin = first_lane(block.tiles, grid_, RayLayout(count_, grid_).tiled_rays());
  const auto copy = [&](std::size_t part, float(&lanes)[kBlockRays]) {
    const std::vector<float>& values = parts_[part];
    if (values.size() == 1) return void(std::fill_n(lanes, whole_packets(block.tiles.count), values.front()));
    std::copy_n(values.data() + begin, block.tiles.count, lanes);
    pad(lanes, block.tiles.count);
  };
  RayBlock &ray = block.ray, &side = block.side;
  ray.count = side.count = whole_packets(block.tiles.count);
  side.from_sensor_origin = false;
  const auto is_zero = [](const std::vector<float>& part) { return part.size() == 1 && part.front() == 0.0F; };
  ray.from_sensor_origin = is_zero(parts_[9]) && is_zero(parts_[10]) && is_zero(parts_[11]);
  copy(6, ray.dx), copy(7, ray.dy), copy(8, ray.dz);
  copy(9, ray.ox), copy(10, ray.oy), copy(11, ray.oz);
  if (!block.wants_sides) return;
  copy(0, side.dx), copy(1, side.dy), copy(2, side.dz);
  copy(3, side.ox), copy(4, side.oy), copy(5, side.oz);
}

void transform_rays(const Affine& a, Isa isa, PosedRayBlock& block) {
  if (a == Affine{}) return;
  RayBlock &ray = block.ray, &side = block.side;
  const TraceKernels& lanes = trace_kernels(isa);
  if (ray.from_sensor_origin) {
    const Vec3 at = translation_of(a);
    std::fill_n(ray.ox, ray.count, static_cast<float>(at.x));
    std::fill_n(ray.oy, ray.count, static_cast<float>(at.y));
    std::fill_n(ray.oz, ray.count, static_cast<float>(at.z));
    ray.from_sensor_origin = false;
  } else {
    lanes.transform(a, true, ray.count, ray.ox, ray.oy, ray.oz);
  }
  lanes.transform(a, false, ray.count, ray.dx, ray.dy, ray.dz);
  if (!block.wants_sides) return;
  lanes.transform(a, false, side.count, side.ox, side.oy, side.oz);
  lanes.transform(a, false, side.count, side.dx, side.dy, side.dz);
}

void apply_noise(const Noise& noise, const NoiseKey& key, Isa isa, PosedRayBlock& block) {
  if (noise.is_identity() || noise.stage() != Stage::kRay || block.tiles.count == 0) return;
  std::uint32_t quads[kBlockRays / kQuadRays + 8];
  name_quads(block.tiles, quads);
  block.ray.quads = block.side.quads = quads;
  ReturnBlock none;
  DrawBuffer draws;
  noise.apply(isa, key, block.ray, none, draws);
  // The same key gives the same draws, so the other two axes of each ray turn with it.
  if (block.wants_sides) noise.apply(isa, key, block.side, none, draws);
  block.ray.quads = block.side.quads = nullptr;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <fathom/core/f32.hpp>

#include "parts/lanes.hpp"
#include "parts/ray_layout.hpp"
#include "parts/tracer.hpp"
#include "trace/tile.hpp"

namespace fathom {

namespace {

/// The least number of rays in a strip, except the last. It hides the cost of a task. A frame of 16 rings still fills
/// several threads, and all arrays of a strip fit in the second-level cache.
constexpr std::uint32_t kStripRays = 1024;
std::uint32_t parts_of(std::uint32_t whole, std::uint32_t part) { return (whole + part - 1) / part; }

}  // namespace

RayLayout::RayLayout(std::uint32_t rays, const RayGrid& grid) : rays_(rays) {
  const std::uint32_t rows = grid.tile_rows;
  const std::uint32_t cols = RayTiles{.first = 0, .count = 0, .rows = rows, .stride = 0}.cols();
  const bool known = rows == 2 || rows == 4 || rows == 8 || rows == 16;
  if (known && grid.row > 0 && grid.row % cols == 0 && grid.row <= kLongestBand / rows) {
    rows_ = rows, row_ = grid.row;
    const std::uint32_t band = rows_ * row_, blocks = parts_of(row_, kBlockRays / rows_);
    block_cols_ = parts_of(parts_of(row_, blocks), cols) * cols;  // blocks of about the same size
    tall_rays_ = rays / band * band;
    tall_strip_ = band * parts_of(kStripRays, band);
    tall_strips_ = parts_of(tall_rays_, tall_strip_);
  }
  flat_strips_ = parts_of(rays - tall_rays_, kStripRays);
}

RayStrip RayLayout::strip(std::size_t number) const {
  const bool tall = number < tall_strips_;
  const auto n = static_cast<std::uint32_t>(tall ? number : number - tall_strips_);
  const std::uint32_t begin = tall ? n * tall_strip_ : tall_rays_ + n * kStripRays;
  const std::uint32_t size = tall ? tall_strip_ : kStripRays, end = tall ? tall_rays_ : rays_;
  return {begin, lesser(begin + size, end)};
}

namespace {

/// The longest row to search for.
constexpr std::uint32_t kLongestRow = 8192;

class Directions {
 public:
  explicit Directions(std::span<const Matrix34> rays) : rays_(rays) {}

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(rays_.size()); }
  [[nodiscard]] double angle_between(std::uint32_t a, std::uint32_t b) const {
    const Vec3 x = at(a), y = at(b);
    return std::atan2(norm(cross(x, y)), dot(x, y));
  }
  /// Median angle between rays `step` apart, over a sample of the list.
  [[nodiscard]] double typical_step_rad(std::uint32_t step) const {
    constexpr std::uint32_t kSamples = 64;
    std::vector<double> angles;
    // Scattered by the golden ratio: evenly spaced rays might all be in one column.
    constexpr std::uint64_t kGolden = 0x9e3779b1U;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      const auto ray = static_cast<std::uint32_t>(i * kGolden % (size() - step));
      const double angle = angle_between(ray, ray + step);
      angles.push_back(std::isnan(angle) ? std::numbers::pi : angle);
    }
    std::nth_element(angles.begin(), angles.begin() + kSamples / 2, angles.end());
    return angles[kSamples / 2];
  }

 private:
  [[nodiscard]] Vec3 at(std::uint32_t i) const {
    const Matrix34& m = rays_[i];
    return {m[0][2], m[1][2], m[2][2]};
  }

  std::span<const Matrix34> rays_;
};

/// The index of the ray nearest to the first one after the list has left it and returned; 0 if it does not return. The
/// list has left after three steps, and is back at half of its greatest distance. The search ends three steps behind
/// the nearest ray.
std::uint32_t find_return(const Directions& rays, double step_rad) {
  double farthest = 0.0, nearest = std::numeric_limits<double>::infinity();
  std::uint32_t found = 0;
  for (std::uint32_t i = 1; i < std::min(rays.size(), kLongestRow + 4); ++i) {
    const double angle = rays.angle_between(0, i);
    farthest = std::max(farthest, angle);
    const bool back = found != 0 || (farthest > 3.0 * step_rad && angle < 0.5 * farthest);
    if (!back) continue;
    if (angle < nearest) nearest = angle, found = i;
    if (angle > nearest + 3.0 * step_rad) break;
  }
  return found;
}

/// The length near `row` at which rays are nearest to the rays below them. `row` itself may be off by a few rays: a
/// full turn also returns to the first ray's neighbours in its row.
std::uint32_t settle_row(const Directions& rays, std::uint32_t row) {
  std::uint32_t best = row;
  double best_rad = std::numeric_limits<double>::infinity();
  for (std::uint32_t r = row - 2; r <= row + 2 && r < rays.size(); ++r) {
    const double angle = rays.typical_step_rad(r);
    if (angle < best_rad) best_rad = angle, best = r;
  }
  return best;
}

/// Finds the rows in which rays lie, if any. A row ends where the list returns to the direction of its first ray.
RayGrid find_grid(std::span<const Matrix34> sensor_from_ray) {
  const Directions rays(sensor_from_ray);
  if (rays.size() < 2 * kPacketRays) return {};
  const double step_rad = rays.typical_step_rad(1);
  const std::uint32_t near_row = step_rad > 0.0 ? find_return(rays, step_rad) : 0;
  if (near_row < kPacketRays / 2) return {};
  const std::uint32_t row = settle_row(rays, near_row);
  if (rays.size() < 2 * row) return {};
  const RaySteps steps = {step_rad, rays.typical_step_rad(row), rays.size() / row};
  const RayRectangle packet = choose_packet(steps);
  const bool near = steps.rows >= 4 && 3.0 * steps.row_rad <= 0.5 * kCoherentRad;
  if (!near) return {row, packet.rows};
  std::uint32_t rows = std::max(choose_tile(steps, packet).rows, 4U);
  while (rows > 4 && (rows * row > kLongestBand || steps.rows % rows != 0)) rows /= 2;
  return {row, rows};
}

void pad(float (&lanes)[kBlockRays], std::uint32_t count) {
  std::fill(lanes + count, lanes + whole_packets(count), lanes[count - 1]);
}

/// Rays in the order of blocks.
std::vector<std::uint32_t> order_of_lanes(const RayLayout& layout) {
  std::vector<std::uint32_t> order;
  for (std::size_t strip = 0; strip < layout.strips(); ++strip) {
    layout.for_each_block(strip, [&](const RayTiles& block) {
      for (std::uint32_t lane = 0; lane < block.count; ++lane) order.push_back(block.ray_of(lane));
    });
  }
  return order;
}

/// The number of lanes before a block: in whole bands of tiles, and in the blocks to its left.
std::size_t first_lane(const RayTiles& block, const RayGrid& grid, std::uint32_t tiled_rays) {
  if (block.rows == 1) {
    if (block.first < tiled_rays) throw std::logic_error("a row of a grid that is in tiles");
    return block.first;
  }
  if (block.rows != grid.tile_rows || block.stride != grid.row) throw std::logic_error("tiles of another grid");
  const std::uint32_t in_band = block.first % (block.rows * block.stride);
  return block.first - in_band + std::size_t{in_band} * block.rows;
}

/// Numbers quads over all rays.
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
      // The rays of most sensors start at one point: then loading reads no origins from memory.
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
  // The same key gives the same draws, so the other two axes of a ray turn with it.
  if (block.wants_sides) noise.apply(isa, key, block.side, none, draws);
  block.ray.quads = block.side.quads = nullptr;
}

}  // namespace fathom

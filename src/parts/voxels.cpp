// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/parts/clouds.hpp>

namespace fathom {

namespace {

struct Cell {
  std::int64_t x, y, z;
  friend bool operator==(const Cell&, const Cell&) = default;
};
struct CellHash {
  std::size_t operator()(const Cell& c) const {
    return static_cast<std::size_t>(c.x) * 73856093U ^ static_cast<std::size_t>(c.y) * 19349663U ^
           static_cast<std::size_t>(c.z) * 83492791U;
  }
};
struct Sum {
  Vec3 total;
  std::size_t count = 0;
};

std::int64_t cell_along(double v, double leaf) {
  const double cell = std::floor(v / leaf);
  if (!(std::abs(cell) < 0x1p31))
    throw InputError(fmt::format("a coordinate of {} m is more than 2^31 leaves of {} m", v, leaf));
  return static_cast<std::int64_t>(cell);
}

constexpr std::uint32_t kNowhere = 0xffffffffU;

}  // namespace

VoxelGrid downsample(std::span<const float> xyz, const Vec3& leaf_m) {
  for (const double leaf : {leaf_m.x, leaf_m.y, leaf_m.z}) {
    if (!(leaf > 0.0 && std::isfinite(leaf))) throw InputError(fmt::format("leaf = {} is not in (0, inf) m", leaf));
  }
  const std::size_t count = xyz.size() / 3;
  const auto point = [&](std::size_t i) { return Vec3{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}; };
  std::unordered_map<Cell, std::uint32_t, CellHash> cells;
  std::vector<Sum> sums;
  std::vector<std::uint32_t> cell_of(count, kNowhere);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p = point(i);
    if (!(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z))) continue;
    const Cell cell = {cell_along(p.x, leaf_m.x), cell_along(p.y, leaf_m.y), cell_along(p.z, leaf_m.z)};
    cell_of[i] = cells.try_emplace(cell, static_cast<std::uint32_t>(sums.size())).first->second;
    if (cell_of[i] == sums.size()) sums.push_back({});
    Sum& sum = sums[cell_of[i]];
    sum.total = sum.total + p;
    ++sum.count;
  }
  VoxelGrid grid;
  grid.nearest.resize(sums.size());
  std::vector<double> best(sums.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t c = cell_of[i];
    if (c == kNowhere) continue;
    const double distance = norm(point(i) - (1.0 / static_cast<double>(sums[c].count)) * sums[c].total);
    if (distance < best[c]) best[c] = distance, grid.nearest[c] = static_cast<std::uint32_t>(i);
  }
  for (const Sum& sum : sums) {
    const Vec3 mean = (1.0 / static_cast<double>(sum.count)) * sum.total;
    for (const double v : {mean.x, mean.y, mean.z}) grid.xyz.push_back(static_cast<float>(v));
  }
  return grid;
}

}  // namespace fathom

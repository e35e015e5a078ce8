// SPDX-License-Identifier: MIT
#include "bench/mrpt_grid.hpp"

#include <mrpt/maps/COccupancyGridMap2D.h>

namespace fathom::bench {

struct MrptGrid::Impl {
  mrpt::maps::COccupancyGridMap2D grid;
};

MrptGrid::MrptGrid(const GridMap& map) : impl_(std::make_unique<Impl>()) {
  const auto resolution = static_cast<float>(map.resolution_m);
  impl_->grid.setSize(0, static_cast<float>(map.cols) * resolution, 0, static_cast<float>(map.rows) * resolution,
                      resolution, 1.0F);
  for (std::uint32_t y = 0; y < map.rows; ++y) {
    for (std::uint32_t x = 0; x < map.cols; ++x) {
      const bool occupied = map.cells[std::size_t{y} * map.cols + x] == Cell::kOccupied;
      impl_->grid.setCell(static_cast<int>(x), static_cast<int>(y), occupied ? 0.0F : 1.0F);
    }
  }
}

MrptGrid::~MrptGrid() = default;

double MrptGrid::cast(double x_m, double y_m, double angle_rad, double limit_m) const {
  float range = 0.0F;
  bool valid = false;
  impl_->grid.simulateScanRay(x_m, y_m, angle_rad, range, valid, limit_m);
  return valid ? static_cast<double>(range) : limit_m;
}

}  // namespace fathom::bench

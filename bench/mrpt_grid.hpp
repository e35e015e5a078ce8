// SPDX-License-Identifier: MIT
#pragma once
// MRPT's ray caster (COccupancyGridMap2D::simulateScanRay), as its localisation uses it.

#include <memory>

#include <fathom/scene/grid_map.hpp>

namespace fathom::bench {

class MrptGrid {
 public:
  explicit MrptGrid(const GridMap& map);
  ~MrptGrid();
  /// Range in metres from (x, y), metres in the map's frame, towards `angle_rad`; `limit_m` where nothing is met.
  [[nodiscard]] double cast(double x_m, double y_m, double angle_rad, double limit_m) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom::bench

// SPDX-License-Identifier: MIT
#pragma once
// Small maps, and one ray cast by every caster there is.

#include <fathom/scene/expected_ranges.hpp>

#include "support/casters.hpp"
#include "support/expect.hpp"

namespace fathom::test {

inline GridMap empty_map(std::uint32_t cols, std::uint32_t rows, double resolution_m = 1.0) {
  GridMap map;
  map.cols = cols;
  map.rows = rows;
  map.resolution_m = resolution_m;
  map.cells.assign(std::size_t{cols} * rows, Cell::kFree);
  return map;
}

inline void set(GridMap& map, std::uint32_t x, std::uint32_t y, Cell cell = Cell::kOccupied) {
  map.cells[std::size_t{y} * map.cols + x] = cell;
}

inline std::vector<GridCasterOptions::Precision> precisions() {
  return {GridCasterOptions::Precision::kOracle, GridCasterOptions::Precision::kDouble,
          GridCasterOptions::Precision::kFast};
}

/// Range of one ray from a pose, with every caster; they must agree.
inline double cast_ray(const GridMap& map, const PlanarPose& pose, const RayFan& fan, double limit_m,
                       UnknownCells unknown) {
  std::vector<float> first;
  for (const GridCasterOptions::Precision precision : precisions()) {
    for (const Isa isa : usable_isas()) {
      const auto ranges = make_grid_ranges(map, {unknown, precision, isa});
      std::vector<float> out(1);
      const std::vector<Pose> poses = {pose.at_height()};
      ranges->cast(poses, fan, limit_m, out);
      if (first.empty()) first = out;
      EXPECT_NEAR(out[0], first[0], 1e-5 * limit_m) << static_cast<int>(precision) << to_string(isa);
    }
  }
  return first[0];
}

/// The same at azimuth 0 from (x, y, yaw).
inline double cast_one(const GridMap& map, const PlanarPose& pose, double limit_m = 100,
                       UnknownCells unknown = UnknownCells::kFree) {
  return cast_ray(map, pose, RayFan::planar(std::vector<double>{0.0}), limit_m, unknown);
}

/// The same along an axis, exactly: a yaw of pi would run 1e-16 aside.
inline double cast_along(const GridMap& map, double x, double y, float dx, float dy) {
  return cast_ray(map, {x, y, 0}, {{dx}, {dy}, {0.0F}}, 100, UnknownCells::kFree);
}

}  // namespace fathom::test

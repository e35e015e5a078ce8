// SPDX-License-Identifier: MIT
// Grids of parallel rays.

#include <array>
#include <cmath>

#include "sensor/kinds.hpp"
#include "sensor/ray_count.hpp"

namespace fathom {

namespace {

constexpr double kMaxSizeM = 1e4;

constexpr std::array<Field<GridScanner>, 7> kGridScannerFields = {{
    {"size_x_m", "m", &GridScanner::size_x_m, 0, kMaxSizeM, "extent of the grid along x", true},
    {"size_y_m", "m", &GridScanner::size_y_m, 0, kMaxSizeM, "extent of the grid along y", true},
    {"resolution_m", "m", &GridScanner::resolution_m, 1e-4, kMaxSizeM, "distance of neighbouring points"},
    {"start_height_m", "m", &GridScanner::start_height_m, -kMaxSizeM, kMaxSizeM,
     "height of the rays' origins above the sensor"},
    {"alignment", "base|yaw|world", choice<&GridScanner::alignment>, 0, 2, "what the axes of the grid follow"},
    {"min_range_m", "m", &GridScanner::min_range_m, 0, kMaxRangeM, "nearest range measured"},
    {"max_range_m", "m", &GridScanner::max_range_m, 0, kMaxRangeM, "farthest range measured"},
}};

std::uint32_t points(double size_m, double resolution_m) {
  // 0.3 / 0.1 is 2.9999999999999996: a division alone would lose the last point.
  return static_cast<std::uint32_t>(std::floor(size_m / resolution_m + 1e-6)) + 1;
}

}  // namespace

std::span<const Field<GridScanner>> GridScanner::fields() { return kGridScannerFields; }

PatternShape shape_of(const GridScanner& grid) {
  return {points(grid.size_y_m, grid.resolution_m), points(grid.size_x_m, grid.resolution_m)};
}

void GridScanner::check() const {
  check_range_limits(kSlug, min_range_m, max_range_m);
  const PatternShape shape = shape_of(*this);
  check_ray_count(kSlug, "points along y", shape.rows, "points along x", shape.cols);
}

void describe(const GridScanner& grid, SensorView& view) {
  view.one_origin = false;
  switch (grid.alignment) {
    case GridAlignment::kBase:
      view.axes = AxesFollow::kBody;
      break;
    case GridAlignment::kYaw:
      view.axes = AxesFollow::kHeading;
      break;
    case GridAlignment::kWorld:
      view.axes = AxesFollow::kWorld;
      break;
  }
}

void write_rays(const GridScanner& grid, std::uint32_t /*frame*/, RayPattern& out) {
  const PatternShape shape = shape_of(grid);
  start_pattern(out, shape, grid.min_range_m, grid.max_range_m);
  const std::size_t count = std::size_t{shape.rows} * shape.cols;
  for (std::vector<float>* array : {&out.origin_x, &out.origin_y, &out.origin_z}) array->resize(count);
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    for (std::uint32_t col = 0; col < shape.cols; ++col) {
      const std::size_t i = std::size_t{row} * shape.cols + col;
      out.origin_x[i] = static_cast<float>((col - (shape.cols - 1) / 2.0) * grid.resolution_m);
      out.origin_y[i] = static_cast<float>((row - (shape.rows - 1) / 2.0) * grid.resolution_m);
      out.origin_z[i] = static_cast<float>(grid.start_height_m);
      set_direction(out, i, 0.0, 0.0, -1.0);
    }
  }
}

}  // namespace fathom

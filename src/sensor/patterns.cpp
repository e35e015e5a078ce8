// SPDX-License-Identifier: MIT
// Functions that the kinds of sensor share to write their rays.

#include <fathom/base/error.hpp>

#include "sensor/kinds.hpp"

namespace fathom {

void check_range_limits(std::string_view kind, double min_range_m, double max_range_m) {
  if (min_range_m < max_range_m) return;
  throw InputError(fmt::format("{}.min_range_m = {} is not below max_range_m = {}", kind, number_text(min_range_m),
                               number_text(max_range_m)));
}

std::set<std::uint32_t> count_rings(std::uint32_t rows) {
  std::set<std::uint32_t> rings;
  for (std::uint32_t row = 0; row < rows; ++row) rings.insert(rings.end(), row);
  return rings;
}

void start_pattern(RayPattern& out, const PatternShape& shape, double min_range_m, double max_range_m) {
  const std::size_t rays = std::size_t{shape.rows} * shape.cols;
  out.rows = shape.rows;
  out.cols = shape.cols;
  for (std::vector<float>* array : {&out.direction_x, &out.direction_y, &out.direction_z}) array->resize(rays);
  for (std::vector<float>* array : {&out.origin_x, &out.origin_y, &out.origin_z, &out.time_offset_s}) array->clear();
  out.ring.clear();
  out.min_range_m.assign(1, static_cast<float>(min_range_m));
  out.max_range_m.assign(1, static_cast<float>(max_range_m));
}

void set_direction(RayPattern& out, std::size_t i, double x, double y, double z) {
  out.direction_x[i] = static_cast<float>(x);
  out.direction_y[i] = static_cast<float>(y);
  out.direction_z[i] = static_cast<float>(z);
}

}  // namespace fathom

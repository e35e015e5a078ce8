// SPDX-License-Identifier: MIT
#include "render/sensor_rays.hpp"

#include <utility>

#include "sensor/sensor_view.hpp"

namespace fathom {

bool same_rays(const RayPattern& a, const RayPattern& b) {
  return a.rows == b.rows && a.cols == b.cols && a.direction_x == b.direction_x && a.direction_y == b.direction_y &&
         a.direction_z == b.direction_z && a.origin_x == b.origin_x && a.origin_y == b.origin_y &&
         a.origin_z == b.origin_z && a.min_range_m == b.min_range_m && a.max_range_m == b.max_range_m &&
         a.time_offset_s == b.time_offset_s && a.ring == b.ring;
}

void SensorRays::set_model(const SensorModel& model, bool rolling) {
  RayPattern pattern;
  update_pattern(model, 0, pattern);
  frame_ = 0;
  if (plan_.revision > 0 && same_rays(pattern, pattern_)) return;
  pattern_ = std::move(pattern);
  make_plan(pattern_, rolling, plan_);
}

void SensorRays::set_frame(const SensorModel& model, bool rolling, std::uint32_t index) {
  if (frame_ == index) return;
  update_pattern(model, index, pattern_);
  make_plan(pattern_, rolling, plan_);
  frame_ = index;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include "render/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sensor/sensor_view.hpp"
#include "trace/tile.hpp"

namespace fathom {

namespace {

double angle_between(const RayPattern& p, std::size_t a, std::size_t b) {
  const double c = static_cast<double>(p.direction_x[a]) * p.direction_x[b] +
                   static_cast<double>(p.direction_y[a]) * p.direction_y[b] +
                   static_cast<double>(p.direction_z[a]) * p.direction_z[b];
  return std::acos(std::clamp(c, -1.0, 1.0));
}

/// Median angle between rays `step` apart (in index), over a sample of the frame.
double typical_step_rad(const RayPattern& p, bool along_row) {
  const std::uint32_t last_row = p.rows - (along_row ? 1 : 2);
  const std::uint32_t last_col = p.cols - (along_row ? 2 : 1);
  std::array<double, 64> steps{};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t row = last_row * (i % 8) / 7, col = last_col * (i / 8) / 7;
    const std::size_t ray = row * p.cols + col;
    steps[i] = angle_between(p, ray, ray + (along_row ? 1 : p.cols));
  }
  std::nth_element(steps.begin(), steps.begin() + 32, steps.end());
  return steps[32];
}

void plan_tiles(const RayPattern& p, CastOrder order, CastPlan& plan) {
  if (order == CastOrder::kRows) {
    const std::uint32_t width = std::min(whole_packets(p.cols), kBlockRays);
    plan.packet = {}, plan.tile = {width, kBlockRays / width};
    return;
  }
  const double col_step = p.cols > 1 ? typical_step_rad(p, true) : 0.0;
  const double row_step = p.rows > 1 ? typical_step_rad(p, false) : 0.0;
  const RaySteps steps = {col_step, row_step, p.rows};
  plan.packet = choose_packet(steps);
  plan.tile = choose_tile(steps, plan.packet);
  plan.coherent = plan.packet.extent_rad <= kCoherentRad;
}

/// Appends the lanes of the packet whose first ray is at (top, left); lanes outside the frame repeat rays at its
/// border.
void append_packet(std::uint32_t top, std::uint32_t left, CastPlan& plan) {
  const std::uint32_t quads_per_row = (plan.cols + kQuadRays - 1) / kQuadRays;
  for (std::uint32_t lane = 0; lane < kPacketRays; lane += kQuadRays) {
    const std::uint32_t row = top + lane / plan.packet.cols, col = left + lane % plan.packet.cols;
    const bool exists = row < plan.rows && col < plan.cols;
    const std::uint32_t filled = exists ? std::min(kQuadRays, plan.cols - col) : 0;
    plan.quad_keys.push_back(row * quads_per_row + col / kQuadRays);
    plan.targets.push_back({exists ? row * plan.cols + col : 0, filled});
    for (std::uint32_t k = 0; k < kQuadRays; ++k) {
      plan.ray_of_lane.push_back(std::min(row, plan.rows - 1) * plan.cols + std::min(col + k, plan.cols - 1));
    }
  }
}

/// Appends the packets of the tile whose first ray is at (top, left), except packets outside the frame.
void append_tile(std::uint32_t top, std::uint32_t left, CastPlan& plan) {
  const std::uint32_t bottom = std::min(top + plan.tile.rows, plan.rows);
  const std::uint32_t right = std::min(left + plan.tile.cols, plan.cols);
  for (std::uint32_t row = top; row < bottom; row += plan.packet.rows) {
    for (std::uint32_t col = left; col < right; col += plan.packet.cols) append_packet(row, col, plan);
  }
  const std::uint32_t begin = plan.first_lanes.back(), end = static_cast<std::uint32_t>(plan.ray_of_lane.size());
  const QuadTarget first = plan.targets[begin / kQuadRays], last = plan.targets[end / kQuadRays - 1];
  const bool is_run =
      plan.packet.rows == 1 && last.filled == kQuadRays && last.index - first.index + kQuadRays == end - begin;
  plan.first_rays.push_back(is_run ? first.index : CastPlan::kNoRun);
  plan.first_lanes.push_back(end);
}

/// Copies one per-ray array into lane order.
template <class T>
void permute(const std::vector<T>& from, const std::vector<std::uint32_t>& ray_of_lane, std::vector<T>& to) {
  to.resize(from.empty() ? 0 : ray_of_lane.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[ray_of_lane[i]];
}

/// Copies an array that may hold one value for all rays.
void permute_or_keep(const std::vector<float>& from, const std::vector<std::uint32_t>& ray_of_lane,
                     std::vector<float>& to) {
  if (from.size() == 1) {
    to = from;
  } else {
    permute(from, ray_of_lane, to);
  }
}

void index_times(const RayPattern& pattern, const std::vector<std::uint32_t>& ray_of_lane, CastPlan& plan) {
  plan.times_s = pattern.time_offset_s;
  std::sort(plan.times_s.begin(), plan.times_s.end());
  plan.times_s.erase(std::unique(plan.times_s.begin(), plan.times_s.end()), plan.times_s.end());
  plan.time_index.resize(plan.times_s.empty() ? 0 : ray_of_lane.size());
  for (std::size_t i = 0; i < plan.time_index.size(); ++i) {
    const float time = pattern.time_offset_s[ray_of_lane[i]];
    const auto found = std::lower_bound(plan.times_s.begin(), plan.times_s.end(), time);
    plan.time_index[i] = static_cast<std::uint32_t>(found - plan.times_s.begin());
  }
}

}  // namespace

void make_plan(const RayPattern& pattern, bool with_times, CastPlan& plan, CastOrder order) {
  ++plan.revision;
  plan.rows = pattern.rows, plan.cols = pattern.cols;
  plan_tiles(pattern, order, plan);
  plan.ray_of_lane.clear();
  plan.quad_keys.clear();
  plan.targets.clear();
  plan.first_rays.clear();
  plan.first_lanes.assign(1, 0);
  for (std::uint32_t top = 0; top < plan.rows; top += plan.tile.rows) {
    for (std::uint32_t left = 0; left < plan.cols; left += plan.tile.cols) append_tile(top, left, plan);
  }
  const std::vector<std::uint32_t>& ray_of_lane = plan.ray_of_lane;
  // A block begins at any fourth quad, and RayBlock::quads is read up to the eighth behind that: 4 more than there are.
  plan.quad_keys.resize(plan.quad_keys.size() + 4);
  permute(pattern.direction_x, ray_of_lane, plan.dx);
  permute(pattern.direction_y, ray_of_lane, plan.dy);
  permute(pattern.direction_z, ray_of_lane, plan.dz);
  permute(pattern.origin_x, ray_of_lane, plan.ox);
  permute(pattern.origin_y, ray_of_lane, plan.oy);
  permute(pattern.origin_z, ray_of_lane, plan.oz);
  plan.from_sensor_origin = plan.ox.empty();
  permute_or_keep(pattern.min_range_m, ray_of_lane, plan.min_range_m);
  permute_or_keep(pattern.max_range_m, ray_of_lane, plan.max_range_m);
  plan.times_s.clear();
  plan.time_index.clear();
  if (with_times) index_times(pattern, ray_of_lane, plan);
}

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
  make_plan(pattern_, rolling, plan_, order_);
}

void SensorRays::set_frame(const SensorModel& model, bool rolling, std::uint32_t index) {
  if (frame_ == index) return;
  update_pattern(model, index, pattern_);
  make_plan(pattern_, rolling, plan_, order_);
  frame_ = index;
}

/// In steps of the samples on the middle cone.
constexpr double kMiddleTurn = 0.5;

SamplePlan make_sample_plan(const Sensor& sensor, const Divergence& divergence) {
  const double across = divergence.horizontal_rad, up = divergence.vertical_rad;
  SamplePlan plan;
  plan.directions = diverging_samples(across, up, kMiddleTurn);
  plan.weights = sample_weights(divergence.profile);
  plan.separation_m = divergence.separation_m;
  plan.coherent = std::max(across, up) <= kCoherentRad;
  plan.choices = sensor.returns;
  plan.coinciding = sensor.coinciding;
  plan.light_paths = sensor.light_paths;
  plan.half_angle_rad = static_cast<float>(0.5 * std::max(across, up));
  return plan;
}

}  // namespace fathom

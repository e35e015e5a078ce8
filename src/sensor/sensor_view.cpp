// SPDX-License-Identifier: MIT
#include "sensor/sensor_view.hpp"

#include <utility>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>

#include "sensor/kinds.hpp"

namespace fathom {

void validate(const SensorModel& model) {
  std::visit([](const auto& kind) { validate(kind); }, model);
}

SensorView make_view(const SensorModel& model) {
  SensorView view;
  std::visit(
      [&](const auto& kind) {
        view.shape = shape_of(kind);
        view.usual_policy = usual_policy(kind);
        view.farthest_m = farthest_range_m(kind);
        describe(kind, view);
      },
      model);
  return view;
}

void check_divergence(const Divergence& divergence, const SensorView& view) {
  if (!divergence.diverges() || !(view.optics.baseline_m > 0.0F)) return;
  throw InputError("a divergence is of rays that a sensor sends out; two cameras see points, each from its place");
}

std::set<std::uint32_t> rings_of(const SensorModel& model) {
  return std::visit([](const auto& kind) { return rings(kind); }, model);
}

std::vector<std::int32_t> column_shifts(const SensorModel& model) {
  return std::visit([](const auto& kind) { return shifts(kind); }, model);
}

void update_pattern(const SensorModel& model, std::uint32_t frame, RayPattern& pattern) {
  std::visit([&](const auto& kind) { write_rays(kind, frame, pattern); }, model);
}

PatternShape pattern_shape(const SensorModel& model) {
  validate(model);
  return std::visit([](const auto& kind) { return shape_of(kind); }, model);
}

RayPattern make_pattern(const SensorModel& model, std::uint32_t frame) {
  validate(model);
  RayPattern pattern;
  update_pattern(model, frame, pattern);
  return pattern;
}

SensorTraits make_traits(const SensorView& view, bool rolling, std::size_t returns) {
  return {.optics = view.optics,
          .left_is_reference = view.left_is_reference,
          .one_origin = view.one_origin,
          .rolling = rolling && view.timed,
          .in_rows = !view.seen_by_angle && !view.rays_vary,
          .rows = view.shape.rows,
          .cols = view.shape.cols,
          .closes = view.closes,
          .returns = static_cast<std::uint32_t>(returns)};
}

Quaternion aligned(AxesFollow axes, const Quaternion& q) {
  switch (axes) {
    case AxesFollow::kHeading:
      return from_roll_pitch_yaw(0, 0, math::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)));
    case AxesFollow::kWorld:
      return {};
    case AxesFollow::kBody:
      break;
  }
  return q;
}

std::optional<Intrinsics> lens_of(const SensorModel& model) {
  if (const auto* const pinhole = std::get_if<PinholeCamera>(&model)) {
    return Intrinsics{pinhole->fx, pinhole->fy, pinhole->cx, pinhole->cy};
  }
  if (const auto* const depth = std::get_if<DepthCamera>(&model)) return intrinsics(*depth);
  if (const auto* const stereo = std::get_if<StereoCamera>(&model)) return intrinsics(*stereo);
  return std::nullopt;
}

}  // namespace fathom

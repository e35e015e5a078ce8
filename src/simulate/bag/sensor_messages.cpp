// SPDX-License-Identifier: MIT
#include "simulate/bag/sensor_messages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <variant>

#include <fathom/math/trigonometry.hpp>

#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr double kEvenRad = 1e-4;  // how far a ray of a scan may point beside its step

/// The angles of a fan, counter-clockwise from x, without the jump at pi.
std::vector<double> fan_angles(const RayPattern& pattern) {
  std::vector<double> angles;
  for (std::size_t i = 0; i < pattern.direction_x.size(); ++i) {
    double angle = math::atan2(double{pattern.direction_y[i]}, double{pattern.direction_x[i]});
    while (i > 0 && angle < angles.back() - std::numbers::pi) angle += 2 * std::numbers::pi;
    while (i > 0 && angle > angles.back() + std::numbers::pi) angle -= 2 * std::numbers::pi;
    angles.push_back(angle);
  }
  return angles;
}

bool is_even(const std::vector<double>& values, double step, double tolerance) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i] - values.front() - static_cast<double>(i) * step) <= tolerance)) return false;
  }
  return true;
}

float lost_range(Reason reason) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (reason == Reason::kMasked) return std::numeric_limits<float>::quiet_NaN();
  return reason == Reason::kBelowMinRange ? -kInfinity : kInfinity;
}

double first_time_s(const RayPattern& pattern) {
  return pattern.time_offset_s.empty() ? 0.0 : double{pattern.time_offset_s.front()};
}

}  // namespace

std::optional<msg::LaserScan> scan_constants(const SensorModel& model, const RayPattern& pattern,
                                             std::string_view frame_id, double scan_time_s) {
  const bool level = std::all_of(pattern.direction_z.begin(), pattern.direction_z.end(),
                                 [](float z) { return std::abs(z) <= static_cast<float>(kEvenRad); });
  const bool one_limit = pattern.min_range_m.size() == 1 && pattern.max_range_m.size() == 1;
  const std::size_t rays = pattern.direction_x.size();
  const bool scans = rays > 1 || std::holds_alternative<Laser2d>(model);
  if (!level || !one_limit || pattern.rows != 1 || !scans || !pattern.origin_x.empty() || make_view(model).rays_vary) {
    return std::nullopt;
  }
  const std::vector<double> angles = fan_angles(pattern);
  const auto steps = static_cast<double>(std::max<std::size_t>(rays - 1, 1));
  // Readers divide by the step, so that of a single ray is a whole turn.
  const double step = rays == 1 ? 2 * std::numbers::pi : (angles.back() - angles.front()) / steps;
  if (!is_even(angles, step, kEvenRad)) return std::nullopt;
  msg::LaserScan scan;
  scan.header.frame_id = frame_id;
  scan.angle_min = static_cast<float>(angles.front()), scan.angle_max = static_cast<float>(angles.back());
  scan.angle_increment = static_cast<float>(step);
  if (!pattern.time_offset_s.empty()) {
    scan.time_increment = static_cast<float>((pattern.time_offset_s.back() - pattern.time_offset_s.front()) / steps);
  }
  scan.scan_time = static_cast<float>(scan_time_s);
  scan.range_min = pattern.min_range_m.front(), scan.range_max = pattern.max_range_m.front();
  return scan;
}

void set_scan(msg::LaserScan& scan, const Frame& frame, const RayPattern& pattern) {
  scan.header.stamp = msg::time_of(frame.stamp_s() + first_time_s(pattern));
  scan.ranges.resize(frame.rays());  // of return 0
  for (std::size_t i = 0; i < frame.rays(); ++i) {
    const Reason reason = frame.reason()[i];
    scan.ranges[i] = reason == Reason::kHit ? frame.range_m()[i] : lost_range(reason);
  }
}

std::optional<msg::CameraInfo> camera_constants(const SensorModel& model, std::string_view optical) {
  msg::CameraInfo info;
  const auto of_camera = lens_of(model);
  if (!of_camera) return std::nullopt;
  const Intrinsics& lens = *of_camera;
  const PatternShape shape = pattern_shape(model);
  info.header.frame_id = optical;
  info.height = shape.rows, info.width = shape.cols;
  info.distortion_model = "plumb_bob";
  info.d.assign(5, 0.0);
  info.k = {lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1};
  info.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  info.p = {lens.fx, 0, lens.cx, 0, 0, lens.fy, lens.cy, 0, 0, 0, 1, 0};
  return info;
}

msg::Image depth_image(const Frame& frame, std::string_view optical) {
  msg::Image image;
  image.header = {msg::time_of(frame.stamp_s()), std::string(optical)};
  image.height = frame.rows(), image.width = frame.cols();
  image.encoding = "32FC1";
  image.step = static_cast<std::uint32_t>(sizeof(float)) * frame.cols();
  image.data = std::as_bytes(frame.floats(Channel::kDepth).first(frame.rays()));  // of return 0
  return image;
}

DepthImageMessage::DepthImageMessage(const Frame& frame, std::string_view optical, DepthEncoding encoding)
    : image_(depth_image(frame, optical)) {
  if (encoding == DepthEncoding::k32FC1) return;
  for (const float depth_m : frame.floats(Channel::kDepth).first(frame.rays())) {
    const float millimetres = std::round(1000.0F * depth_m);
    const bool fits = millimetres >= 1.0F && millimetres <= 65535.0F;  // NaN is lost, and is neither
    millimetres_.push_back(fits ? static_cast<std::uint16_t>(millimetres) : std::uint16_t{0});
  }
  image_.encoding = "16UC1";
  image_.step = static_cast<std::uint32_t>(sizeof(std::uint16_t)) * frame.cols();
  image_.data = std::as_bytes(std::span(millimetres_));
}

std::string optical_frame(std::string_view sensor) { return std::string(sensor) + "_optical"; }

Quaternion camera_from_optical() { return {0.5, -0.5, 0.5, -0.5}; }

msg::TransformStamped transform_of(const Pose& parent_from_child, double stamp_s, std::string_view parent,
                                   std::string_view child) {
  const Vec3& at = parent_from_child.translation_m;
  const Quaternion& q = parent_from_child.rotation;
  msg::TransformStamped transform;
  transform.header = {msg::time_of(stamp_s), std::string(parent)};
  transform.child_frame_id = child;
  transform.transform.translation = {at.x, at.y, at.z};
  transform.transform.rotation = {q.x, q.y, q.z, q.w};
  return transform;
}

}  // namespace fathom

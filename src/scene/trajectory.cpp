// SPDX-License-Identifier: MIT
#include <fathom/scene/trajectory.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "scene/checks.hpp"

namespace fathom {

namespace {

bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

/// Throws unless an array of `each` numbers a pose holds `count` of them.
void check_count(std::string_view what, std::size_t numbers, std::size_t each, std::size_t count) {
  if (numbers == each * count) return;
  throw InputError(fmt::format("{} are {} numbers, not {}: {} poses of {}", what, numbers, each * count, count, each));
}

}  // namespace

bool is_valid(const Pose& pose) {
  return !coordinate_beyond_limits(pose.translation_m) && is_about_one(std::sqrt(dot(pose.rotation, pose.rotation)));
}

Pose checked_pose(const Pose& pose, std::string_view what) {
  const Vec3 t = pose.translation_m;
  const double length = std::sqrt(dot(pose.rotation, pose.rotation));
  if (!is_finite(t)) throw InputError(fmt::format("{}: position is not finite", what));
  if (const auto c = coordinate_beyond_limits(t)) {
    throw InputError(fmt::format("{}: position {} m is not in {}", what, number_text(*c), kCoordinateLimits));
  }
  if (!is_about_one(length)) {
    throw InputError(fmt::format("{}: quaternion has length {}, not 1", what, number_text(length)));
  }
  return {t, std::abs(length - 1.0) < 1e-15 ? pose.rotation : normalized(pose.rotation)};
}

PoseArrays::PoseArrays(std::span<const double> positions_m, std::span<const double> quaternions_wxyz, std::size_t count)
    : positions_m_(positions_m.data()), quaternions_(quaternions_wxyz.data()), count_(count) {
  check_count("positions", positions_m.size(), 3, count);
  check_count("quaternions", quaternions_wxyz.size(), 4, count);
}

Trajectory::Trajectory(const Pose& fixed) : keys_{{0.0, checked_pose(fixed, "pose")}} {}

Trajectory::Trajectory(std::vector<StampedPose> keys, bool loop) : keys_(std::move(keys)), loop_(loop) {
  if (keys_.empty()) throw InputError("a trajectory needs at least one pose");
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    keys_[i].pose = checked_pose(keys_[i].pose, fmt::format("trajectory pose {}", i));
    if (!std::isfinite(keys_[i].stamp_s)) throw InputError(fmt::format("trajectory pose {}: time is not finite", i));
    if (i > 0 && !(keys_[i].stamp_s > keys_[i - 1].stamp_s)) {
      throw InputError(fmt::format("trajectory pose {}: time {} s does not come after {} s", i,
                                   number_text(keys_[i].stamp_s), number_text(keys_[i - 1].stamp_s)));
    }
  }
}

void Trajectory::hold(const Pose& fixed) {
  const StampedPose key = {0.0, checked_pose(fixed, "pose")};
  keys_.resize(1);
  keys_.front() = key;
}

Pose Trajectory::at(double stamp_s) const {
  const double first = keys_.front().stamp_s, last = keys_.back().stamp_s;
  if (loop_ && last > first) {
    const double period = last - first;
    stamp_s -= period * std::floor((stamp_s - first) / period);
  }
  if (!(stamp_s > first)) return keys_.front().pose;
  if (stamp_s >= last) return keys_.back().pose;
  const auto next = std::upper_bound(keys_.begin(), keys_.end(), stamp_s,
                                     [](double t, const StampedPose& key) { return t < key.stamp_s; });
  const StampedPose &a = *(next - 1), &b = *next;
  return interpolate(a.pose, b.pose, (stamp_s - a.stamp_s) / (b.stamp_s - a.stamp_s));
}

}  // namespace fathom

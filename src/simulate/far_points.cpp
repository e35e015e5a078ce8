// SPDX-License-Identifier: MIT
#include "simulate/far_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace fathom {

namespace {

template <class Clouds>
bool are_in_world(const Output& output) {
  const auto* clouds = output.get_if<Clouds>();
  return clouds != nullptr && clouds->frame == CloudFrame::kWorld;
}

bool has_points_in_world(const Output& output) {
  const auto* arrays = output.get_if<NpyOutput>();
  return (arrays != nullptr && arrays->channels.contains(Channel::kHitWorld)) || are_in_world<PcdOutput>(output) ||
         are_in_world<PlyOutput>(output) || are_in_world<PointCloud2Output>(output);
}

}  // namespace

FarPoints::FarPoints(std::string sensor, std::span<const Output> outputs) : sensor_(std::move(sensor)) {
  for (const Output& output : outputs) {
    if (has_points_in_world(output)) outputs_ += fmt::format("{}{}", outputs_.empty() ? "" : ", ", output.info().slug);
  }
}

void FarPoints::add(const Vec3& at_m) {
  farthest_m_ = std::max({farthest_m_, std::abs(at_m.x), std::abs(at_m.y), std::abs(at_m.z)});
}

std::optional<std::string> FarPoints::warning() const {
  constexpr double kMostLossM = 0.9e-3;  // from 2^14 m on floats lose 0.98 mm
  // Half of the step from one float to the next.
  const auto at_m = static_cast<float>(farthest_m_);
  const double loss_m = 0.5 * (std::nextafter(at_m, std::numeric_limits<float>::infinity()) - at_m);
  if (outputs_.empty() || loss_m < kMostLossM) return std::nullopt;
  return fmt::format(
      "points of '{}' in the world ({}) have single precision: {:.0f} m from the origin they are off by up to {} m; "
      "points in the frame of the sensor are not",
      one_line(sensor_), outputs_, farthest_m_, number_text(loss_m));
}

}  // namespace fathom

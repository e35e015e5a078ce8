// SPDX-License-Identifier: MIT
#include "simulate/carrier_watch.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr double kNearlyAll = 0.99;

bool is_nearly_all(std::uint64_t part, std::uint64_t all) {
  return all > 0 && static_cast<double>(part) >= kNearlyAll * static_cast<double>(all);
}

/// The depth below which a model of the chain loses every return; 0: none does.
double min_depth_m(const Sensor& sensor) {
  const Optics optics = make_view(sensor.model).optics;
  double depth_m = 0.0;
  for (const ChainEntry& entry : sensor.noise) depth_m = std::max(depth_m, entry.noise.least_depth_m(optics));
  return depth_m;
}

}  // namespace

CarrierWatch::CarrierWatch(const Scene& scene, const Sensor& sensor)
    : scene_(scene), sensor_(sensor.name), min_depth_m_(fathom::min_depth_m(sensor)) {
  if (index(sensor.parent) >= scene.entities().size()) return;  // none
  const std::size_t entities = scene.entities().size();
  std::vector<bool> wholes(entities);
  for (EntityId up = sensor.parent; up != kNoEntity; up = scene.entities()[index(up)].parent) {
    wholes[index(scene.whole_of(up))] = true;
  }
  carries_.resize(entities);
  for (std::size_t i = 0; i < entities; ++i) carries_[i] = wholes[index(scene.whole_of(static_cast<EntityId>(i)))];
}

bool CarrierWatch::suspects(const ReasonCounts& reasons) const {
  const std::uint64_t rays = std::accumulate(reasons.begin(), reasons.end(), std::uint64_t{0});
  return !carries_.empty() && is_nearly_all(reasons[static_cast<std::size_t>(Reason::kBelowMinRange)], rays);
}

ChannelSet CarrierWatch::channels() const {
  const ChannelSet needed = {Channel::kReason, Channel::kEntityId, Channel::kCleanRange};
  return min_depth_m_ > 0.0 ? needed | ChannelSet{Channel::kCleanDepth} : needed;
}

void CarrierWatch::count(const Frame& frame, std::span<const float> min_range_m) {
  std::map<std::uint32_t, std::uint64_t> rays_at;
  std::uint64_t at_carriers = 0;
  const auto reason = frame.reason();
  const auto entity = frame.entity_id();
  const auto range_m = frame.clean_range_m();
  const auto is_near = [&](std::size_t i) {
    return range_m[i] < min_range_m[min_range_m.size() > 1 ? i : 0] ||
           (min_depth_m_ > 0.0 && frame.clean_depth_m()[i] < min_depth_m_);
  };
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (reason[i] != Reason::kBelowMinRange || entity[i] >= carries_.size() || !carries_[entity[i]]) continue;
    if (!is_near(i)) continue;
    ++rays_at[index(scene_.whole_of(static_cast<EntityId>(entity[i])))];
    ++at_carriers;
  }
  if (!is_nearly_all(at_carriers, frame.size())) return;
  ++frames_;
  rays_ += frame.size();
  for (const auto& [id, rays] : rays_at) rays_at_[id] += rays;
}

std::optional<std::string> CarrierWatch::warning(std::uint32_t frames) const {
  if (frames_ == 0) return std::nullopt;
  const auto most = std::max_element(rays_at_.begin(), rays_at_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string when = frames_ == frames ? "" : fmt::format("in {} of {} frames ", frames_, frames);
  const std::string part =
      most->second == rays_ ? fmt::format("all {}", rays_) : fmt::format("{} of {}", most->second, rays_);
  const std::string name = one_line(scene_.entities()[most->first].name);
  return fmt::format(
      "{}{} rays of '{}' end at '{}', which carries it, nearer than its least range; ignore: ['{}'] lets them through",
      when, part, sensor_, name, name);
}

}  // namespace fathom

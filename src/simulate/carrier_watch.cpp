#include "simulate/carrier_watch.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"

namespace fathom {

namespace {

constexpr double kNearlyAll = 0.99;

bool is_nearly_all(std::uint64_t part, std::uint64_t all) {
  return all > 0 && static_cast<double>(part) >= kNearlyAll * static_cast<double>(all);
}

}  // namespace

CarrierWatch::CarrierWatch(const Scene& scene, const Sensor& sensor) : scene_(scene), sensor_(sensor.name) {
  if (sensor.parent >= scene.entities().size()) return;  // none
  carries_.resize(scene.entities().size());
  for (EntityId up = sensor.parent; up != kNoEntity; up = scene.entities()[up].parent) carries_[up] = true;
}

bool CarrierWatch::suspects(const std::array<std::uint64_t, kReasonNames.size()>& reasons) const {
  const std::uint64_t rays = std::accumulate(reasons.begin(), reasons.end(), std::uint64_t{0});
  return !carries_.empty() && is_nearly_all(reasons[static_cast<std::size_t>(Reason::kBelowMinRange)], rays);
}

void CarrierWatch::count(const Frame& frame) {
  std::map<EntityId, std::uint64_t> rays_at;
  std::uint64_t at_carriers = 0;
  const auto reason = frame.reason();
  const auto entity = frame.entity_id();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (reason[i] != Reason::kBelowMinRange || entity[i] >= carries_.size() || !carries_[entity[i]]) continue;
    ++rays_at[entity[i]];
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
  return fmt::format("{}{} rays of '{}' end at '{}', which carries it, nearer than its least range", when, part,
                     sensor_, one_line(scene_.entities()[most->first].name));
}

}  // namespace fathom

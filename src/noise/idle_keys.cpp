// SPDX-License-Identifier: MIT
#include "noise/idle_keys.hpp"

#include <fmt/format.h>

#include <fathom/noise/models.hpp>

#include "noise/noise_access.hpp"

namespace fathom {

namespace {

std::string why_idle_in(const EdgeLoss& p, std::string_view field) {
  return field == "step" && p.law == EdgeLaw::kAngle ? "law = angle does not read it" : "";
}

std::string why_idle_in(const MatchingWindow& p, std::string_view field) {
  if (field != "flying" || !p.flying || p.sure_share > p.share) return {};
  return fmt::format("sure_share = {:g} is not above share = {:g}, so that each surface taken is sure", p.sure_share,
                     p.share);
}

template <class M>
std::string why_idle_without_light(const M& p, std::string_view field) {
  return field == "half_ambient_klx" && p.ambient_klx == 0.0F ? "ambient_klx = 0" : "";
}
std::string why_idle_in(const StereoEnergy& p, std::string_view field) { return why_idle_without_light(p, field); }
std::string why_idle_in(const TextureLoss& p, std::string_view field) { return why_idle_without_light(p, field); }

/// What the model says, if the noise is one of that model.
template <class M>
std::string why_idle_as(const Noise& noise, std::string_view field) {
  if (noise.slug() != M::kSlug || !detail::NoiseAccess::place_in_list(noise)) return {};
  return why_idle_in(*static_cast<const M*>(detail::NoiseAccess::model(noise)), field);
}

}  // namespace

std::string why_idle(const Noise& noise, std::string_view field) {
  return why_idle_as<EdgeLoss>(noise, field) + why_idle_as<MatchingWindow>(noise, field) +
         why_idle_as<StereoEnergy>(noise, field) + why_idle_as<TextureLoss>(noise, field);
}

std::string why_idle(const Correlation& correlation, std::string_view field) {
  const bool is_everywhere = correlation.across_px == 0.0F && correlation.down_px == 0.0F;
  return field == "shape" && is_everywhere ? "across_px = 0 and down_px = 0" : "";
}

}  // namespace fathom

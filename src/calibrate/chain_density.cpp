// SPDX-License-Identifier: MIT
#include "calibrate/chain_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>

#include "noise/noise_access.hpp"

namespace fathom {

namespace {

/// A surface with this incidence whose energy is that of the frame, however the model reads its angle.
template <class M>
Surface with_energy(const M& model, Surface surface, float energy) {
  bool half_vector = false;
  if constexpr (requires { model.energy_angle(); }) half_vector = model.energy_angle() == EnergyAngle::kHalfVector;
  // The half vector's cosine is (camera + emitter) / 2 where both stand in one place.
  surface.cos_left = surface.cos_right = half_vector ? 2.0F * energy - surface.cos_emitter : energy;
  return surface;
}

/// Whether what the model does shows in the frame that was cast, not in a density.
bool is_passed_over(Stage stage, bool has_probability) {
  return stage == Stage::kHitPoint || stage == Stage::kImage || stage == Stage::kEdgeLoss ||
         (stage == Stage::kShadow && !has_probability);
}

[[noreturn]] void refuse(std::string_view slug, std::string_view why) {
  throw InputError(fmt::format("the chain of noise cannot be scored or learned: {} {}", slug, why));
}

}  // namespace

template <class M>
ChainDensity::Step ChainDensity::step_of(const void* model) {
  Step step = {model, nullptr, nullptr};
  if constexpr (requires(const M& m, RangeLaw& law) { M::act(m, law); }) {
    step.act = [](const void* m, RangeLaw& law) { M::act(*static_cast<const M*>(m), law); };
  }
  if constexpr (requires(const M& m, const Return& hit, const Surface& s) { M::loss_probability(m, hit, s); } &&
                M::kStage != Stage::kEdgeLoss) {
    step.lose = [](const void* m, const Return& hit, const Surface& surface, float energy) -> double {
      const M& typed = *static_cast<const M*>(m);
      return M::loss_probability(typed, hit, with_energy(typed, surface, energy));
    };
  }
  return step;
}

ChainDensity::ChainDensity(const NoiseChain& chain) : chain_(chain) {
  using Maker = Step (*)(const void*);
  static constexpr auto kMakers = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Maker, sizeof...(I)>{&ChainDensity::step_of<std::variant_alternative_t<I, RegisteredNoise>>...};
  }
  (std::make_index_sequence<std::variant_size_v<RegisteredNoise>>());
  RangeLaw probe = RangeLaw::of_clean(1.0, 1.0, 1.0);
  for (const ChainEntry& entry : chain_) {
    if (entry.noise.is_identity() && entry.by_entity.empty() && entry.by_ring.empty()) continue;
    const auto place = detail::NoiseAccess::place_in_list(entry.noise);
    if (!place) refuse(entry.noise.slug(), "is a model of the user's own");
    const Step step = kMakers[*place](detail::NoiseAccess::model(entry.noise));
    if (step.act == nullptr && step.lose == nullptr) {
      if (is_passed_over(entry.noise.stage(), false)) continue;
      refuse(entry.noise.slug(), entry.noise.stage() == Stage::kRay ? "turns the rays: what they meet is not known"
                                                                    : "has no density of this kind");
    }
    if (!entry.by_entity.empty() || !entry.by_ring.empty()) {
      refuse(entry.noise.slug(), "has parameters of its own for some entities or rings");
    }
    if (step.act != nullptr) step.act(step.model, probe);
    steps_.push_back(step);
  }
  if (!probe.unknown.empty()) refuse("it", fmt::format("has {}", probe.unknown));
  if (probe.student_m > 0.0) nodes_.emplace(probe.nu);
}

double ChainDensity::operator()(const ChainReturns& r, std::size_t i) const {
  const Return hit = {r.clean_x_m[i], r.clean_y_m[i], 0.0F, r.clean_range_m[i], r.clean_range_m[i]};
  Surface surface;
  surface.cos_emitter = std::cos(r.incidence_rad[i]);
  surface.optics = r.optics;
  double kept = 1.0;
  for (const Step& step : steps_) {
    if (step.lose != nullptr) kept *= 1.0 - step.lose(step.model, hit, surface, r.energy[i]);
  }
  if (std::isnan(r.range_m[i])) return kept < 1.0 ? std::max(kLeastLog, math::log(1.0 - kept)) : kLeastLog;
  if (!(kept > 0.0)) return kLeastLog;
  const double clean_m = r.clean_range_m[i], x_m = r.clean_x_m[i];
  RangeLaw law = RangeLaw::of_clean(clean_m, x_m, double{r.optics.fx_px * r.optics.baseline_m});
  for (const Step& step : steps_) {
    if (step.act != nullptr) step.act(step.model, law);
  }
  const double half_step_m = r.half_step_m * (r.depths_are_rounded ? clean_m / x_m : 1.0);
  const double log_range = log_density(law, r.range_m[i], half_step_m, nodes_ ? &*nodes_ : nullptr);
  return std::max(kLeastLog, math::log(kept) + log_range);
}

}  // namespace fathom

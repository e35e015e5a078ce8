// SPDX-License-Identifier: MIT
#include "sensor/returns.hpp"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/sensor/returns.hpp>

#include "core/text.hpp"

namespace fathom {

void Detection::check() const {
  if (!(reach_10_m > 0.0F && reach_80_m > 0.0F)) return;
  throw InputError(fmt::format("detection.reach_10_m = {} and reach_80_m = {} are both given; one is enough",
                               number_text(reach_10_m), number_text(reach_80_m)));
}

void validate(const Divergence& divergence, const ReturnChoices& returns) {
  validate(divergence);
  if (returns.empty()) throw InputError("returns names no return; a sensor reports at least one");
  for (std::size_t k = 0; k < returns.size(); ++k) {
    const auto place = static_cast<std::size_t>(returns[k]);
    if (place >= kMostReturns) throw InputError(fmt::format("returns: {} is not in [0, {})", place, kMostReturns));
    const auto end = returns.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(returns.begin(), end, returns[k]) != end) {
      throw InputError(fmt::format("returns names '{}' twice", kChoiceWords<ReturnChoice>[place]));
    }
  }
  const bool is_second = returns[0] == ReturnChoice::kSecond || returns[0] == ReturnChoice::kSecondStrongest;
  if (returns.size() == 1 && is_second && !divergence.diverges()) {
    throw InputError(fmt::format("returns: '{}' needs a divergence: a ray that does not widen has one return",
                                 kChoiceWords<ReturnChoice>[static_cast<std::size_t>(returns[0])]));
  }
  if (returns.size() > 1 && !divergence.diverges()) {
    throw InputError(
        fmt::format("{} returns of each ray need a divergence: a ray that does not widen has one", returns.size()));
  }
}

namespace {

constexpr int kCones = 3, kRays = 19;
static_assert(1 + kCones * kRays == kDivergingSamples);

/// The share of the energy within a radius of `r` half angles.
double energy_within(BeamProfile profile, double r) {
  return profile == BeamProfile::kUniform ? r * r : math::expm1(-2.0 * r * r) / math::expm1(-2.0);
}

}  // namespace

std::array<SampleDirection, kDivergingSamples> diverging_samples(double horizontal_rad, double vertical_rad,
                                                                 double middle_turn) {
  std::array<SampleDirection, kDivergingSamples> samples;
  samples[0] = {0.0F, 0.0F, 1.0F};
  std::size_t next = 1;
  for (int cone = 0; cone < kCones; ++cone) {
    for (int k = 0; k < kRays; ++k) {
      const double scale = 1.0 - cone / 3.0, turn = cone == 1 ? middle_turn : 0.0;
      const double phi = 2.0 * std::numbers::pi * (k + turn) / kRays;
      const auto [sx, cx] = math::sincos(0.5 * vertical_rad * scale * math::sin(phi));
      const auto [sy, cy] = math::sincos(0.5 * horizontal_rad * scale * math::cos(phi));
      // Rx Ry (0, 0, 1)
      samples[next++] = {static_cast<float>(sy), static_cast<float>(-sx * cy), static_cast<float>(cx * cy)};
    }
  }
  return samples;
}

std::array<float, kDivergingSamples> sample_weights(BeamProfile profile) {
  constexpr std::array<double, kCones + 1> kInner = {0.0, 5.0 / 6, 1.0 / 2, 1.0 / 6};
  constexpr std::array<double, kCones + 1> kOuter = {1.0 / 6, 1.0, 5.0 / 6, 1.0 / 2};
  std::array<float, kDivergingSamples> weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t ring = i == 0 ? 0 : 1 + (i - 1) / kRays;  // the centre, then the cones, the widest first
    const double share = energy_within(profile, kOuter[ring]) - energy_within(profile, kInner[ring]);
    weights[i] = static_cast<float>(i == 0 ? share : share / kRays);
  }
  return weights;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include <numbers>

#include <fathom/math/f64.hpp>

#include "sensor/returns.hpp"

namespace fathom {

namespace {

constexpr int kCones = 3, kRays = 19;
static_assert(1 + kCones * kRays == kDivergingSamples);

/// The share of the energy within a radius of `r` half angles.
double energy_within(BeamProfile profile, double r) {
  return profile == BeamProfile::kUniform ? r * r : math::expm1(-2.0 * r * r) / math::expm1(-2.0);
}

}  // namespace

std::array<SampleDirection, kDivergingSamples> diverging_samples(double horizontal_rad, double vertical_rad) {
  std::array<SampleDirection, kDivergingSamples> samples;
  samples[0] = {0.0F, 0.0F, 1.0F};
  std::size_t next = 1;
  for (int cone = 0; cone < kCones; ++cone) {
    for (int k = 0; k < kRays; ++k) {
      const double scale = 1.0 - cone / 3.0, phi = 2.0 * std::numbers::pi * k / kRays;
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

// SPDX-License-Identifier: MIT
#include "parts/diverging_samples.hpp"

#include <numbers>

#include <fathom/math/trigonometry.hpp>

namespace fathom {

std::array<SampleDirection, kDivergingSamples> diverging_samples(double horizontal_rad, double vertical_rad) {
  constexpr int kCones = 3, kRays = 19;
  static_assert(1 + kCones * kRays == kDivergingSamples);
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

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include "parts/diverging_samples.hpp"

#include <cmath>
#include <numbers>

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
      const double about_x = 0.5 * vertical_rad * scale * std::sin(phi);
      const double about_y = 0.5 * horizontal_rad * scale * std::cos(phi);
      // Rx(about_x) Ry(about_y) (0, 0, 1)
      samples[next++] = {static_cast<float>(std::sin(about_y)),
                         static_cast<float>(-std::sin(about_x) * std::cos(about_y)),
                         static_cast<float>(std::cos(about_x) * std::cos(about_y))};
    }
  }
  return samples;
}

}  // namespace fathom

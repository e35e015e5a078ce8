// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/noise/detail/weather.hpp>

#include "support/expect.hpp"

namespace fathom::test {

struct ThrownDrop {
  double power = 0.0, range_m = 0.0;
};

/// The strongest drop of a ray before a surface at d. Throws all drops that may return the power `least`, shell by
/// shell.
inline ThrownDrop throw_drops(const DropLaw& law, double d, double least, std::mt19937_64& random) {
  constexpr double kShellM = 0.1;
  const double alpha = law.extinction_per_m();
  std::uniform_real_distribution<double> unit;
  ThrownDrop strongest;
  for (double near = law.nearest_m; near < d; near += kShellM) {
    const double far = std::min(near + kShellM, d), most_m = law.beam_m + law.beam_rad * far;
    // Smaller drops return less than `least` from anywhere in the shell.
    const double small_mm =
        1e3 * (law.beam_m + law.beam_rad * near) * near * std::sqrt(least / law.reflectivity) * std::exp(alpha * near);
    const double density = law.per_m3_mm / law.per_mm * std::exp(-law.per_mm * small_mm);
    const double volume = 0.25 * M_PI * most_m * most_m * (far - near);
    if (volume * density < 1e-9) continue;
    std::poisson_distribution<int> count(volume * density);
    for (int k = count(random); k > 0; --k) {
      const double r = near + (far - near) * unit(random), w = law.beam_m + law.beam_rad * r;
      if (unit(random) * most_m * most_m > w * w) continue;  // outside the narrower beam
      const double mm = small_mm - std::log(1.0 - unit(random)) / law.per_mm, share = mm * 1e-3 / w;
      const double power = law.reflectivity * std::min(share * share, 1.0) * std::exp(-2 * alpha * r) / (r * r);
      if (power > strongest.power) strongest = {power, r};
    }
  }
  return strongest;
}

}  // namespace fathom::test

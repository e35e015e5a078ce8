// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "calibrate/turned_surface.hpp"

namespace fathom {

/// Whether a ray that would meet a surface like this shows it, by the reading and the energy that it has.
inline bool shows(const TurnedSurface& surface, const TurnedHit& hit, double seen_m, double seen_energy) {
  constexpr double kSamePlane = 5e-5, kOfGrazing = 1e-6;  // relative
  constexpr double kSameEnergy = 0.02, kLeastCosine = 0.05;
  const double tolerance = kSamePlane + kOfGrazing / hit.cosine;
  if (!(std::abs(hit.reading_m - seen_m) <= tolerance * seen_m)) return false;
  const double energy = seen_energy / hit.cosine;
  return hit.cosine < kLeastCosine || std::abs(energy - surface.energy) <= kSameEnergy * surface.energy;
}

}  // namespace fathom

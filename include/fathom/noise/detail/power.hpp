// SPDX-License-Identifier: MIT
#pragma once
// The power of a return, in units of the power from a Lambertian surface of reflectivity 1 at 1 m, met head-on:
//
//   P = s T / d^2      s: reflectivity x law(incidence) of the surface (sensor/returns.hpp); d: its range in metres
//   T = exp(-2 alpha d)   the light that air of the extinction alpha leaves on both ways (Beer and Lambert)
//
// s T is the intensity of the return before the sensor's falloff. Without models of weather, T is 1.
//
// A datasheet states the range d10 at which a sensor still detects a surface of reflectivity 0.1, or d80 for 0.8. The
// weakest power that it detects is therefore 0.1 / d10^2 or 0.8 / d80^2. Not modelled: light of the sun, the optics of
// near ranges, and a probability of detection that falls gradually.

#include <fathom/core/f32.hpp>

namespace fathom {

/// `surface`: reflectivity x law(incidence).
FATHOM_KERNEL float power_of(float surface, float range_m) { return surface / (range_m * range_m); }

/// Whether a sensor misses such a return. `least_power`: the weakest that it detects; 0: it detects all.
FATHOM_KERNEL bool is_too_weak(float surface, float range_m, float least_power) {
  return power_of(surface, range_m) < least_power;
}

/// T; at infinite range 0, but 1 without extinction.
FATHOM_KERNEL float transmittance(float extinction_per_m, float range_m) {
  return math::select(extinction_per_m > 0.0F, math::exp(-2.0F * extinction_per_m * range_m), 1.0F);
}

/// Of a sensor that detects a surface of this reflectivity up to `reach_m`.
constexpr float least_power_of(float reflectivity, float reach_m) { return reflectivity / (reach_m * reach_m); }

}  // namespace fathom

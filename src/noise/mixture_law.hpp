// SPDX-License-Identifier: MIT
#pragma once
// The law of readings of a beam_mixture (noise/beam_mixture.hpp), of laws with is_mixture:
//
//   f(r) = w_hit phi((r - m) / s) / (s P) + w_short l e^{-l r} / (1 - e^{-l m}) Phi((m - r) / e) + w_rand / Z
//
// on [0, Z], with m the mean of the range so far, e its deviation, s^2 = e^2 + sigma_hit^2, P = Phi((Z - m) / s) -
// Phi(-m / s), and l the rate of shorts. Without e this is the beam model (beam/model.hpp).

#include <fathom/noise/measured_range_law.hpp>

namespace fathom {

double mixture_density(const MeasuredRangeLaw& law, double range_m);
/// Of a range in (low, high].
double mixture_probability(const MeasuredRangeLaw& law, double low_m, double high_m);
/// The same of shorts and random readings alone.
double probability_of_others(const MeasuredRangeLaw& law, double low_m, double high_m);

}  // namespace fathom

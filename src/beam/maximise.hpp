// SPDX-License-Identifier: MIT
#pragma once

#include "beam/em.hpp"

namespace fathom {

/// From this many sigmas from an end of [0, Z] on, a cut changes E[d^2] by less than 1e-10.
inline constexpr double kEdgeSigmas = 7.0;

/// Where the search for sigma may go.
struct SigmaLimits {
  double low_m, high_m;
};

/// New parameters from an expectation, and what was special about them.
struct Maximum {
  BeamParameters parameters;
  bool out_of_reach = false;  ///< sigma wants to grow beyond what the listed edges allow: expect again, reaching wider
  bool no_hits = false, no_shorts = false;  ///< nothing to learn sigma or lambda from: kept
  bool sigma_at_floor = false, sigma_at_top = false;
  bool lambda_at_zero = false;
  bool tail_at_low = false, tail_at_high = false;  ///< nu or sigma' of an extended law is at an end of its limits
};

/// Where learning may take nu: beyond, student_t is the Gaussian to what data can tell.
inline constexpr double kMostLearnedNu = 1000.0;

/// One step of Newton's towards the maximum of what the expectation says of an extended law, its two numbers at once.
/// The likelihood may fall where it is too long: then go half way back.
void step_tail(const Expectation& expectation, const SigmaLimits& limits, Maximum& m);

/// The M-step for `old`, under which `expectation` (the last of `em`) was made with `reach`.
Maximum maximise(Em& em, const Expectation& expectation, const BeamParameters& old, FitVariant variant,
                 const SigmaLimits& limits, double reach);

}  // namespace fathom

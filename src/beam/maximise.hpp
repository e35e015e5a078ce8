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
};

/// The M-step for `old`, under which `expectation` (the last of `em`) was made with `reach`.
Maximum maximise(Em& em, const Expectation& expectation, const BeamParameters& old, FitVariant variant,
                 const SigmaLimits& limits, double reach);

}  // namespace fathom

#pragma once

#include "beam/em.hpp"

namespace fathom {

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
Maximum maximise(Em& em, const Expectation& expectation, const Evidence& evidence, const BeamParameters& old,
                 FitVariant variant, const SigmaLimits& limits, double reach);

}  // namespace fathom

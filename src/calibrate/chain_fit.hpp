// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <fathom/calibrate/chain.hpp>

namespace fathom {

/// What fit_chain() does, and a trial of one chain among others does not.
struct ChainChoice {
  bool of_laws = true;       ///< the law of a stereo_energy is chosen by likelihood
  bool hold_untold = true;   ///< parameters that the returns do not tell stay as given
  bool of_intervals = true;  ///< ends of intervals are searched, which takes as long as the fit
};

ChainFit fit_chain_laws(const NoiseChain& chain, std::span<const ChainParameter> free, const ChainReturns& returns,
                        const ChainFitOptions& options, const ChainChoice& choice);

}  // namespace fathom

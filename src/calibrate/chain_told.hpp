// SPDX-License-Identifier: MIT
#pragma once
// Which free parameters of a chain no data could tell apart.

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Of `free`, those without which the others do all that they do to the densities of the returns at `places`: the mean
/// error of a distance beside a bias, one of two dropouts. Found from the derivatives of all that these densities hang
/// on (ChainDensity::effects), at the values where a search begins, so that it does not depend on what was measured.
/// Parameters of single rings stay, then those of the last models of the chain, and mean errors and biases last.
std::vector<FreeNumber> told_by_others(const NoiseChain& chain, std::span<const FreeNumber> free,
                                       const ChainReturns& returns, std::span<const std::size_t> places);

}  // namespace fathom

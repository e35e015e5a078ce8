// SPDX-License-Identifier: MIT
#pragma once
// The levels of a disparity, read off measured ranges: the likelihood does not tell them, as every range is a level
// when there are enough of them.

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Sets a parameter of role kLevels: the least number of steps per pixel that puts nearly all measured disparities on
/// levels. False: no number does, and the parameter stays. Throws InputError when other models of the chain move
/// ranges, or the returns are of no stereo camera.
bool set_levels(NoiseChain& chain, const FreeNumber& steps, const ChainReturns& returns);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// What functions on returns share: their checks, and scores by frame.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Throws InputError when arrays or limits of the returns are not what chain.hpp says.
void check_returns(const ChainReturns& returns);

/// Adds the log density of return i, which are given in ascending order; `nats` are sums until finished().
void add_to_scores(const ChainReturns& returns, std::size_t i, double nats, std::vector<FrameScore>& scores);
std::vector<FrameScore> finished(std::vector<FrameScore> scores);

/// Says in ChainFit::flags what a reader of its parameters and errors has to know. `numbers`: the parameters, with
/// their roles; `returns`: the data of the fit.
void add_flags(ChainFit& fit, std::span<const FreeNumber> numbers, const ChainReturns& returns);

// Whether measured ranges are of the scene at all that they are compared with.

/// The note on a scene of another place or size, or on poses elsewhere in it; empty: nothing. Errors without a bias and
/// a gain then spread by more than 6 % of the median range, which no sensor's noise does (4 % on a real log in its own
/// map, 23 % in the same map 0.2 m off). And neighbouring rays share most of the spread, which they do not of noise.
/// What lies within a tenth of the readings on either side, such as people who walked by, does not count; where the
/// chain has a beam_mixture, which draws such readings, within a quarter.
std::string scene_note(const ChainReturns& returns, bool has_mixture);

}  // namespace fathom

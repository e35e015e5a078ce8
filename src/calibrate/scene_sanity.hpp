// SPDX-License-Identifier: MIT
#pragma once
// Whether measured ranges are of the scene at all that they are compared with.

#include <string>

#include <fathom/calibrate/chain.hpp>

namespace fathom {

/// What is said of a scene of another place or size, or of poses elsewhere in it; empty: nothing. Said where errors,
/// without what they have of a bias and a gain, spread by more than 6 % of the median range, as those of no sensor do
/// that a chain describes (4 % on a real log in its own map, 23 % in the same map 0.2 m off), and where most of that is
/// shared by neighbouring rays, as noise on each of them is not.
/// What lies within a tenth of the readings on either side, such as people who walked by, does not count; where the
/// chain has a beam_mixture, which draws such readings, within a quarter.
std::string scene_note(const ChainReturns& returns, bool has_mixture);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The levels of a disparity, read off measured ranges: the likelihood does not tell them, as every range is a level
// when there are enough of them.

#include <cstddef>
#include <string_view>

#include <fathom/calibrate/chain.hpp>

namespace fathom {

inline constexpr std::string_view kLevelsField = "steps_per_px";

/// Sets the steps of the disparity at this place: the least whole number of which nearly all measured disparities are
/// multiples. False: there is none, and it stays. Throws InputError when other models of the chain move
/// ranges, or the returns are of no stereo camera.
bool set_levels(NoiseChain& chain, std::size_t entry, const ChainReturns& returns);

}  // namespace fathom

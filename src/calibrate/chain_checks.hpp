// SPDX-License-Identifier: MIT
#pragma once
// What functions on returns share: their checks, and scores by frame.

#include <cstddef>
#include <vector>

#include <fathom/calibrate/chain.hpp>

namespace fathom {

/// Throws InputError when arrays or limits of the returns are not what chain.hpp says.
void check_returns(const ChainReturns& returns);

/// Adds the log density of return i, which are given in ascending order; `nats` are sums until finished().
void add_to_scores(const ChainReturns& returns, std::size_t i, double nats, std::vector<FrameScore>& scores);
std::vector<FrameScore> finished(std::vector<FrameScore> scores);

}  // namespace fathom

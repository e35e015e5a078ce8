// SPDX-License-Identifier: MIT
#pragma once
// Where a fitted model and the readings disagree, in words.

#include <string>
#include <vector>

#include <fathom/beam/report.hpp>

#include "report/mixture_shares.hpp"

namespace fathom {

/// Whether two shares of the readings differ by more than half a per cent of all, a tenth of what the model expects,
/// and what chance explains.
bool disagree(double readings, double expected, const MixtureShares& shares);

/// A sentence each: tails about the surface, readings without a return, and readings beyond all usual ones whose shares
/// the model misses by more than half a per cent of all readings, a tenth of its own figure and what chance explains.
std::vector<std::string> disagreements(const FitReport& report);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Intervals of what was learned of a chain.

#include <span>
#include <vector>

#include "calibrate/chain_errors.hpp"
#include "calibrate/chain_likelihood.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

/// 95 % intervals of the parameters of a chain at their maximum `values`: all values of one parameter for which, with
/// the best of the others, the log-likelihood L is above
///
///   L(maximum) - (half width / error of independent returns)^2 / 2
///
/// with both of ChainErrors, so that what clusters say widens them. Where L is a parabola, that is value +- half width;
/// where it is skewed, as of a limit that few returns come near, the interval is, too, and it never leaves the limits
/// of the parameter. Source: Chandler and Bate, Biometrika 94 (2007), the vertical adjustment. Of single rings, whose
/// parameters are many, of parameters without standard error, and of all if `are_straight`: value +- half width.
std::vector<Interval> chain_intervals(const ChainLikelihood& likelihood, std::span<const double> values,
                                      const ChainErrors& errors, bool are_straight);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Parameters at which the likelihood of a chain jumps: they have no derivative, and are searched one by one.

#include <cstddef>
#include <span>

#include "calibrate/chain_likelihood.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

/// Whether the likelihood jumps along this parameter, whatever the free ones are.
bool is_jump(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter);

/// The model that is the only random error and whose ends a gain moves: gain and ends cannot be searched one by one.
/// Null: the parameter is no such gain.
const Noise* moved_sharp_ends(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter);

/// Where the likelihood of one parameter is highest, the others held.
struct JumpPeak {
  double value = 0.0, log_likelihood = 0.0;
  /// Root of the mean square distance from `value` under the likelihood, taken as a density.
  double deviation = 0.0;
  /// What holds 95 % of it: where all values between two returns do as well, 95 % of these.
  Interval likeliest = {0.0, 0.0};
  /// Whether a limit of the field does as well, within two nats: the returns bound it to one side at most.
  bool is_unbounded = false;
};

/// Over all that the field allows, roughly: for few returns. `likelihood` has one free parameter.
JumpPeak find_jump(const ChainLikelihood& likelihood, double start);
/// Within about `reach` of `start`, and farther where it still rises there.
JumpPeak refine_jump(const ChainLikelihood& likelihood, double start, double reach);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The way of a chain's parameters to the highest likelihood: a coarse search on few returns, damped Newton steps on
// all, and a search of each parameter at which the likelihood jumps.

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/calibrate/chain.hpp>

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
  /// Holds 95 % of it: where all values between two returns do as well, 95 % of these.
  Interval likeliest = {0.0, 0.0};
  /// Whether a limit of the field does as well, within two nats: the returns bound it to one side at most.
  bool is_unbounded = false;
};

/// Over all that the field allows, roughly: for few returns. `likelihood` has one free parameter.
JumpPeak find_jump(const ChainLikelihood& likelihood, double start);
/// Within about `reach` of `start`, and farther where it still rises there.
JumpPeak refine_jump(const ChainLikelihood& likelihood, double start, double reach);

struct Climb {
  std::vector<double> values;
  double log_likelihood = 0.0;
};

/// Levenberg and Marquardt's damped steps with the outer product of the scores for the information (Berndt, Hall, Hall,
/// Hausman 1974), until one gains less than `least_gain`, nats. Never ends below its start.
Climb climb_chain(const ChainLikelihood& likelihood, std::vector<double> start, double least_gain = 1e-6);

/// Off the limits, where a search would not begin to move.
std::vector<double> inner_start(std::span<const FreeNumber> free, std::vector<double> start);

/// Where a search begins: each model with free parameters where its begin() has them, if that makes the chain likelier.
NoiseChain begun(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data);

/// Parameters along which the likelihood is smooth are climbed together, those at which it jumps in turn.
class Ascent {
 public:
  /// What `data` refers to must outlive it.
  Ascent(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data);

  void climb();

  [[nodiscard]] double total() const { return data_.total(chain_); }
  [[nodiscard]] const NoiseChain& chain() const { return chain_; }
  [[nodiscard]] const std::vector<FreeNumber>& smooth() const { return smooth_; }
  [[nodiscard]] const std::vector<FreeNumber>& jumps() const { return jumps_; }
  [[nodiscard]] const std::vector<JumpPeak>& peaks() const { return peaks_; }
  /// With all smooth parameters free.
  [[nodiscard]] ChainLikelihood together(const ChainData& data) const { return {chain_, smooth_, data}; }

 private:
  [[nodiscard]] ChainLikelihood along(const FreeNumber& p, std::span<const std::size_t> places) const {
    return {chain_, std::span(&p, 1), data_.at(places)};
  }
  /// The returns that a parameter acts on.
  [[nodiscard]] std::vector<std::size_t> known_to(const FreeNumber& p) const;
  /// Each jump and all smooth parameters once; returns what was reached. Jumps are sought everywhere (`anew`), or near
  /// where they are.
  double settle(bool anew);
  void climb_all();
  /// Swaps free ends of a uniform that changed places, which leaves its law the same; whether there were any.
  bool order_ends();

  NoiseChain chain_;
  ChainData data_;
  std::vector<FreeNumber> smooth_, jumps_;
  std::vector<JumpPeak> peaks_;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The way up the likelihood of a chain: a coarse search on few returns, and damped Newton steps on all.

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/base/executor.hpp>
#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_jumps.hpp"
#include "calibrate/chain_likelihood.hpp"

namespace fathom {

/// Derivatives of the log density of each return by the parameter of each column (Columns) that acts on it, [returns]
/// for each column, from differences of about `steps` of the parameters, within the limits.
std::vector<std::vector<double>> scores_of(const ChainLikelihood& likelihood, std::span<const double> values,
                                           std::span<const double> steps);
/// The same of another number of each return.
using OfEachReturn = void (ChainLikelihood::*)(std::span<const double>, std::vector<double>&) const;
std::vector<std::vector<double>> slopes_of(const ChainLikelihood& likelihood, std::span<const double> values,
                                           std::span<const double> steps, OfEachReturn of_each);

/// Nelder and Mead's simplex (The Computer Journal 7, 1965), in logarithms of parameters that are never negative.
std::vector<double> coarse_maximum(const ChainLikelihood& few, std::vector<double> start);

struct Climb {
  std::vector<double> values;
  double log_likelihood = 0.0;
  int steps = 0;
};

/// Levenberg and Marquardt's damped steps with the outer product of the scores for the information (Berndt, Hall, Hall,
/// Hausman 1974), until one gains less than `least_gain`, nats. Never ends below its start.
Climb climb_chain(const ChainLikelihood& likelihood, std::vector<double> start, double least_gain = 1e-6);

// The way of a chain's parameters to the highest likelihood.

std::vector<double> values_of(const NoiseChain& chain, std::span<const FreeNumber> free);

/// Off the limits, where a search would not begin to move.
std::vector<double> inner_start(std::span<const FreeNumber> free, std::vector<double> start);

/// Where a search begins: each model with free parameters where its begin() has them, if that makes the chain likelier.
NoiseChain begun(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
                 std::span<const std::size_t> learn, Executor& executor);

/// About `most` of the places, evenly.
std::vector<std::size_t> some_of(std::span<const std::size_t> places, std::size_t most);

/// Parameters along which the likelihood is smooth are climbed together, those at which it jumps in turn.
class Ascent {
 public:
  /// Everything given must outlive it.
  Ascent(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
         std::span<const std::size_t> learn, Executor& executor);

  void climb();

  [[nodiscard]] double total() const;
  [[nodiscard]] const NoiseChain& chain() const { return chain_; }
  [[nodiscard]] const std::vector<FreeNumber>& smooth() const { return smooth_; }
  [[nodiscard]] const std::vector<FreeNumber>& jumps() const { return jumps_; }
  [[nodiscard]] const std::vector<JumpPeak>& peaks() const { return peaks_; }
  [[nodiscard]] ChainLikelihood together(std::span<const std::size_t> places,
                                         double least_log = ChainDensity::kLeastLog) const {
    return {chain_, smooth_, returns_, places, executor_, least_log};
  }

 private:
  [[nodiscard]] ChainLikelihood along(const FreeNumber& p, std::span<const std::size_t> places) const {
    return {chain_, std::span(&p, 1), returns_, places, executor_};
  }
  /// Of these returns, those that a parameter acts on.
  [[nodiscard]] std::vector<std::size_t> known_to(const FreeNumber& p, std::span<const std::size_t> places) const;
  /// Each jump and all smooth parameters once; returns what was reached. Jumps are sought anew, or near where they are.
  double settle(bool anew);
  void climb_all();
  /// A uniform whose free ends changed places is the same law: the lower becomes the lower again. Whether any had.
  bool order_ends();

  NoiseChain chain_;
  const ChainReturns& returns_;
  std::span<const std::size_t> learn_;
  std::vector<std::size_t> few_;
  Executor& executor_;
  std::vector<FreeNumber> smooth_, jumps_;
  std::vector<JumpPeak> peaks_;
};

}  // namespace fathom

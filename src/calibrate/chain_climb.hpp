// SPDX-License-Identifier: MIT
#pragma once
// The way up the likelihood of a chain: a coarse search on few returns, and damped Newton steps on all.

#include <span>
#include <vector>

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

/// Nelder and Mead's simplex (The Computer Journal 7, 1965), in logarithms of what is not negative.
std::vector<double> coarse_maximum(const ChainLikelihood& few, std::vector<double> start);

struct Climb {
  std::vector<double> values;
  double log_likelihood = 0.0;
  int steps = 0;
};

/// Levenberg and Marquardt's damped steps with the outer product of the scores for the information (Berndt, Hall, Hall,
/// Hausman 1974), until one gains less than `least_gain`, nats. Never ends below its start.
Climb climb_chain(const ChainLikelihood& likelihood, std::vector<double> start, double least_gain = 1e-6);

}  // namespace fathom

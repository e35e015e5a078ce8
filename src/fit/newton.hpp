// SPDX-License-Identifier: MIT
#pragma once
// Searches of the maximum of a likelihood without an EM step: a simplex for a first look, damped Newton steps for all
// parameters together, and a search along one parameter at which the likelihood jumps.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "fit/estimator.hpp"

namespace fathom {

/// A likelihood as the searches see it. The likelihood must outlive it.
struct Objective {
  std::vector<Interval> limits;   ///< [parameters]
  std::vector<double> step = {};  ///< [parameters] a small change of each; 0: the limits give one
  std::function<double(std::span<const double>)> total;
  std::function<Slope(std::span<const double>, std::span<const double>)> slope = {};
  std::function<double(std::size_t, double)> nearest;  ///< the value that is stored

  /// The nearest value of parameter k within its limits.
  [[nodiscard]] double inside(std::size_t k, double value) const {
    return nearest(k, std::clamp(value, limits[k].low, limits[k].high));
  }
};

template <SlopedLikelihood L>
Objective objective_of(const L& likelihood) {
  Objective o;
  for (std::size_t k = 0; k < likelihood.parameters(); ++k) {
    o.limits.push_back(likelihood.limits(k));
    o.step.push_back(0.0);
    if constexpr (requires { likelihood.step(k); }) o.step.back() = likelihood.step(k);
  }
  o.total = [&](std::span<const double> values) { return likelihood.total(values); };
  o.slope = [&](std::span<const double> values, std::span<const double> steps) {
    return likelihood.slope(values, steps);
  };
  o.nearest = [&](std::size_t k, double value) {
    if constexpr (RoundingLikelihood<const L>) return likelihood.nearest(k, value);
    return value;
  };
  return o;
}

/// Nelder and Mead's simplex (The Computer Journal 7, 1965), in logarithms of parameters that are never negative. It
/// gives Newton's steps a better start, where slopes mislead.
std::vector<double> search_coarsely(const Objective& objective, std::vector<double> start);

/// Damped Newton steps (Levenberg and Marquardt) within the limits, until one gains less than `least_gain`, nats. The
/// information may be the outer product of the scores (Berndt, Hall, Hall, Hausman 1974). Never ends below its start.
Maximum climb_newton(const Objective& objective, std::vector<double> start, double least_gain = 1e-6);

/// The highest likelihood along one parameter.
struct JumpPeak {
  double value = 0.0, log_likelihood = 0.0;
  /// Root of the mean square distance from `value` under the likelihood, taken as a density.
  double deviation = 0.0;
  /// Holds 95 % of that density. Where all values between two data are equally likely, it holds 95 % of these values.
  Interval likeliest = {0.0, 0.0};
  /// True if a limit is as likely, within two nats: the data bound the parameter to one side at most.
  bool is_unbounded = false;
};

/// Searches all values within the limits of the only parameter, roughly: for few data.
JumpPeak find_jump(const Objective& objective, double start);
/// Searches within about `reach` of `start`, and farther while the likelihood rises.
JumpPeak refine_jump(const Objective& objective, double start, double reach);

struct Peak {
  double x, value;
};

/// The highest of the points and of all values between the neighbours of that point, by Brent's method. `points`
/// increase.
Peak highest(std::span<const double> points, const std::function<double(double)>& function);

}  // namespace fathom

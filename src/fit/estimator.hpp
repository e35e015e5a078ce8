// SPDX-License-Identifier: MIT
#pragma once
// A likelihood of parameters, and the way to its maximum. Every model that learns is a Likelihood. It offers the steps
// that it has: an EM step (maximise, here) or slopes (damped Newton).

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <fathom/core/field.hpp>
#include <fathom/report/fit.hpp>

#include "fit/uncertainty.hpp"

namespace fathom {

/// A log-likelihood of parameters within limits. Calls may keep sums for the next call, so one thread uses it at a
/// time.
template <class L>
concept Likelihood = requires(L& likelihood, std::size_t k, std::span<const double> values) {
  { likelihood.size() } -> std::convertible_to<std::size_t>;        // data
  { likelihood.parameters() } -> std::convertible_to<std::size_t>;  // [parameters] is the length of `values`
  { likelihood.limits(k) } -> std::convertible_to<Interval>;        // of parameter k
  { likelihood.total(values) } -> std::convertible_to<double>;      // log density of all data
};

/// Gradient of the log-likelihood, and an estimate of its information.
struct Slope {
  Eigen::VectorXd gradient;
  Eigen::MatrixXd information;
};

/// Has slopes. `steps` [parameters] are for differences; a likelihood with closed forms ignores them.
template <class L>
concept SlopedLikelihood = Likelihood<L> &&
    requires(L& likelihood, std::span<const double> values, std::span<const double> steps) {
  { likelihood.slope(values, steps) } -> std::convertible_to<Slope>;
};

/// Stores parameters more coarsely than a double: nearest(k, value) is what it stores.
template <class L>
concept RoundingLikelihood = Likelihood<L> && requires(L& likelihood, std::size_t k, double value) {
  { likelihood.nearest(k, value) } -> std::convertible_to<double>;
};

struct EmStep {
  double log_likelihood;     ///< of the present values
  std::vector<double> next;  ///< values of the next iteration
};

/// Has a step of expectation maximisation. m_step(values, before) may first improve the present values. `before` is the
/// log-likelihood of the previous iteration, -inf in the first. A likelihood whose own searches go on has not settled.
template <class L>
concept EmLikelihood = Likelihood<L> && requires(L& likelihood, std::vector<double>& values, double before) {
  { likelihood.m_step(values, before) } -> std::convertible_to<EmStep>;
  { likelihood.has_settled() } -> std::convertible_to<bool>;
};

struct MaximiseOptions {
  double tolerance = 1e-9;  ///< the log-likelihood L settles when it changes by at most tolerance (1 + |L|)
  std::size_t max_iterations = 2000;
  /// Called after each iteration with its number, the log-likelihood before it and the values after it. May be empty.
  std::function<void(std::size_t, double, std::span<const double>)> on_iteration = {};
};

struct Maximum {
  std::vector<double> values;
  double log_likelihood = kNoNumber;
  std::vector<double> by_iteration = {};  ///< log-likelihood at every iteration, and at the end
  bool converged = false;                 ///< false: stopped by the limit on iterations
};

/// Checks the options that all iterated fits have. Throws InputError.
template <class Options>
MaximiseOptions maximise_options(const Options& options) {
  check_in_range("fit", "tolerance", options.tolerance, 0, 1, "1");
  check_in_range("fit", "max_iterations", static_cast<double>(options.max_iterations), 1, 1e9, "1");
  check_in_range("fit", "stretches", static_cast<double>(options.stretches), 0, Fit::kMostBlocks, "1");
  return {.tolerance = options.tolerance, .max_iterations = options.max_iterations};
}

/// Climbs by EM steps until the log-likelihood settles.
template <EmLikelihood L>
Maximum maximise(L& likelihood, std::vector<double> start, const MaximiseOptions& options) {
  Maximum now = {std::move(start), -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0;; ++i) {
    const double before = now.log_likelihood;
    EmStep step = likelihood.m_step(now.values, before);
    now.log_likelihood = step.log_likelihood;
    now.by_iteration.push_back(step.log_likelihood);
    const double change = std::abs(now.log_likelihood - before);
    now.converged = change <= options.tolerance * (1.0 + std::abs(now.log_likelihood)) && likelihood.has_settled();
    if (now.converged || i == options.max_iterations) return now;
    now.values = std::move(step.next);
    if (options.on_iteration) options.on_iteration(i, now.log_likelihood, now.values);
  }
}

/// What a fit says of the way to its maximum.
inline void take_maximum(const Maximum& maximum, IteratedFit& fit) {
  fit.log_likelihood_by_iteration = maximum.by_iteration;
  fit.start_log_likelihood = maximum.by_iteration.front(), fit.log_likelihood = maximum.log_likelihood;
  fit.converged = maximum.converged;
  if (!maximum.converged) fit.note("not_converged", "stopped by the limit on iterations");
}

/// Scores held-out readings. `note`: their limits, in one sentence.
inline void hold_out(double nats, std::size_t readings, std::string note, Fit& fit) {
  fit.held_out = Fit::HeldOut{.nats = nats, .readings = readings, .note = std::move(note)};
}

/// A parameter by the table of its model, without a value.
template <class Field>
Fit::Parameter parameter_of(const Field& field) {
  return {.name = std::string(field.name), .unit = std::string(field.unit), .status = Fit::Status::kUnidentified};
}

/// The numbers of a model that a likelihood moves. The model must outlive it.
class ModelNumbers {
 public:
  template <class Model>
  void add(const Field<Model>& field, Model& model) {
    numbers_.push_back(&(model.*member_of<double>(field)));
    limits_.push_back({field.low, field.high});
    parameters_.push_back(parameter_of(field));
    parameters_.back().doc = std::string(field.doc);
  }
  void set(std::span<const double> values) {
    for (std::size_t k = 0; k < numbers_.size(); ++k) *numbers_[k] = values[k];
  }
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> values;
    for (const double* number : numbers_) values.push_back(*number);
    return values;
  }
  [[nodiscard]] std::span<const Interval> limits() const { return limits_; }
  /// With the present values, without errors, as kUnidentified.
  [[nodiscard]] std::vector<Fit::Parameter> parameters() const {
    std::vector<Fit::Parameter> all = parameters_;
    for (std::size_t k = 0; k < all.size(); ++k) all[k].value = *numbers_[k];
    return all;
  }

 private:
  std::vector<double*> numbers_;
  std::vector<Interval> limits_;
  std::vector<Fit::Parameter> parameters_;
};

// Searches: a coarse simplex, damped Newton steps of all parameters together, and a search along one parameter at which
// the likelihood jumps.

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

// SPDX-License-Identifier: MIT
#pragma once
// Common parts of learning the beam model and the likelihood field: expectation maximisation, and standard errors at
// its end (fit/covariance.hpp). Blocks are stretches of the way, or scans.

#include <cmath>
#include <limits>
#include <vector>

#include <fathom/base/field.hpp>
#include <fathom/beam/fit.hpp>

#include "beam/em.hpp"
#include "fit/covariance.hpp"

namespace fathom {

/// Of FitOptions and FieldFitOptions. Throws InputError.
template <class Options>
void check_learning(const Options& options) {
  check_in_range("fit", "tolerance", options.tolerance, 0, 1, "1");
  check_in_range("fit", "max_iterations", static_cast<double>(options.max_iterations), 1, 1e9, "1");
  check_in_range("fit", "stretches", static_cast<double>(options.stretches), 0, FitOptions::kMostStretches, "1");
}

/// Calls expect(before), which returns the log-likelihood of the present parameters (before: of the previous ones,
/// first -inf). Then it calls take(iteration), which moves to the next parameters. True once the log-likelihood settles
/// and may_end() holds; false at the limit on iterations. A log-likelihood settles when it changes by at most
/// tolerance * (least_scale + its magnitude).
template <class Options, class Expect, class MayEnd, class Take>
bool climb(const Options& options, double least_scale, std::vector<double>& log_likelihood, const Expect& expect,
           const MayEnd& may_end, const Take& take) {
  double before = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0;; ++i) {
    const double now = expect(before);
    log_likelihood.push_back(now);
    const bool is_settled = i > 0 && std::abs(now - before) <= options.tolerance * (least_scale + std::abs(now));
    if (is_settled && may_end()) return true;
    if (i == options.max_iterations) return false;
    take(i);
    before = now;
  }
}

/// Fit::block.
inline const char* block_word(std::size_t stretches) { return stretches > 0 ? "stretch" : "scan"; }

inline constexpr const char* kNoClearMaximum =
    "standard errors are not available: the likelihood has no clear maximum here";

/// parameter_errors() with notes of few blocks, if a parameter `is_learned`. One block gives naive errors alone.
ParameterErrors errors_by_blocks(const Eigen::VectorXd& naive_variances, const Eigen::MatrixXd& moved,
                                 const TrajectoryBlocks& blocks, std::size_t stretches, bool is_learned, Fit& fit);

/// The parameters of BeamParameters::fields(), and the one of an extended law of hits, without errors.
/// hit_offset_m is kFixed unless `is_offset_learned`.
std::vector<FitParameter> parameters_of(const BeamParameters& model, bool is_offset_learned);

/// Fills the errors of `fit`, which has parameters_of() its model, and notes few blocks and near-unidentified pairs.
/// Parameters on a boundary (a weight of 0, sigma at its floor, lambda 0) and those not learned get NaN. One pass over
/// the data.
void add_std_errors(const Evidence& evidence, const BeamSensor& sensor, const Maximum& last, const FitOptions& options,
                    Executor& executor, BeamFit& fit);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Standard errors of parameters at the maximum of a likelihood. Include this in few files: Eigen compiles slowly.
//
// H is minus the Hessian of the log-likelihood, the observed information. Coordinates of independent data have the
// covariance H^-1. D is the slope of parameters by coordinates: parameters have the covariance D H^-1 D' (delta
// method). A block of data with the summed score s_g moves them by D H^-1 s_g.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <fathom/report/fit.hpp>

#include "fit/uncertainty.hpp"

namespace fathom {

/// The inverse of a positive definite matrix, by Cholesky's factors of the matrix scaled to a unit diagonal. Empty if a
/// pivot is not above `least`: a row is nearly a sum of others, or the matrix is not positive definite, or not finite.
/// Reads the lower triangle.
std::optional<Eigen::MatrixXd> inverse_of(const Eigen::MatrixXd& a, double least);

/// The same for these rows and columns alone; the inverse has 0 in all others.
std::optional<Eigen::MatrixXd> inverse_of(const Eigen::MatrixXd& a, const std::vector<std::size_t>& rows, double least);

/// The rows of a positive matrix that are no sums of earlier rows: their pivots are above `least`, as in inverse_of().
std::vector<std::size_t> independent_rows(const Eigen::MatrixXd& a, double least);

/// The sum of s_g s_g' over blocks and of the products of neighbours, from `scores` [blocks, parameters]. It estimates
/// the information and is never negative.
Eigen::MatrixXd outer_product(const Eigen::MatrixXd& scores, const BartlettWeights& weights);

/// How blocks of the data move parameters, [blocks, parameters].
struct BlockMoves {
  Eigen::MatrixXd moved;
  /// Squared moves by single data, summed: the share of a block is its share of the information. No columns: all blocks
  /// have the same share.
  Eigen::MatrixXd told = {};
};

/// [parameters]; NaN if unknown.
struct ParameterErrors {
  Eigen::VectorXd naive;       ///< standard errors of independent data
  Eigen::VectorXd error;       ///< standard errors by blocks, at least `naive`
  Eigen::VectorXd half_width;  ///< of 95 % intervals
};

/// From the variances of independent data, which are unknown unless positive. Few blocks can agree by chance: no
/// standard error is below the naive one.
///
/// Blocks with the same share: the sandwich of White, Econometrica 50 (1982), and Liang and Zeger, Biometrika 73
/// (1986), with BartlettWeights. Intervals take Student's t of `error`.
///
/// Blocks with shares: block_variance(). An interval is the wider of two: the normal one of independent data, and
/// Student's t of blocks. The standard error of few blocks is uncertain and has a large quantile; the naive one is not.
/// Only the naive one counts where block_variance() is empty.
ParameterErrors parameter_errors(const Eigen::VectorXd& naive_variances, const BlockMoves& blocks,
                                 const BartlettWeights& weights);

/// Fills errors and 95 % intervals of parameters with a known naive error, unless they are fixed or at a limit.
/// `limits`: [parameters]. Without `by_blocks`, naive errors alone.
void take_errors(const ParameterErrors& errors, std::span<const Interval> limits, bool by_blocks, Fit& fit);

/// A log-likelihood about its maximum, in coordinates where it is simple.
struct Curvature {
  Eigen::MatrixXd information;    ///< observed, [coordinates, coordinates]
  Eigen::MatrixXd scores;         ///< [blocks, coordinates]
  Eigen::MatrixXd slope;          ///< [parameters, coordinates] of parameters by coordinates
  std::vector<std::size_t> free;  ///< coordinates that are learned and inside their limits
};

/// Fills errors and 95 % intervals of the parameters that free coordinates move, unless they are fixed or at a limit.
/// One block gives naive errors alone. `limits`: [parameters]. Notes few blocks. Returns the covariance of independent
/// data. Empty, with a note, if the likelihood has no clear maximum.
std::optional<Eigen::MatrixXd> add_std_errors(const Curvature& at, const TrajectoryBlocks& blocks,
                                              std::span<const Interval> limits, Fit& fit);

/// Notes that a parameter is at a limit, which has no standard error.
void add_limit_flag(bool is_there, std::string_view name, std::string_view limit, Fit& fit);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// How well a parameter is known: blocks of data whose errors are correlated, the variance that blocks show, intervals.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <fathom/report/fit.hpp>

namespace fathom {

/// A number that the data do not determine.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

struct Interval {
  double low, high;  ///< NaN if unknown
};

/// value +- half_width, cut to the limits of the parameter; NaN stays.
inline Interval interval_about(double value, double half_width, const Interval& limits) {
  return {std::max(value - half_width, limits.low), std::min(value + half_width, limits.high)};
}

/// Quantile of Student's t distribution, for p in (0, 1) and at least 1 degree of freedom, which need not be whole.
double student_t_quantile(double p, double degrees);

/// Factor of a standard error with few degrees of freedom: twice the product covers as often as two deviations of a
/// normal. 1 for no degrees.
double two_errors_widening(std::size_t degrees);

/// Standard error of an estimate, from its values without one group of the data after the other; NaN for fewer than
/// two.
double jackknife_error(std::span<const double> without);

/// Blocks of neighbouring scans. A moving sensor sees the same place in them, so their errors are correlated.
struct TrajectoryBlocks {
  std::uint64_t scans, asked, count;     ///< scans of all logs, blocks that were asked for, and blocks
  std::span<const std::uint32_t> given;  ///< [scans] the block of each; empty: about equal numbers of scans

  /// `most`: blocks, at most one for each scan; 0: each scan is a block, whatever is given. `block_of_scan` must
  /// outlive it. Throws InputError unless that is empty or has a block for each scan, counted from 0 without gaps.
  TrajectoryBlocks(std::uint64_t all_scans, std::uint64_t most, std::span<const std::uint32_t> block_of_scan = {});
  [[nodiscard]] std::uint64_t of_scan(std::uint64_t scan) const {
    return given.empty() ? scan * count / scans : given[scan];
  }
};

/// The block of each datum, from the numbers of frames in any order: all data of a frame are in one block. `asked`: as
/// TrajectoryBlocks.
std::vector<std::uint32_t> blocks_of(std::span<const std::uint32_t> frame, std::size_t asked);

/// Correlation of neighbouring blocks: the end of one stretch of the way is seen from the next. Bartlett's weights are
/// 1 - l / (L + 1) at distance l. Source: Newey and West, Econometrica 55 (1987).
struct BartlettWeights {
  std::size_t lags = 0;  // L

  BartlettWeights(std::size_t blocks, bool are_stretches) {
    constexpr std::size_t kMostLags = 2, kBlocksPerLag = 20;
    if (are_stretches) lags = std::min(kMostLags, blocks / kBlocksPerLag);
  }
  [[nodiscard]] double weight(std::size_t lag) const {
    return 1.0 - static_cast<double>(lag) / static_cast<double>(lags + 1);
  }
  /// As the scores of all blocks sum to 0, products of different ones are negative on average. G / (G - 1) for L = 0.
  [[nodiscard]] double small_sample_factor(double blocks) const {
    return blocks > 1.0 ? blocks / (blocks - static_cast<double>(lags + 1)) : 1.0;
  }
  /// Degrees of freedom of Student's t: G - 1 for L = 0. A sum of products counts as its mean square does.
  [[nodiscard]] double degrees(double blocks) const {
    double squares = 1.0;
    for (std::size_t lag = 1; lag <= lags; ++lag) squares += 2.0 * weight(lag) * weight(lag);
    return std::max(1.0, std::floor(blocks / squares) - 1.0);
  }
  /// Calls add(a, b, weight) for all pairs of blocks that are correlated, in both orders.
  template <class Add>
  void for_each_pair(std::size_t blocks, Add add) const {
    for (std::size_t g = 0; g < blocks; ++g) {
      add(g, g, 1.0);
      for (std::size_t lag = 1; lag <= std::min(lags, g); ++lag) {
        add(g, g - lag, weight(lag));
        add(g - lag, g, weight(lag));
      }
    }
  }
  /// Variance of a sum over blocks, from the part of each.
  [[nodiscard]] double variance_of_sum(std::span<const double> parts) const;
};

struct BlockVariance {
  double variance;
  double degrees;  ///< of Student's t, at least 1
};

/// The variance of a parameter by blocks that may hold very different shares of the information. Block g moves the
/// parameter by u_g = (A^-1 s_g), and has the share h_g. The parameter follows the blocks, so sum_g u_g = 0. If blocks
/// are independent and as uncertain as their information says,
///
///   var(u_g) = h_g (1 - h_g),   cov(u_g, u_k) = -h_g h_k   (variance of the parameter 1).
///
/// So u_g counts u_g / sqrt(1 - h_g), and the weighted sum of products (BartlettWeights) is divided by its mean under
/// this law. The sum is as uncertain as a chi square of
///
///   (mean of the sum)^2 / (half its variance)
///
/// degrees. Source: Bell and McCaffrey, Survey Methodology 28 (2002), with Satterthwaite's degrees, and with the shares
/// of one parameter for their matrix. Few blocks need it: Imbens and Kolesar, Review of Economics and Statistics 98
/// (2016). G equal blocks without neighbours have G / (G - 1) sum u_g^2 and G - 1 degrees. Empty if one block holds
/// more than 0.95 of the information: hardly another is left to compare with.
std::optional<BlockVariance> block_variance(std::span<const double> moved, std::span<const double> share,
                                            const BartlettWeights& weights);

/// Notes where blocks are too few for standard errors. `stretches`: the blocks that were asked for; 0: scans. `by_way`:
/// the way gave these blocks. `what`: "rays".
void note_few_blocks(std::size_t blocks, std::size_t stretches, bool by_way, std::string_view what, Fit& fit);

// Standard errors of parameters at the maximum of a likelihood.
//
// H is minus the Hessian of the log-likelihood, the observed information. Coordinates of independent data have the
// covariance H^-1. D is the slope of parameters by coordinates: parameters have the covariance D H^-1 D' (delta
// method). A block of data with the summed score s_g moves them by D H^-1 s_g.

/// The inverse of a positive definite matrix, by Cholesky's factors of the matrix scaled to a unit diagonal. Empty if a
/// pivot is not above `least`: a row is nearly a sum of others, or the matrix is not positive definite, or not finite.
/// Reads the lower triangle.
std::optional<Eigen::MatrixXd> inverse_of(const Eigen::MatrixXd& a, double least);

/// The same for only these rows and columns; the inverse has 0 in all others.
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
/// `limits`: [parameters]. Without `by_blocks`, only naive errors.
void take_errors(const ParameterErrors& errors, std::span<const Interval> limits, bool by_blocks, Fit& fit);

/// A log-likelihood about its maximum, in coordinates where it is simple.
struct Curvature {
  Eigen::MatrixXd information;    ///< observed, [coordinates, coordinates]
  Eigen::MatrixXd scores;         ///< [blocks, coordinates]
  Eigen::MatrixXd slope;          ///< [parameters, coordinates] of parameters by coordinates
  std::vector<std::size_t> free;  ///< coordinates that are learned and inside their limits
};

/// Fills errors and 95 % intervals of the parameters that free coordinates move, unless they are fixed or at a limit.
/// One block gives only naive errors. `limits`: [parameters]. Notes few blocks. Returns the covariance of independent
/// data. Empty, with a note, if the likelihood has no clear maximum.
std::optional<Eigen::MatrixXd> add_std_errors(const Curvature& at, const TrajectoryBlocks& blocks,
                                              std::span<const Interval> limits, Fit& fit);

/// Notes that a parameter is at a limit, which has no standard error.
void add_limit_flag(bool is_there, std::string_view name, std::string_view limit, Fit& fit);

}  // namespace fathom

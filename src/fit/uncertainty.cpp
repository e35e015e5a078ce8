// SPDX-License-Identifier: MIT
#include "fit/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/report/fit.hpp>

#include "core/text.hpp"

namespace fathom {

double student_t_quantile(double p, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

double two_errors_widening(std::size_t degrees) {
  constexpr double kHeldByTwo = 0.97725;  // of a normal below two deviations
  return degrees > 0 ? 0.5 * student_t_quantile(kHeldByTwo, static_cast<double>(degrees)) : 1.0;
}

double jackknife_error(std::span<const double> without) {
  if (without.size() < 2) return kNoNumber;
  const auto count = static_cast<double>(without.size());
  double mean = 0.0, square = 0.0;
  for (const double value : without) mean += value / count;
  for (const double value : without) square += (value - mean) * (value - mean);
  return std::sqrt(square * (count - 1.0) / count);
}

TrajectoryBlocks::TrajectoryBlocks(std::uint64_t all_scans, std::uint64_t most,
                                   std::span<const std::uint32_t> block_of_scan)
    : scans(all_scans), asked(most), count(most > 0 ? std::min(most, all_scans) : all_scans) {
  if (most == 0 || block_of_scan.empty()) return;
  if (block_of_scan.size() != scans) {
    throw InputError(fmt::format("stretches of {} scans given for {} scans", block_of_scan.size(), scans));
  }
  for (std::size_t i = 0; i < block_of_scan.size(); ++i) {
    const std::uint32_t before = i > 0 ? block_of_scan[i - 1] : 0;
    if (block_of_scan[i] == before || (i > 0 && block_of_scan[i] == before + 1)) continue;
    throw InputError(fmt::format("scan {} is in stretch {}, and the scan before in {}", i, block_of_scan[i], before));
  }
  given = block_of_scan, count = std::uint64_t{block_of_scan.back()} + 1;
}

std::vector<std::uint32_t> blocks_of(std::span<const std::uint32_t> frame, std::size_t asked) {
  std::vector<std::uint32_t> frames(frame.begin(), frame.end());
  std::ranges::sort(frames);
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  const TrajectoryBlocks blocks(frames.size(), asked);
  std::vector<std::uint32_t> block;
  for (const std::uint32_t number : frame) {
    const auto place = std::ranges::lower_bound(frames, number) - frames.begin();
    block.push_back(static_cast<std::uint32_t>(blocks.of_scan(static_cast<std::uint64_t>(place))));
  }
  return block;
}

double BartlettWeights::variance_of_sum(std::span<const double> parts) const {
  double sum = 0.0;
  for_each_pair(parts.size(),
                [&](std::size_t g, std::size_t h, double weight) { sum += weight * parts[g] * parts[h]; });
  return small_sample_factor(static_cast<double>(parts.size())) * std::max(0.0, sum);
}

std::optional<BlockVariance> block_variance(std::span<const double> moved, std::span<const double> share,
                                            const BartlettWeights& weights) {
  constexpr double kLeastRest = 0.05;  // of 1 - h_g: below, the other blocks hold too little to compare with
  constexpr double kLeastMean = 1e-9;  // of the sum, which has lost its digits below
  const std::size_t blocks = moved.size();
  if (blocks == 0 || std::ranges::max(share) > 1.0 - kLeastRest) return std::nullopt;
  // Corrected u_g, and their covariance diag(own) - common common'.
  std::vector<double> corrected(blocks), own(blocks), common(blocks);
  for (std::size_t g = 0; g < blocks; ++g) {
    const double rest = 1.0 - share[g];
    corrected[g] = moved[g] / std::sqrt(rest);
    common[g] = share[g] / std::sqrt(rest);
    own[g] = share[g] * (1.0 - share[g]) / rest + common[g] * common[g];
  }
  // K has the weights of pairs: u' K u, and the traces of K C and (K C)^2 for that covariance C.
  double sum = 0.0, mean = 0.0, squares = 0.0, of_common = 0.0;
  std::vector<double> weighted(blocks, 0.0);  // K common
  weights.for_each_pair(blocks, [&](std::size_t g, std::size_t h, double weight) {
    sum += weight * corrected[g] * corrected[h];
    squares += weight * weight * own[g] * own[h];
    of_common += weight * common[g] * common[h];
    weighted[g] += weight * common[h];
  });
  for (std::size_t g = 0; g < blocks; ++g) {
    mean += own[g];
    squares -= 2.0 * own[g] * weighted[g] * weighted[g];
  }
  mean -= of_common, squares += of_common * of_common;
  if (!(mean > kLeastMean && squares > 0.0)) return std::nullopt;
  return BlockVariance{std::max(0.0, sum) / mean, std::max(1.0, mean * mean / squares)};
}

void note_few_blocks(std::size_t blocks, std::size_t stretches, bool by_way, std::string_view what, Fit& fit) {
  constexpr std::size_t kFewBlocks = 20;
  if (blocks < 2) {
    return fit.note(
        "one_block",
        fmt::format("standard errors need at least two clusters: the {} of one cluster have correlated errors", what));
  }
  if (blocks >= kFewBlocks) return;
  const bool few_asked = stretches > 0 && blocks == stretches;
  fit.note("few_blocks", fmt::format("standard errors rest on {} only: they are rough, {}",
                                     stretches > 0 ? counted(blocks, "stretch") : counted(blocks, "scan"),
                                     few_asked                 ? "take 20 stretches or more"
                                     : stretches > 0 && by_way ? "learn from at least 20 scans, along a longer way"
                                                               : "learn from at least 20 scans"));
}

namespace {

constexpr double kHeld = 0.975;                  // below the upper end of a 95 % interval
constexpr double kNormal95 = 1.959963984540054;  // its quantile of a normal

struct ErrorWidth {
  double error, half_width;
};

std::span<const double> column(const Eigen::MatrixXd& of, Eigen::Index k) {
  return {of.data() + k * of.rows(), static_cast<std::size_t>(of.rows())};
}

ErrorWidth of_even_blocks(double naive, std::span<const double> moved, const BartlettWeights& weights) {
  const double error = std::max(naive, std::sqrt(weights.variance_of_sum(moved)));  // NaN stays
  return {error, student_t_quantile(kHeld, weights.degrees(static_cast<double>(moved.size()))) * error};
}

ErrorWidth of_shares(double naive, std::span<const double> moved, const Eigen::VectorXd& told,
                     const BartlettWeights& weights) {
  ErrorWidth both = {naive, kNormal95 * naive};
  if (moved.size() < 2) return both;
  const double all = told.sum();
  const Eigen::VectorXd share = all > 0.0 ? Eigen::VectorXd(told / all) : told;
  const auto shown = block_variance(moved, {share.data(), moved.size()}, weights);
  if (!shown) return both;
  const double by_block = std::sqrt(shown->variance);
  both.error = std::max(both.error, by_block);
  both.half_width = std::max(both.half_width, student_t_quantile(kHeld, shown->degrees) * by_block);
  return both;
}

}  // namespace

std::optional<Eigen::MatrixXd> inverse_of(const Eigen::MatrixXd& a, double least) {
  if (a.rows() == 0) return a;
  if (!a.diagonal().allFinite() || !(a.diagonal().array() > 0.0).all()) return std::nullopt;
  const Eigen::VectorXd unit = a.diagonal().cwiseSqrt().cwiseInverse();
  const auto scale = unit.asDiagonal();
  const Eigen::LLT<Eigen::MatrixXd> factors(scale * a * scale);
  const bool is_positive =
      factors.info() == Eigen::Success && (factors.matrixLLT().diagonal().array().square() > least).all();
  if (!is_positive) return std::nullopt;
  return Eigen::MatrixXd(scale * factors.solve(Eigen::MatrixXd::Identity(a.rows(), a.rows())) * scale);
}

std::optional<Eigen::MatrixXd> inverse_of(const Eigen::MatrixXd& a, const std::vector<std::size_t>& rows,
                                          double least) {
  Eigen::MatrixXd padded = Eigen::MatrixXd::Zero(a.rows(), a.rows());
  if (rows.empty()) return padded;
  const auto inverse = inverse_of(a(rows, rows), least);
  if (!inverse) return std::nullopt;
  padded(rows, rows) = *inverse;
  return padded;
}

std::vector<std::size_t> independent_rows(const Eigen::MatrixXd& a, double least) {
  std::vector<std::size_t> kept;
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(a.rows(), a.rows());  // Cholesky's, of the rows kept
  const Eigen::VectorXd scale = a.diagonal().cwiseSqrt().cwiseInverse();
  for (Eigen::Index row = 0; row < a.rows(); ++row) {
    if (!(a(row, row) > 0.0) || !std::isfinite(a(row, row))) continue;
    const auto count = static_cast<Eigen::Index>(kept.size());
    Eigen::VectorXd next(count);
    for (Eigen::Index k = 0; k < count; ++k) next[k] = a(row, kept[k]) * scale[row] * scale[kept[k]];
    factor.topLeftCorner(count, count).triangularView<Eigen::Lower>().solveInPlace(next);
    const double pivot = 1.0 - next.squaredNorm();
    if (!(pivot > least)) continue;
    factor.row(count).head(count) = next.transpose();
    factor(count, count) = std::sqrt(pivot);
    kept.push_back(static_cast<std::size_t>(row));
  }
  return kept;
}

Eigen::MatrixXd outer_product(const Eigen::MatrixXd& scores, const BartlettWeights& weights) {
  const auto blocks = static_cast<std::size_t>(scores.rows());
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(scores.cols(), scores.cols());
  weights.for_each_pair(blocks, [&](std::size_t g, std::size_t h, double weight) {
    sum.noalias() += weight * scores.row(g).transpose() * scores.row(h);
  });
  return weights.small_sample_factor(static_cast<double>(blocks)) * sum;
}

ParameterErrors parameter_errors(const Eigen::VectorXd& naive_variances, const BlockMoves& blocks,
                                 const BartlettWeights& weights) {
  const Eigen::Index count = naive_variances.size();
  ParameterErrors out = {Eigen::VectorXd(count), Eigen::VectorXd(count), Eigen::VectorXd(count)};
  for (Eigen::Index k = 0; k < count; ++k) {
    out.naive[k] = naive_variances[k] > 0.0 ? std::sqrt(naive_variances[k]) : kNoNumber;
    const std::span<const double> moved = column(blocks.moved, k);
    const ErrorWidth both = blocks.told.cols() > 0 ? of_shares(out.naive[k], moved, blocks.told.col(k), weights)
                                                   : of_even_blocks(out.naive[k], moved, weights);
    out.error[k] = both.error, out.half_width[k] = both.half_width;
  }
  return out;
}

void take_errors(const ParameterErrors& errors, std::span<const Interval> limits, bool by_blocks, Fit& fit) {
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    Fit::Parameter& p = fit.parameters[k];
    if (p.status != Fit::Status::kUnidentified || !std::isfinite(errors.naive[k])) continue;
    p.naive_error = errors.naive[k], p.status = Fit::Status::kLearned;
    if (!by_blocks) continue;
    const Interval interval = interval_about(p.value, errors.half_width[k], limits[k]);
    p.std_error = errors.error[k], p.low_95 = interval.low, p.high_95 = interval.high;
  }
}

std::optional<Eigen::MatrixXd> add_std_errors(const Curvature& at, const TrajectoryBlocks& blocks,
                                              std::span<const Interval> limits, Fit& fit) {
  fit.blocks = blocks.count, fit.block = blocks.asked > 0 ? "stretch" : "scan";
  const auto inverse = inverse_of(at.information, at.free, 0.0);
  if (!inverse) {
    fit.note("no_maximum", "standard errors are not available: the likelihood has no clear maximum here");
    return std::nullopt;
  }
  const Eigen::MatrixXd to_parameters = *inverse * at.slope.transpose(), covariance = at.slope * to_parameters;
  const ParameterErrors errors = parameter_errors(covariance.diagonal(), {at.scores * to_parameters},
                                                  BartlettWeights(blocks.count, blocks.asked > 0));
  if (blocks.count < 2 || !at.free.empty()) {
    note_few_blocks(blocks.count, blocks.asked, !blocks.given.empty(), "rays", fit);
  }
  take_errors(errors, limits, blocks.count > 1, fit);
  return covariance;
}

void add_limit_flag(bool is_there, std::string_view name, std::string_view limit, Fit& fit) {
  if (!is_there) return;
  fit.note("at_limit", fmt::format("{} is at {}", name, limit));
  std::ranges::find(fit.parameters, name, &Fit::Parameter::name)->status = Fit::Status::kAtLimit;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include "fit/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Cholesky>
#include <fmt/format.h>

namespace fathom {

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
    FitParameter& p = fit.parameters[k];
    if (p.status != ParameterStatus::kUnidentified || !std::isfinite(errors.naive[k])) continue;
    p.naive_error = errors.naive[k], p.status = ParameterStatus::kLearned;
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
  std::ranges::find(fit.parameters, name, &FitParameter::name)->status = ParameterStatus::kAtLimit;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
// Standard errors from the score of each pair (BeamDensity's parameters in coordinates where the score is simple):
//
//   weights, as shares of a softmax   r_c - w_c               sigma, as log sigma    r_h (d^2 - m2) / sigma^2
//   lambda, as log lambda             r_s lambda (m1 - z)
//   offset                            r_h (d - E[d]) / sigma^2 - r_s lambda / (e^{lambda z*} - 1)
//
// where hits are Gaussian; else as curvature.hpp has it, with log nu or sigma' as one coordinate more.

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <fathom/base/field.hpp>

#include "beam/curvature.hpp"
#include "beam/learning.hpp"

namespace fathom {

namespace {

/// Coordinates that are learned and inside their limits. One weight, the largest, follows from the others.
std::vector<std::size_t> free_coordinates(const BeamParameters& p, const Maximum& last, bool offset_fitted) {
  const Eigen::Vector4d w = weights_of(p);
  const auto largest = static_cast<std::size_t>(std::max_element(w.begin(), w.end()) - w.begin());
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < kWeights; ++k) {
    if (k != largest && w[k] > kWeightBoundary) free.push_back(k);
  }
  if (!last.no_hits && !last.sigma_at_floor && !last.sigma_at_top) free.push_back(4);
  if (!last.no_shorts && !last.lambda_at_zero && p.w_short > kWeightBoundary) free.push_back(5);
  if (!last.no_hits && offset_fitted) free.push_back(6);
  if (!last.no_hits && p.tail.is_extended() && !last.tail_at_low && !last.tail_at_high) free.push_back(7);
  return free;
}

/// Parameters that have a standard error: the free ones, and every weight above 0, as the largest follows from the
/// others.
std::vector<std::size_t> with_error(const BeamParameters& p, std::vector<std::size_t> free) {
  const bool are_weights_free = !free.empty() && free.front() < kWeights;
  std::erase_if(free, [](std::size_t k) { return k < kWeights; });
  for (std::size_t k = kWeights; k-- > 0;) {
    if (are_weights_free && weights_of(p)[k] > kWeightBoundary) free.insert(free.begin(), k);
  }
  return free;
}

/// Slope of the parameters by the coordinates: dw_c / d eta_k = w_c (1{c=k} - w_k).
Eigen::MatrixXd slope_of_parameters(const BeamParameters& p) {
  const Eigen::Vector4d w = weights_of(p);
  const double of_tail = p.tail.hit == HitLaw::kStudentT ? p.tail.nu_hit : 1.0;
  Eigen::MatrixXd slope = Score{0, 0, 0, 0, p.sigma_hit_m, p.lambda_short_per_m, 1.0, of_tail}.asDiagonal();
  slope.topLeftCorner<kWeights, kWeights>() = Eigen::Matrix4d(w.asDiagonal()) - w * w.transpose();
  return slope;
}

template <class Model>
FitParameter parameter_of(const Field<Model>& field, const Model& in) {
  return {.name = std::string(field.name),
          .unit = std::string(field.unit),
          .value = in.*member_of<double>(field),
          .status = ParameterStatus::kUnidentified,
          .doc = std::string(field.doc)};
}

/// Of the parameters of coordinates.
std::vector<Interval> limits_of(const HitTail& tail) {
  std::vector<Interval> all;
  for (const auto& f : BeamParameters::fields()) all.push_back({f.low, f.high});
  if (tail.is_extended()) all.push_back({HitTail::field_of(tail.hit).low, HitTail::field_of(tail.hit).high});
  return all;
}

/// Whether a weight is known much worse than by counting readings of known origin. Only then does a correlation of two
/// weights say that the data cannot tell them apart: as they sum to 1, it is -1 where there are but two, and near it
/// where the others are small.
bool is_ill_known(double variance, double weight, std::size_t pairs) {
  constexpr double kMostVariance = 4.0;
  return variance > kMostVariance * weight * (1.0 - weight) / static_cast<double>(pairs);
}

/// Sums over pairs.
struct Derivatives {
  std::uint64_t first_block = 0;
  Eigen::Matrix<double, Eigen::Dynamic, kCoordinates> scores;  ///< [blocks from the first on]
  Hessian hessian = Hessian::Zero();

  Derivatives() = default;
  Derivatives(std::uint64_t first, std::uint64_t last) : first_block(first) {
    scores.setZero(static_cast<Eigen::Index>(last - first + 1), kCoordinates);
  }
  auto score_of(std::uint64_t block) { return scores.row(static_cast<Eigen::Index>(block - first_block)); }
  void add(const Derivatives& o) {
    scores.middleRows(static_cast<Eigen::Index>(o.first_block - first_block), o.scores.rows()) += o.scores;
    hessian += o.hessian;
  }
};

Derivatives sum_up(const RangeReadings& readings, std::size_t begin, std::size_t end, bool missed,
                   const ReadingCurvature& curvature, const TrajectoryBlocks& blocks) {
  const std::uint32_t* cluster = readings.cluster.data();
  const auto [least, most] = std::minmax_element(cluster + begin, cluster + end);
  Derivatives sums(blocks.of_scan(*least), blocks.of_scan(*most));
  for (std::size_t i = begin; i < end; ++i) {
    sums.score_of(blocks.of_scan(cluster[i])) +=
        curvature.add(readings.z_m[i], readings.expected_m[i], missed, sums.hessian).transpose();
  }
  return sums;
}

/// "Max" readings: the point mass explains them alone, except hits that the atom policy moved there.
void add_max(const Evidence& evidence, const BeamParameters& p, MissPolicy miss, const TrajectoryBlocks& blocks,
             Derivatives& sums) {
  const double both = p.w_hit + p.w_max;
  const double shared = miss == MissPolicy::kAtom && both > 0.0 ? p.w_hit / both : 0.0;
  for (std::size_t scan = 0; scan < evidence.clusters(); ++scan) {
    const double expected = evidence.max_expected[scan], missed = evidence.max_missed[scan];
    Score score = Score::Zero();
    score[0] = shared * missed;
    score[2] = expected + (1.0 - shared) * missed;
    add_common_term(p, expected + missed, score, sums.hessian);
    sums.score_of(blocks.of_scan(scan)) += score.transpose();
  }
  const Score apart = Score::Unit(0) - Score::Unit(2);
  sums.hessian += shared * (1.0 - shared) * evidence.max_missed_total * apart * apart.transpose();
}

/// Chunks of readings are the same for any number of threads.
Derivatives find_derivatives(const Evidence& evidence, const BeamParameters& p, const BeamSensor& sensor,
                             const TrajectoryBlocks& blocks, Executor& executor) {
  constexpr std::size_t kReadingsOfChunk = 16384;
  const ReadingCurvature curvature(p, sensor);
  Derivatives sums(0, blocks.count - 1);
  for (const bool missed : {true, false}) {
    const RangeReadings& readings = missed ? evidence.missed : evidence.seen;
    std::vector<Derivatives> chunks((readings.size() + kReadingsOfChunk - 1) / kReadingsOfChunk);
    executor.parallel_for(chunks.size(), 1, [&](std::size_t chunk, std::size_t) {
      const std::size_t begin = chunk * kReadingsOfChunk, end = std::min(readings.size(), begin + kReadingsOfChunk);
      chunks[chunk] = sum_up(readings, begin, end, missed, curvature, blocks);
    });
    for (const Derivatives& chunk : chunks) sums.add(chunk);
  }
  add_max(evidence, p, sensor.miss, blocks, sums);
  return sums;
}

/// Not so where learning ended short of a maximum: there the information can be negative in some direction.
bool are_variances(const Eigen::MatrixXd& covariance, const std::vector<std::size_t>& known) {
  return std::all_of(known.begin(), known.end(), [&](std::size_t k) { return covariance(k, k) > 0.0; });
}

void flag_unidentified(const Eigen::MatrixXd& covariance, const std::vector<std::size_t>& known, BeamFit& fit) {
  constexpr double kMostCorrelation = 0.98;
  const auto may_be_one_of_a_pair = [&](std::size_t k) {
    return k >= kWeights || is_ill_known(covariance(k, k), fit.parameters[k].value, fit.readings);
  };
  for (const std::size_t j : known) {
    for (const std::size_t k : known) {
      const double correlation = covariance(j, k) / std::sqrt(covariance(j, j) * covariance(k, k));
      if (j < k && std::abs(correlation) > kMostCorrelation && may_be_one_of_a_pair(j) && may_be_one_of_a_pair(k)) {
        fit.note("correlated", fmt::format("{} and {} are nearly unidentified: their correlation is {:.4f}",
                                           fit.parameters[j].name, fit.parameters[k].name, correlation));
      }
    }
  }
}

void add_errors(const ParameterErrors& errors, const std::vector<std::size_t>& known, BeamFit& fit) {
  const std::vector<Interval> limits = limits_of(fit.model.tail);
  for (const std::size_t k : known) {
    FitParameter& p = fit.parameters[k];
    const Interval interval = interval_about(p.value, errors.half_width[k], limits[k]);
    p.naive_error = errors.naive[k], p.std_error = errors.error[k];
    p.low_95 = interval.low, p.high_95 = interval.high, p.status = ParameterStatus::kLearned;
  }
}

}  // namespace

std::vector<FitParameter> parameters_of(const BeamParameters& model, bool is_offset_learned) {
  std::vector<FitParameter> all;
  for (const auto& field : BeamParameters::fields()) {
    FitParameter& p = all.emplace_back(parameter_of(field, model));
    const auto member = member_of<double>(field);
    if (member == &BeamParameters::hit_offset_m && !is_offset_learned) p.status = ParameterStatus::kFixed;
    if (member != &BeamParameters::sigma_hit_m) continue;
    if (model.tail.hit == HitLaw::kStudentT) p.doc = "scale of hits";
    if (model.tail.hit == HitLaw::kGrows) p.doc = "standard deviation of hits at range 0";
  }
  if (model.tail.is_extended()) all.push_back(parameter_of(HitTail::field_of(model.tail.hit), model.tail));
  return all;
}

ParameterErrors errors_by_blocks(const Eigen::VectorXd& naive_variances, const Eigen::MatrixXd& moved,
                                 const TrajectoryBlocks& blocks, std::size_t stretches, bool is_learned, Fit& fit) {
  ParameterErrors errors = parameter_errors(naive_variances, {moved}, BartlettWeights(blocks.count, stretches > 0));
  if (blocks.count < 2) {
    fit.note("one_block", one_block_flag("rays"));
    errors.error.setConstant(kNoNumber), errors.half_width.setConstant(kNoNumber);
    return errors;
  }
  const std::string few = few_blocks_flag(blocks.count, stretches, !blocks.given.empty());
  if (is_learned && !few.empty()) fit.note("few_blocks", few);
  return errors;
}

void add_std_errors(const Evidence& evidence, const BeamSensor& sensor, const Maximum& last, const FitOptions& options,
                    Executor& executor, BeamFit& fit) {
  const BeamParameters& p = fit.model;
  const std::vector<std::size_t> free = free_coordinates(p, last, options.fit_hit_offset), known = with_error(p, free);
  const TrajectoryBlocks blocks(evidence.clusters(), options.stretches, options.stretch_of_scan);
  fit.blocks = blocks.count, fit.block = block_word(options.stretches);
  const Derivatives derivatives = find_derivatives(evidence, p, sensor, blocks, executor);
  const Eigen::MatrixXd slope = slope_of_parameters(p);
  const auto inverse = inverse_of(-derivatives.hessian, free, 0.0);
  const Eigen::MatrixXd naive = inverse ? Eigen::MatrixXd(slope * *inverse * slope.transpose()) : slope;
  if (!inverse || !are_variances(naive, known)) {
    fit.note("no_maximum", kNoClearMaximum);
    // Fewer clusters than coordinates leave the outer product singular.
    if (!(fit.blocks > 2 * fit.parameters.size())) return;
    const BartlettWeights weights(blocks.count, options.stretches > 0);
    if (const auto of_scores = inverse_of(outer_product(derivatives.scores, weights), free, 0.0)) {
      flag_unidentified(slope * *of_scores * slope.transpose(), known, fit);
    }
    return;
  }
  flag_unidentified(naive, known, fit);
  const ParameterErrors errors = errors_by_blocks(naive.diagonal(), derivatives.scores * *inverse * slope.transpose(),
                                                  blocks, options.stretches, !known.empty(), fit);
  add_errors(errors, known, fit);
}

}  // namespace fathom

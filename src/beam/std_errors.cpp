// SPDX-License-Identifier: MIT
// Standard errors from the score of each pair (BeamDensity's parameters in coordinates where the score is simple):
//
//   weights, as shares of a softmax   r_c - w_c               sigma, as log sigma    r_h (d^2 - m2) / sigma^2
//   lambda, as log lambda             r_s lambda (m1 - z)
//   offset                            r_h (d - E[d]) / sigma^2 - r_s lambda / (e^{lambda z*} - 1)
//
// where hits are Gaussian; else as curvature.hpp has it, with log nu or sigma' as one coordinate more.
//
// Their derivatives give the standard errors of fit/covariance.hpp. Blocks are stretches of the way, or scans.

#include "beam/std_errors.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "beam/curvature.hpp"
#include "fit/covariance.hpp"

namespace fathom {

namespace {

constexpr double kBoundary = 1e-7;  // of a weight: below, it is 0

/// Coordinates that are learned and inside their limits. One weight, the largest, follows from the others.
std::vector<std::size_t> free_coordinates(const BeamParameters& p, const Maximum& last, bool offset_fitted) {
  std::size_t largest = 0;
  for (std::size_t k = 1; k < kWeights; ++k) {
    if (p.*kWeightMembers[k] > p.*kWeightMembers[largest]) largest = k;
  }
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < kWeights; ++k) {
    if (k != largest && p.*kWeightMembers[k] > kBoundary) free.push_back(k);
  }
  if (!last.no_hits && !last.sigma_at_floor && !last.sigma_at_top) free.push_back(4);
  if (!last.no_shorts && !last.lambda_at_zero && p.w_short > kBoundary) free.push_back(5);
  if (!last.no_hits && offset_fitted) free.push_back(6);
  if (!last.no_hits && p.tail.is_extended() && !last.tail_at_low && !last.tail_at_high) free.push_back(7);
  return free;
}

bool contains(const std::vector<std::size_t>& set, std::size_t k) {
  return std::find(set.begin(), set.end(), k) != set.end();
}

/// Parameters that have an error: those of the free coordinates, and every weight above 0, as the largest follows from
/// the others.
std::vector<std::size_t> with_error(const BeamParameters& p, const std::vector<std::size_t>& free) {
  const bool weights = !free.empty() && free.front() < kWeights;
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < kCoordinates; ++k) {
    const bool has = k < kWeights ? weights && p.*kWeightMembers[k] > kBoundary : contains(free, k);
    if (has) out.push_back(k);
  }
  return out;
}

/// Slope of the parameters by the coordinates: dw_c / d eta_k = w_c (1{c=k} - w_k).
Eigen::MatrixXd slope_of_parameters(const BeamParameters& p) {
  Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(kCoordinates, kCoordinates);
  for (std::size_t c = 0; c < kWeights; ++c) {
    for (std::size_t k = 0; k < kWeights; ++k) {
      slope(c, k) = p.*kWeightMembers[c] * ((c == k ? 1.0 : 0.0) - p.*kWeightMembers[k]);
    }
  }
  slope(4, 4) = p.sigma_hit_m;
  slope(5, 5) = p.lambda_short_per_m;
  slope(6, 6) = 1.0;
  slope(7, 7) = p.tail.hit == HitLaw::kStudentT ? p.tail.nu_hit : 1.0;
  return slope;
}

/// A coordinate's parameter: of the book's table, and then that of the law of hits.
struct Coordinate {
  std::string_view name;
  double low, high;
  double BeamParameters::*book;  // null: of the tail
  double HitTail::*tail;

  [[nodiscard]] double& in(BeamParameters& p) const { return book != nullptr ? p.*book : p.tail.*tail; }
};

std::vector<Coordinate> coordinates_of(const HitTail& tail) {
  std::vector<Coordinate> all;
  for (const auto& f : BeamParameters::fields()) all.push_back({f.name, f.low, f.high, member_of<double>(f), nullptr});
  if (tail.is_extended()) {
    const auto f = HitTail::field_of(tail.hit);
    all.push_back({f.name, f.low, f.high, nullptr, member_of<double>(f)});
  }
  return all;
}

/// NaN, of a law of hits.
BeamParameters unknown_numbers(HitLaw law) {
  return {kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber, {law, kNoNumber, kNoNumber}};
}

BeamParameters to_errors(const Eigen::VectorXd& of_parameters, const std::vector<std::size_t>& known, HitLaw law) {
  BeamParameters errors = unknown_numbers(law);
  const std::vector<Coordinate> coordinates = coordinates_of(errors.tail);
  for (const std::size_t k : known) coordinates[k].in(errors) = of_parameters[k];
  return errors;
}

/// Whether a weight is known much worse than by counting readings of known origin. Only then does a correlation of two
/// weights say that the data cannot tell them apart: as they sum to 1, it is -1 where there are but two, and near it
/// where the others are small.
bool is_ill_known(double variance, double weight, std::size_t pairs) {
  constexpr double kMostVariance = 4.0;
  return variance > kMostVariance * weight * (1.0 - weight) / static_cast<double>(pairs);
}

/// Of all parts, added in their order.
struct Derivatives {
  Eigen::MatrixXd information;  ///< [coordinates, coordinates]
  Eigen::MatrixXd scores;       ///< [blocks, coordinates], summed
};

Derivatives find_derivatives(std::span<const Evidence> parts, const BeamParameters& p, const BeamSensor& sensor,
                             const TrajectoryBlocks& blocks, const Compute& compute, Executor& executor) {
  Derivatives out = {Eigen::MatrixXd::Zero(kCoordinates, kCoordinates),
                     Eigen::MatrixXd::Zero(blocks.count, kCoordinates)};
  std::uint64_t first_scan = 0;
  for (const Evidence& evidence : parts) {
    const Curvature part = find_curvature(evidence, first_scan, blocks, p, sensor, executor, compute.isa);
    first_scan += evidence.clusters();
    out.information += Eigen::Map<const Eigen::Matrix<double, kCoordinates, kCoordinates>>(part.information[0].data());
    for (std::size_t n = 0; n < part.cluster_scores.size(); ++n) {
      out.scores.row(part.first_cluster + n) +=
          Eigen::Map<const Eigen::RowVector<double, kCoordinates>>(part.cluster_scores[n].data());
    }
  }
  return out;
}

/// Not so where learning ended short of a maximum: there the information can be negative in some direction.
bool are_variances(const Eigen::MatrixXd& covariance, const std::vector<std::size_t>& known) {
  return std::all_of(known.begin(), known.end(), [&](std::size_t k) { return covariance(k, k) > 0.0; });
}

void flag_unidentified(const Eigen::MatrixXd& covariance, const std::vector<std::size_t>& known, BeamFit& fit) {
  constexpr double kMostCorrelation = 0.98;
  const std::vector<Coordinate> coordinates = coordinates_of(fit.parameters.tail);
  const auto may_be_one_of_a_pair = [&](std::size_t k) {
    return k >= kWeights || is_ill_known(covariance(k, k), fit.parameters.*kWeightMembers[k], fit.pairs);
  };
  for (const std::size_t j : known) {
    for (const std::size_t k : known) {
      const double correlation = covariance(j, k) / std::sqrt(covariance(j, j) * covariance(k, k));
      if (j < k && std::abs(correlation) > kMostCorrelation && may_be_one_of_a_pair(j) && may_be_one_of_a_pair(k)) {
        fit.flags.push_back(fmt::format("{} and {} are nearly unidentified: their correlation is {:.4f}",
                                        coordinates[j].name, coordinates[k].name, correlation));
      }
    }
  }
}

void add_intervals(const Eigen::VectorXd& half_width, const std::vector<std::size_t>& known, BeamFit& fit) {
  const std::vector<Coordinate> coordinates = coordinates_of(fit.parameters.tail);
  for (const std::size_t k : known) {
    const Coordinate& c = coordinates[k];
    const Interval interval = interval_about(c.in(fit.parameters), half_width[k], {c.low, c.high});
    c.in(fit.low_95) = interval.low, c.in(fit.high_95) = interval.high;
  }
}

}  // namespace

void add_std_errors(std::span<const Evidence> parts, const BeamSensor& sensor, const Maximum& last,
                    const FitOptions& options, double scans, Executor& executor, BeamFit& fit) {
  const BeamParameters& p = fit.parameters;
  const HitLaw law = p.tail.hit;
  const std::vector<std::size_t> free = free_coordinates(p, last, options.fit_hit_offset), known = with_error(p, free);
  fit.std_error = fit.naive_std_error = fit.low_95 = fit.high_95 = unknown_numbers(law);
  const TrajectoryBlocks blocks(static_cast<std::uint64_t>(scans), options.stretches, options.stretch_of_scan);
  fit.clusters = blocks.count;
  const Derivatives derivatives = find_derivatives(parts, p, sensor, blocks, options.compute, executor);
  const BartlettWeights weights(blocks.count, options.stretches > 0);
  const Eigen::MatrixXd slope = slope_of_parameters(p);
  const auto inverse = inverse_of(derivatives.information, free, 0.0);
  const Eigen::MatrixXd naive = inverse ? Eigen::MatrixXd(slope * *inverse * slope.transpose()) : slope;
  if (!inverse || !are_variances(naive, known)) {
    fit.flags.emplace_back("standard errors are not available: the likelihood has no clear maximum here");
    // Fewer clusters than coordinates leave the outer product singular.
    if (!(fit.clusters > 2 * coordinates_of(p.tail).size())) return;
    if (const auto of_scores = inverse_of(outer_product(derivatives.scores, weights), free, 0.0)) {
      flag_unidentified(slope * *of_scores * slope.transpose(), known, fit);
    }
    return;
  }
  const ParameterErrors errors =
      parameter_errors(naive.diagonal(), {derivatives.scores * *inverse * slope.transpose()}, weights);
  fit.naive_std_error = to_errors(errors.naive, known, law);
  flag_unidentified(naive, known, fit);
  if (fit.clusters < 2) {
    fit.flags.push_back(one_block_flag("rays"));
    return;
  }
  const std::string few = few_blocks_flag(fit.clusters, options.stretches, !options.stretch_of_scan.empty());
  if (!known.empty() && !few.empty()) fit.flags.push_back(few);
  fit.std_error = to_errors(errors.error, known, law);
  add_intervals(errors.half_width, known, fit);
}

}  // namespace fathom

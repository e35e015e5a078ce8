// SPDX-License-Identifier: MIT
// The likelihood field learned by expectation maximisation, and its standard errors from the derivatives of each
// reading by w_hit and sigma.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/likelihood_field.hpp>

#include "beam/learning.hpp"

namespace fathom {

namespace {

/// Of one reading, by w_hit and sigma: derivatives of log f, and the observed information.
struct FieldCurvature {
  Eigen::Vector2d score;
  Eigen::Matrix2d information;

  FieldCurvature(const LikelihoodFieldModel& m, double distance_m) {
    const double s = m.sigma_hit_m, t = distance_m * distance_m / (s * s);
    const double g = math::normal_density(distance_m / s) / s, u = 1.0 / m.max_range_m;
    const double f = m.w_hit * g + m.w_rand * u;
    const double g1 = g * (t - 1.0) / s, g2 = g * ((t - 1.0) * (t - 1.0) + 1.0 - 3.0 * t) / (s * s);
    score = {(g - u) / f, m.w_hit * g1 / f};
    information = score * score.transpose() - Eigen::Matrix2d{{0.0, g1 / f}, {g1 / f, m.w_hit * g2 / f}};
  }
};

/// w_hit, w_rand and sigma as long as they have no standard errors.
std::vector<FitParameter> parameters_of(const LikelihoodFieldModel& model, double floor_m) {
  using M = LikelihoodFieldModel;
  std::vector<FitParameter> all;
  for (const auto& field : M::fields()) {
    const auto member = member_of<double>(field);
    const bool is_sigma = member == &M::sigma_hit_m;
    if (!is_sigma && member != &M::w_hit && member != &M::w_rand) continue;
    const double value = model.*member;
    const bool is_at_limit =
        is_sigma ? value <= floor_m * (1.0 + 1e-9) : value <= kWeightBoundary || 1.0 - value < 1e-6;
    all.push_back({.name = std::string(field.name),
                   .unit = std::string(field.unit),
                   .value = value,
                   .status = is_at_limit ? ParameterStatus::kAtLimit : ParameterStatus::kUnidentified,
                   .doc = std::string(field.doc)});
  }
  return all;
}

/// Which of w_hit and sigma are inside their limits.
std::vector<std::size_t> flag_boundaries(double floor_m, FieldFit& fit) {
  const bool no_rand = !(fit.model.w_rand > kWeightBoundary), no_hits = !(fit.model.w_hit > kWeightBoundary);
  const bool at_floor = fit.model.sigma_hit_m <= floor_m;
  if (no_rand) fit.note("at_limit", "w_rand is at its boundary 0");
  if (no_hits) fit.note("at_limit", "w_hit is at its boundary 0");
  if (at_floor) fit.note("at_limit", "sigma_hit_m is at its floor, the size of a cell / sqrt(12)");
  std::vector<std::size_t> free;
  if (!no_rand && !no_hits) free.push_back(0);
  if (!no_hits && !at_floor) free.push_back(1);
  return free;
}

Eigen::Matrix2d information_of(const LikelihoodFieldModel& model, const DistanceField& field,
                               std::span<const double> count) {
  Eigen::Matrix2d sum = Eigen::Matrix2d::Zero();
  for (std::uint32_t level = 0; level < field.levels(); ++level) {
    if (count[level] == 0.0) continue;
    sum += count[level] * FieldCurvature(model, field.distance_m(level)).information;
  }
  return sum;
}

std::size_t scans_of(const FieldData& data) {
  std::size_t scans = 1;
  for (std::size_t i = 1; i < data.scan.size(); ++i) scans += data.scan[i] != data.scan[i - 1] ? 1 : 0;
  return scans;
}

/// [blocks, 2], by w_hit and sigma.
Eigen::MatrixXd scores_of_blocks(const FieldData& data, const DistanceField& field, const LikelihoodFieldModel& model,
                                 const TrajectoryBlocks& blocks) {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(blocks.count, 2);
  std::uint64_t scan = 0;
  for (std::size_t i = 0; i < data.level.size(); ++i) {
    if (i > 0 && data.scan[i] != data.scan[i - 1]) ++scan;
    sums.row(blocks.of_scan(scan)) += FieldCurvature(model, field.distance_m(data.level[i])).score.transpose();
  }
  return sums;
}

void add_blocked_errors(const ParameterErrors& errors, FieldFit& fit) {
  constexpr std::array<Interval, 3> kLimits = {{{0.0, 1.0}, {0.0, 1.0}, {kLeastSigmaHitM, kMostSigmaHitM}}};
  for (std::size_t k = 0; k < kLimits.size(); ++k) {
    FitParameter& p = fit.parameters[k];
    const Interval interval = interval_about(p.value, errors.half_width[k], kLimits[k]);
    p.std_error = errors.error[k], p.low_95 = interval.low, p.high_95 = interval.high;
  }
}

/// Errors at fit.model, with flags of boundaries and few blocks. `count`: readings that end at each level. `floor_m`:
/// of sigma.
void add_field_errors(const FieldData& data, const DistanceField& field, std::span<const double> count, double floor_m,
                      const FieldFitOptions& options, FieldFit& fit) {
  fit.parameters = parameters_of(fit.model, floor_m);
  const TrajectoryBlocks blocks(scans_of(data), options.stretches, options.stretch_of_scan);
  fit.blocks = blocks.count, fit.block = block_word(options.stretches);
  const std::vector<std::size_t> free = flag_boundaries(floor_m, fit);
  const auto inverse = inverse_of(information_of(fit.model, field, count), free, 0.0);
  if (!inverse) {
    fit.note("no_maximum", kNoClearMaximum);
    return;
  }
  const Eigen::Matrix<double, 3, 2> slope{{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}};  // of w_hit, w_rand and sigma
  const Eigen::MatrixXd to_parameters = *inverse * slope.transpose();
  const ParameterErrors errors = errors_by_blocks((slope * to_parameters).diagonal(),
                                                  scores_of_blocks(data, field, fit.model, blocks) * to_parameters,
                                                  blocks, options.stretches, !free.empty(), fit);
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    fit.parameters[k].naive_error = errors.naive[k];
    if (std::isfinite(errors.naive[k])) fit.parameters[k].status = ParameterStatus::kLearned;
  }
  add_blocked_errors(errors, fit);
}

/// Expectation maximisation over how many readings end at each level.
class FieldLearner {
 public:
  FieldLearner(const FieldData& data, const DistanceField& field, const LikelihoodFieldModel& start,
               const FieldFitOptions& options)
      : data_(data), field_(field), options_(options), count_(field.levels()) {
    validate(start);
    check_learning(options);
    if (data.scan.size() != data.level.size()) {
      throw InputError(fmt::format("{} scans given for {} readings", data.scan.size(), data.level.size()));
    }
    if (data.level.empty()) throw InputError("no reading carries evidence");
    for (const std::uint32_t level : data.level) {
      if (level >= field.levels()) throw InputError(fmt::format("level {} is not of this field", level));
      count_[level] += 1.0;
    }
    fit_.model = start;
    fit_.readings = data.level.size();
    floor_m_ = field.cell_m() / std::sqrt(12.0);
    fit_.model.sigma_hit_m = std::max(start.sigma_hit_m, floor_m_);
  }

  FieldFit run() {
    LikelihoodFieldModel next;
    std::vector<double>& climbed = fit_.log_likelihood_by_iteration;
    // A fit that settles only at the limit on iterations counts as not converged.
    const auto may_end = [&] { return climbed.size() <= options_.max_iterations; };
    fit_.converged = climb(
        options_, 0.0, climbed, [&](double) { return expect(next); }, may_end, [&](std::size_t) { fit_.model = next; });
    if (!fit_.converged) {
      fit_.note("not_converged", fmt::format("not converged after {} iterations", options_.max_iterations));
    }
    fit_.start_log_likelihood = fit_.log_likelihood_by_iteration.front();
    fit_.log_likelihood = fit_.log_likelihood_by_iteration.back();
    add_field_errors(data_, field_, count_, floor_m_, options_, fit_);
    return std::move(fit_);
  }

 private:
  /// The log-likelihood of this model, and the next model.
  [[nodiscard]] double expect(LikelihoodFieldModel& next) const {
    next = fit_.model;
    double hits = 0.0, squares = 0.0, sum = 0.0;
    for (std::uint32_t level = 0; level < field_.levels(); ++level) {
      if (count_[level] == 0.0) continue;
      const double d = field_.distance_m(level), f = fit_.model.density(d);
      const double hit = count_[level] * (1.0 - fit_.model.w_rand / fit_.model.max_range_m / f);
      hits += hit;
      squares += hit * d * d;
      sum += count_[level] * std::log(f);
    }
    next.w_hit = std::clamp(hits / static_cast<double>(fit_.readings), 0.0, 1.0);
    next.w_rand = 1.0 - next.w_hit;
    if (hits > 0.0) next.sigma_hit_m = std::max(floor_m_, std::sqrt(squares / hits));
    return sum;
  }

  const FieldData& data_;
  const DistanceField& field_;
  const FieldFitOptions& options_;
  std::vector<double> count_;  // [levels]
  FieldFit fit_;
  double floor_m_ = 0.0;
};

}  // namespace

FieldFit fit_likelihood_field(const FieldData& data, const DistanceField& field, const LikelihoodFieldModel& start,
                              const FieldFitOptions& options) {
  return FieldLearner(data, field, start, options).run();
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "fit/chain/chain_fit.hpp"
#include "fit/uncertainty.hpp"
#include "sensor/noise_access.hpp"

namespace fathom {

namespace {

constexpr double kMostImpossible = 0.05;  // of all returns: with more, the others do not give the standard errors
constexpr double kStepErrors = 0.5;       // of the differences, in standard errors with all others fixed
constexpr double kLimitShare = 1e-6;      // of its error by which a value is off its limit
constexpr double kLeastPivot = 1e-7;      // below, other parameters have the same effect

}  // namespace

PossibleReturns::PossibleReturns(const NoiseChain& learned, const ChainData& all,
                                 std::span<const std::uint32_t> cluster_of_all) {
  const std::vector<double> nats = all.at(all.used, kOutOfReach).each(learned);
  for (std::size_t i = 0; i < nats.size(); ++i) {
    if (std::abs(nats[i] - ChainDensity::kLeastLog) < kRimNats) rim.push_back(all.used[i]);
    if (nats[i] <= ChainDensity::kLeastLog) {
      ++impossible;
    } else {
      places.push_back(all.used[i]), cluster.push_back(cluster_of_all[i]);
    }
  }
  least_log = rim.empty() && impossible == 0 ? ChainDensity::kLeastLog : kOutOfReach;
}

bool PossibleReturns::tell_errors() const {
  return static_cast<double>(impossible) <= kMostImpossible * static_cast<double>(impossible + places.size());
}

std::string PossibleReturns::note(bool errors_told) const {
  const std::string count =
      fmt::format("{} of {} {} as good as impossible under what was learned (below {} nats)", grouped(impossible),
                  counted(impossible + places.size(), "return"), are(impossible), ChainDensity::kLeastLog);
  const std::string advice =
      fmt::format("a model with heavy tails ({}) may describe them, or they show what the scene lacks",
                  detail::models_for(Remedy::kHeavyTails));
  if (!tell_errors()) {
    return fmt::format("{}: above {:g} %, what was learned hangs on this limit, and its errors are not known; {}",
                       count, 100.0 * kMostImpossible, advice);
  }
  if (!errors_told) {
    return fmt::format(
        "{}, and too many are near this limit: what was learned depends on it, and its standard errors are not "
        "known; {}",
        count, advice);
  }
  return fmt::format("{} and tell nothing of the parameters: values and standard errors come from the others; {}",
                     count, advice);
}

namespace {

/// True for the probability of losses that do not depend on the surface.
bool is_dropout(const ChainLikelihood& likelihood, std::size_t parameter) {
  return likelihood.stage(parameter) == Stage::kDropout;
}

/// Steps to both sides, single floats as the values are.
double exact_step(double value, double step) { return as_float(value + step) - value; }

/// Parameters inside their limits, and the steps of their derivatives.
struct Inner {
  std::vector<std::size_t> parameters;
  std::vector<double> steps;  ///< [all parameters]; 0: it stays

  Inner(const ChainLikelihood& likelihood, std::span<const double> values, std::vector<ParameterError>& errors)
      : steps(values.size()) {
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = std::max(1e-4 * std::abs(values[k]), 1e-7);
    const Eigen::VectorXd squares = likelihood.slope(values, steps).information.diagonal();
    for (std::size_t k = 0; k < steps.size(); ++k) {
      errors[k].is_unidentified = !(squares[k] > 0.0);
      const double alone = 1.0 / std::sqrt(squares[k]);
      const double room = std::min(values[k] - likelihood.free(k).low, likelihood.free(k).high - values[k]);
      errors[k].is_at_limit = !errors[k].is_unidentified && room <= kLimitShare * alone;
      const bool stays = errors[k].is_unidentified || errors[k].is_at_limit;
      steps[k] = stays ? 0.0 : exact_step(values[k], std::min(kStepErrors * alone, 0.5 * room));
      if (!stays) parameters.push_back(k);
    }
  }
};

/// Minus the second derivatives of the log-likelihood, [all parameters].
class ObservedInformation {
 public:
  ObservedInformation(const ChainLikelihood& likelihood, std::span<const double> values, std::span<const double> steps)
      : likelihood_(likelihood),
        values_(values),
        steps_(steps),
        matrix_(Eigen::MatrixXd::Zero(values.size(), values.size())) {
    const std::vector<double> top = likelihood.each(values);
    for (std::size_t c = 0; c < likelihood.columns(); ++c) {
      if (!moves(c)) continue;
      add_own(c, top);
      for (std::size_t d = 0; d < c; ++d) {
        if (moves(d)) add_mixed(c, d);
      }
    }
  }
  [[nodiscard]] const Eigen::MatrixXd& matrix() const { return matrix_; }

 private:
  [[nodiscard]] bool moves(std::size_t column) const {
    const auto parameters = likelihood_.column(column);
    return std::ranges::any_of(parameters, [&](std::size_t k) { return steps_[k] != 0.0; });
  }
  void move(std::size_t column, double times, std::vector<double>& values) const {
    for (const std::size_t k : likelihood_.column(column)) values[k] += times * steps_[k];
  }
  /// Log densities with all parameters of two columns moved by these numbers of their steps.
  [[nodiscard]] std::vector<double> at(std::size_t c, double a, std::size_t d, double b) const {
    std::vector<double> moved(values_.begin(), values_.end());
    move(c, a, moved), move(d, b, moved);
    return likelihood_.each(moved);
  }
  void add_own(std::size_t c, const std::vector<double>& top) {
    const std::vector<double> above = at(c, 1.0, c, 0.0), below = at(c, -1.0, c, 0.0);
    for (std::size_t i = 0; i < top.size(); ++i) {
      const std::size_t k = likelihood_.parameter(c, i);
      if (k == ChainLikelihood::kNone || steps_[k] == 0.0) continue;
      matrix_(k, k) -= (above[i] - 2.0 * top[i] + below[i]) / (steps_[k] * steps_[k]);
    }
  }
  void add_mixed(std::size_t c, std::size_t d) {
    // Each differs from the one before in one column: ChainLikelihood keeps the part of the other.
    const std::vector<double> both = at(c, 1.0, d, 1.0), first = at(c, 1.0, d, -1.0), none = at(c, -1.0, d, -1.0),
                              second = at(c, -1.0, d, 1.0);
    for (std::size_t i = 0; i < both.size(); ++i) {
      const std::size_t j = likelihood_.parameter(c, i), k = likelihood_.parameter(d, i);
      if (j == ChainLikelihood::kNone || k == ChainLikelihood::kNone || steps_[j] * steps_[k] == 0.0) continue;
      const double mixed = both[i] - first[i] - second[i] + none[i];
      matrix_(j, k) -= mixed / (4.0 * steps_[j] * steps_[k]);
      matrix_(k, j) = matrix_(j, k);
    }
  }

  const ChainLikelihood& likelihood_;
  std::span<const double> values_, steps_;
  Eigen::MatrixXd matrix_;
};

/// Scores in two parts whose squares are the information of a return on average: whether it came back, and its range.
/// A loss has a large score only where there is one, and the few losses of a cluster would seem to hold all
/// information. Empty unless a dropout is learned.
struct AverageScores {
  ChainLikelihood::Slopes of_coming_back, of_range;

  AverageScores(const ChainLikelihood& likelihood, const ChainLikelihood::Slopes& scores,
                std::span<const double> values, std::span<const double> steps, std::span<const std::size_t> learned) {
    constexpr double kLeastChance = 1e-9;
    if (std::ranges::none_of(learned, [&](std::size_t k) { return is_dropout(likelihood, k); })) return;
    of_range = scores;
    const std::vector<double> back = likelihood.each_returned(values);
    of_coming_back = likelihood.slopes(values, steps, true);
    for (std::size_t c = 0; c < scores.size(); ++c) {
      for (std::size_t i = 0; i < back.size(); ++i) {
        const double p = std::clamp(back[i], kLeastChance, 1.0 - kLeastChance), slope = of_coming_back[c][i];
        of_coming_back[c][i] = slope / std::sqrt(p * (1.0 - p));
        of_range[c][i] = likelihood.data().is_lost(i) ? 0.0 : scores[c][i] - slope / p;
      }
    }
  }
};

/// How clusters move the parameters `learned`: A^-1 s_g.
BlockMoves moves_of(const ChainLikelihood& likelihood, std::span<const double> values, std::span<const double> steps,
                    std::span<const std::size_t> learned, std::span<const std::uint32_t> cluster, std::size_t clusters,
                    const Eigen::MatrixXd& inverse) {
  const ChainLikelihood::Slopes scores = likelihood.slopes(values, steps);
  const AverageScores average(likelihood, scores, values, steps, learned);
  const auto count = static_cast<Eigen::Index>(learned.size());
  std::vector<std::size_t> place(values.size(), ChainLikelihood::kNone);  // among the learned ones
  Eigen::VectorXd of_dropout(count), move(count);                         // the first: 1 of a dropout, else 0
  for (std::size_t a = 0; a < learned.size(); ++a) {
    place[learned[a]] = a, of_dropout[a] = is_dropout(likelihood, learned[a]) ? 1.0 : 0.0;
  }
  const Eigen::VectorXd of_others = Eigen::VectorXd::Ones(count) - of_dropout;
  const auto find_move = [&](const ChainLikelihood::Slopes& slopes, std::size_t i) {
    move.setZero();
    likelihood.for_each_parameter(slopes, i, [&](std::size_t k, double slope) {
      if (place[k] != ChainLikelihood::kNone) move += slope * inverse.col(place[k]);
    });
  };
  BlockMoves moves = {Eigen::MatrixXd::Zero(clusters, count), Eigen::MatrixXd::Zero(clusters, count)};
  for (std::size_t i = 0, g = 0; i < cluster.size(); ++i) {
    g += i > 0 && cluster[i] != cluster[i - 1] ? 1 : 0;
    find_move(scores, i);
    moves.moved.row(g) += move.transpose();
    moves.told.row(g) += move.cwiseAbs2().cwiseProduct(of_others).transpose();
    for (const auto* part : {&average.of_coming_back, &average.of_range}) {
      if (part->empty()) continue;
      find_move(*part, i);
      moves.told.row(g) += move.cwiseAbs2().cwiseProduct(of_dropout).transpose();
    }
  }
  return moves;
}

}  // namespace

ChainErrors chain_errors(const ChainLikelihood& likelihood, const ChainLikelihood& rim,
                         std::span<const std::uint32_t> cluster, bool are_stretches) {
  const std::vector<double> values = likelihood.given();
  const std::size_t n = values.size();
  ChainErrors out = {.of = std::vector<ParameterError>(n), .correlations = std::vector<double>(n * n, kNoNumber)};
  for (std::size_t i = 0; i < cluster.size(); ++i) out.clusters += i == 0 || cluster[i] != cluster[i - 1] ? 1 : 0;

  const auto [inner, steps] = Inner(likelihood, values, out.of);
  const ObservedInformation observed(likelihood, values, steps);
  std::vector<std::size_t> learned;
  for (const std::size_t k : inner) out.of[k].is_unidentified = true;
  for (const std::size_t a : independent_rows(observed.matrix()(inner, inner), kLeastPivot)) {
    learned.push_back(inner[a]), out.of[inner[a]].is_unidentified = false;
  }
  const Eigen::MatrixXd information = observed.matrix()(learned, learned);
  const auto parabola = inverse_of(information, 1e-12);
  if (!parabola) return out;
  const bool has_rim = rim.size() > 0;
  std::optional<Eigen::MatrixXd> inverse = parabola;
  if (has_rim) {  // the part of returns near the floor in the second derivatives
    const Eigen::MatrixXd part = rim.slope(values, steps).information / (2.0 * PossibleReturns::kRimNats);
    inverse = inverse_of(information - part(learned, learned), 1e-12);
  }
  out.hangs_on_floor = !inverse;
  if (!inverse) return out;
  const Eigen::MatrixXd naive = has_rim ? Eigen::MatrixXd(*inverse * information * *inverse) : *inverse;
  const ParameterErrors errors =
      parameter_errors(naive.diagonal(), moves_of(likelihood, values, steps, learned, cluster, out.clusters, *inverse),
                       BartlettWeights(out.clusters, are_stretches));
  for (std::size_t a = 0; a < learned.size(); ++a) {
    ParameterError& p = out.of[learned[a]];
    p.naive = errors.naive[a], p.error = errors.error[a], p.half_width = errors.half_width[a];
    p.parabola = std::sqrt((*parabola)(a, a));
    p.is_unidentified = !(p.error < std::abs(values[learned[a]]));
    for (std::size_t b = 0; b < learned.size(); ++b) {
      out.correlations[learned[a] * n + learned[b]] = naive(a, b) / std::sqrt(naive(a, a) * naive(b, b));
    }
  }
  return out;
}

namespace {

constexpr double kAccuracy = 0.03;   // of a half width
constexpr double kLeastGain = 0.02;  // nats, which move an end by less than half of that
constexpr double kLeastGrowth = 1.2, kMostGrowth = 3.0;
constexpr double kLeastCorrelated = 0.01;  // below, half widths grow by less than 1e-4 of them
constexpr int kMostEnds = 20;

/// Where a fall that grows with the distance is `critical`: regula falsi, as the Illinois algorithm has it (Dowell and
/// Jarratt, BIT 11 (1971)).
class Bracket {
 public:
  explicit Bracket(double critical) : critical_(critical) {}

  /// After a fall at a distance, the next distance.
  double next(double off, double fall) {
    const double above = fall - critical_;
    End &same = above < 0.0 ? inside_ : outside_, &other = above < 0.0 ? outside_ : inside_;
    if (last_ == &same) other.above *= 0.5;
    same = {off, above}, last_ = &same;
    if (outside_.off < 0.0) return off * std::clamp(critical_ / std::max(fall, 1e-9), kLeastGrowth, kMostGrowth);
    return inside_.off - inside_.above * (outside_.off - inside_.off) / (outside_.above - inside_.above);
  }

 private:
  struct End {
    double off, above;
  };
  double critical_;
  End inside_ = {0.0, -critical_}, outside_ = {-1.0, 0.0};
  const End* last_ = nullptr;
};

/// The likelihood along one parameter, with the best of the others.
class ParameterProfile {
 public:
  ParameterProfile(const ChainLikelihood& likelihood, std::span<const double> values, const ChainErrors& errors,
                   double top, std::size_t own)
      : likelihood_(likelihood), values_(values), top_(top), own_(own), value_(values[own]) {
    const ParameterError& error = errors.of[own];
    for (std::size_t k = 0; k < values.size(); ++k) {
      // What does the same as another stays, as it does for the error.
      if (k == own || (errors.of[k].is_unidentified && std::isnan(errors.of[k].naive))) continue;
      const double correlation = errors.correlations[own * values.size() + k];
      if (std::abs(correlation) < kLeastCorrelated) continue;  // its best value does not move with this one
      others_.push_back(likelihood.free(k)), place_.push_back(k);
      rate_.push_back(std::isfinite(correlation) ? correlation * errors.of[k].parabola / error.parabola : 0.0);
    }
    parabola_ = error.parabola, critical_ = error.half_width / parabola_;
  }

  /// The end of the interval to one side, -1 or 1.
  [[nodiscard]] double end(double side) const {
    const double limit = side < 0.0 ? likelihood_.free(own_).low : likelihood_.free(own_).high;
    const double room = std::abs(limit - value_);
    double off = std::min(critical_ * parabola_, room);
    std::vector<double> others = others_at(side * off);
    double fall = root_of_fall(total_with(beside(side * off), others));
    // With the others on their straight way: where that falls as a parabola does, they are at their best.
    if (std::abs(fall - critical_) <= kAccuracy * critical_) return beside(side * off);
    Bracket bracket(critical_);
    double reached = off;
    for (int trial = 0; trial < kMostEnds; ++trial) {
      fall = root_of_fall(climb(beside(side * off), others));
      reached = off;
      if (std::abs(fall - critical_) <= kAccuracy * critical_) break;
      if (fall < critical_ && off >= room) return limit;
      const double before = off;
      off = std::min(room, bracket.next(off, fall));
      // From where the others were, on a straight line through their maximum.
      for (std::size_t k = 0; k < others.size(); ++k) {
        const double best = values_[place_[k]];
        others[k] = inside_limits(k, best + (others[k] - best) * off / before);
      }
    }
    return beside(side * reached);
  }

 private:
  /// Rounding of the sum may not leave the limits.
  [[nodiscard]] double beside(double off) const {
    return std::clamp(value_ + off, likelihood_.free(own_).low, likelihood_.free(own_).high);
  }
  [[nodiscard]] double inside_limits(std::size_t k, double value) const {
    return as_float(std::clamp(value, others_[k].low, others_[k].high));
  }
  [[nodiscard]] std::vector<double> others_at(double off) const {
    std::vector<double> others;
    for (std::size_t k = 0; k < place_.size(); ++k) {
      others.push_back(inside_limits(k, values_[place_[k]] + rate_[k] * off));
    }
    return others;
  }
  /// In errors of independent returns, where the likelihood is a parabola.
  [[nodiscard]] double root_of_fall(double total) const { return std::sqrt(2.0 * std::max(0.0, top_ - total)); }
  [[nodiscard]] double total_with(double own, std::span<const double> others) const {
    std::vector<double> all(values_.begin(), values_.end());
    all[own_] = own;
    for (std::size_t k = 0; k < place_.size(); ++k) all[place_[k]] = others[k];
    return likelihood_.total(all);
  }
  /// The largest likelihood with this value, and the others that have it.
  double climb(double own, std::vector<double>& others) const {
    std::vector<double> all(values_.begin(), values_.end());
    all[own_] = own;
    if (others.empty()) return likelihood_.total(all);
    const NoiseChain chain = likelihood_.chain_at(all);
    const ChainLikelihood of_others(chain, others_, likelihood_.data());
    Maximum best = climb_newton(objective_of(of_others), others, kLeastGain);
    others = std::move(best.values);
    return best.log_likelihood;
  }

  const ChainLikelihood& likelihood_;
  std::span<const double> values_;
  double top_;
  std::size_t own_;
  double value_, parabola_, critical_;
  std::vector<FreeNumber> others_;
  std::vector<std::size_t> place_;  // [others] among all
  std::vector<double> rate_;        // [others] by this one, where the likelihood is a parabola
};

}  // namespace

std::vector<Interval> chain_intervals(const ChainLikelihood& likelihood, const ChainErrors& errors, bool search) {
  std::vector<Interval> out;
  const std::vector<double> values = likelihood.given();
  const double top = likelihood.total(values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const FreeNumber& p = likelihood.free(k);
    const double half = errors.of[k].half_width;
    out.push_back(interval_about(values[k], half, {p.low, p.high}));
    const bool has_error = std::isfinite(half) && errors.of[k].parabola > 0.0;
    if (!search || !has_error || !p.rings.empty()) continue;
    const ParameterProfile profile(likelihood, values, errors, top, k);
    out.back() = {profile.end(-1.0), profile.end(1.0)};
  }
  return out;
}

}  // namespace fathom

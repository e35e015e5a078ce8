// SPDX-License-Identifier: MIT
#include "calibrate/chain_errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "calibrate/chain_evidence.hpp"
#include "calibrate/chain_search.hpp"
#include "fit/covariance.hpp"

namespace fathom {

namespace {

constexpr double kStepErrors = 0.5;   // of the differences, in errors of one parameter alone
constexpr double kLimitShare = 1e-6;  // of its error by which a value is off its limit
constexpr double kLeastPivot = 1e-7;  // below, a parameter does what others do

/// Whether it says how likely a loss is that asks nothing of the surface.
bool is_dropout(const ChainLikelihood& likelihood, std::size_t parameter) {
  return likelihood.stage(parameter) == Stage::kDropout;
}

/// Steps to both sides, single floats as the values are.
double exact_step(double value, double step) { return as_float(value + step) - value; }

/// Minus the second derivatives of the log-likelihood by the parameters in `inner`.
class ObservedInformation {
 public:
  ObservedInformation(const ChainLikelihood& likelihood, std::span<const double> values,
                      std::span<const std::size_t> inner, std::span<const double> steps)
      : likelihood_(likelihood),
        values_(values),
        steps_(steps),
        place_(values.size(), kOutside),
        matrix_(Eigen::MatrixXd::Zero(inner.size(), inner.size())) {
    for (std::size_t a = 0; a < inner.size(); ++a) place_[inner[a]] = a;
    const std::vector<double> top = likelihood.by_ring(values);
    for (std::size_t c = 0; c < likelihood.columns().size(); ++c) {
      if (!takes_part(c)) continue;
      add_own(c, top);
      for (std::size_t d = 0; d < c; ++d) {
        if (takes_part(d)) add_mixed(c, d);
      }
    }
  }
  [[nodiscard]] const Eigen::MatrixXd& matrix() const { return matrix_; }

 private:
  static constexpr std::size_t kOutside = static_cast<std::size_t>(-1);

  [[nodiscard]] bool takes_part(std::size_t column) const {
    const auto parameters = likelihood_.columns().parameters(column);
    return std::any_of(parameters.begin(), parameters.end(), [&](std::size_t k) { return place_[k] != kOutside; });
  }
  /// Log-likelihoods by ring with all parameters in `inner` of two columns moved by so many of their steps.
  [[nodiscard]] std::vector<double> at(std::size_t c, double a, std::size_t d, double b) const {
    std::vector<double> moved(values_.begin(), values_.end());
    move(c, a, moved);
    if (c != d) move(d, b, moved);
    return likelihood_.by_ring(moved);
  }
  void move(std::size_t column, double times, std::vector<double>& values) const {
    for (const std::size_t k : likelihood_.columns().parameters(column)) {
      if (place_[k] != kOutside) values[k] += times * steps_[k];
    }
  }
  /// Sum over the returns that both parameters act on.
  [[nodiscard]] double common(const std::vector<double>& by_ring, std::size_t j, std::size_t k) const {
    const FreeNumber &p = likelihood_.free(j), &q = likelihood_.free(k);
    if (!p.rings.empty()) return by_ring[likelihood_.slot(p.rings.front())];
    if (!q.rings.empty()) return by_ring[likelihood_.slot(q.rings.front())];
    double sum = 0.0;
    for (const double one : by_ring) sum += one;
    return sum;
  }
  void add_own(std::size_t c, const std::vector<double>& top) {
    const std::vector<double> above = at(c, 1.0, c, 0.0), below = at(c, -1.0, c, 0.0);
    for (const std::size_t j : likelihood_.columns().parameters(c)) {
      const std::size_t a = place_[j];
      if (a == kOutside) continue;
      const double curve = common(above, j, j) - 2.0 * common(top, j, j) + common(below, j, j);
      matrix_(a, a) = -curve / (steps_[j] * steps_[j]);
    }
  }
  void add_mixed(std::size_t c, std::size_t d) {
    // Each differs from the one before in one column: ChainLikelihood keeps the part of the other.
    const std::vector<double> both = at(c, 1.0, d, 1.0), first = at(c, 1.0, d, -1.0), none = at(c, -1.0, d, -1.0),
                              second = at(c, -1.0, d, 1.0);
    for (const std::size_t j : likelihood_.columns().parameters(c)) {
      for (const std::size_t k : likelihood_.columns().parameters(d)) {
        const std::size_t a = place_[j], b = place_[k];
        if (a == kOutside || b == kOutside || are_apart(likelihood_.free(j), likelihood_.free(k))) continue;
        const double mixed = common(both, j, k) - common(first, j, k) - common(second, j, k) + common(none, j, k);
        matrix_(a, b) = matrix_(b, a) = -mixed / (4.0 * steps_[j] * steps_[k]);
      }
    }
  }
  /// Whether no return knows of both.
  static bool are_apart(const FreeNumber& p, const FreeNumber& q) {
    return !p.rings.empty() && !q.rings.empty() && p.rings != q.rings;
  }

  const ChainLikelihood& likelihood_;
  std::span<const double> values_, steps_;
  std::vector<std::size_t> place_;  // [parameters] in inner
  Eigen::MatrixXd matrix_;
};

/// The part of returns near the floor in second derivatives, of the parameters `learned`.
Eigen::MatrixXd floor_part(const ChainLikelihood& rim, std::span<const double> values, std::span<const double> steps,
                           const std::vector<std::size_t>& learned) {
  Eigen::MatrixXd part = Eigen::MatrixXd::Zero(learned.size(), learned.size());
  const std::vector<std::vector<double>> scores = scores_of(rim, values, steps);
  Eigen::VectorXd gradient(values.size()), own(learned.size());
  for (std::size_t i = 0; i < rim.size(); ++i) {
    gradient.setZero();
    for (std::size_t c = 0; c < scores.size(); ++c) {
      if (const std::size_t k = rim.parameter(c, i); k != Columns::kNone) gradient[k] = scores[c][i];
    }
    own = gradient(learned);
    part.noalias() += own * own.transpose();
  }
  return part / (2.0 * PossibleReturns::kRimNats);
}

/// What each return says of parameters, [columns, returns]: its scores, and these in two parts whose squares are what
/// it tells on average: that it came back, or not, and at what range. A loss has a large score only where there is one,
/// and few losses would seem to tell all where they happen to be.
struct Told {
  std::vector<std::vector<double>> score, of_coming_back, of_range;

  /// The parts are found where a dropout is learned.
  Told(const ChainLikelihood& likelihood, std::span<const double> values, std::span<const double> steps,
       std::span<const std::size_t> learned)
      : score(scores_of(likelihood, values, steps)) {
    if (std::none_of(learned.begin(), learned.end(), [&](std::size_t k) { return is_dropout(likelihood, k); })) return;
    of_range = score;
    std::vector<double> back;
    likelihood.each_returned(values, back);
    of_coming_back = slopes_of(likelihood, values, steps, &ChainLikelihood::each_returned);
    for (std::size_t c = 0; c < score.size(); ++c) {
      for (std::size_t i = 0; i < back.size(); ++i) {
        const double p = std::clamp(back[i], kLeastChance, 1.0 - kLeastChance), slope = of_coming_back[c][i];
        of_coming_back[c][i] = slope / std::sqrt(p * (1.0 - p));
        of_range[c][i] = likelihood.is_lost(i) ? 0.0 : score[c][i] - slope / p;
      }
    }
  }

 private:
  static constexpr double kLeastChance = 1e-9;
};

/// How clusters move the parameters `learned`: A^-1 s_g.
BlockMoves moves_of(const ChainLikelihood& likelihood, const Told& told, std::span<const std::size_t> learned,
                    std::span<const std::uint32_t> cluster, std::size_t clusters, const Eigen::MatrixXd& inverse) {
  const auto count = static_cast<Eigen::Index>(learned.size());
  std::vector<std::size_t> column(likelihood.parameters(), Columns::kNone);
  Eigen::VectorXd of_dropout(count), move(count);  // the first: 1 of a dropout, else 0
  for (std::size_t a = 0; a < learned.size(); ++a) {
    column[learned[a]] = a, of_dropout[a] = is_dropout(likelihood, learned[a]) ? 1.0 : 0.0;
  }
  const Eigen::VectorXd of_others = Eigen::VectorXd::Ones(count) - of_dropout;
  const auto find_move = [&](const std::vector<std::vector<double>>& scores, std::size_t i) {
    move.setZero();
    for (std::size_t c = 0; c < scores.size(); ++c) {
      const std::size_t k = likelihood.parameter(c, i);
      if (k != Columns::kNone && column[k] != Columns::kNone) move += scores[c][i] * inverse.col(column[k]);
    }
  };
  BlockMoves moves = {Eigen::MatrixXd::Zero(clusters, count), Eigen::MatrixXd::Zero(clusters, count)};
  for (std::size_t i = 0, g = 0; i < cluster.size(); ++i) {
    g += i > 0 && cluster[i] != cluster[i - 1] ? 1 : 0;
    find_move(told.score, i);
    moves.moved.row(g) += move.transpose();
    moves.told.row(g) += move.cwiseAbs2().cwiseProduct(of_others).transpose();
    for (const auto* part : {&told.of_coming_back, &told.of_range}) {
      if (part->empty()) continue;
      find_move(*part, i);
      moves.told.row(g) += move.cwiseAbs2().cwiseProduct(of_dropout).transpose();
    }
  }
  return moves;
}

/// Sums of squared scores, of each parameter.
std::vector<double> squares_of(const ChainLikelihood& likelihood, const std::vector<std::vector<double>>& scores) {
  std::vector<double> squares(likelihood.parameters(), 0.0);
  for (std::size_t c = 0; c < scores.size(); ++c) {
    for (std::size_t i = 0; i < scores[c].size(); ++i) {
      const std::size_t k = likelihood.parameter(c, i);
      if (k != Columns::kNone) squares[k] += scores[c][i] * scores[c][i];
    }
  }
  return squares;
}

/// Parameters inside their limits, and with which steps their derivatives are found.
struct Inner {
  std::vector<std::size_t> parameters;
  std::vector<double> steps;  ///< [all parameters]

  Inner(const ChainLikelihood& likelihood, std::span<const double> values, ChainErrors& out) : steps(values.size()) {
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = std::max(1e-4 * std::abs(values[k]), 1e-7);
    const std::vector<double> squares = squares_of(likelihood, scores_of(likelihood, values, steps));
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (!(squares[k] > 0.0)) {
        out.is_unidentified[k] = true;
        continue;
      }
      const double alone = 1.0 / std::sqrt(squares[k]);
      const double room = std::min(values[k] - likelihood.free(k).low, likelihood.free(k).high - values[k]);
      out.is_at_limit[k] = room <= kLimitShare * alone;
      if (out.is_at_limit[k]) continue;
      steps[k] = exact_step(values[k], std::min(kStepErrors * alone, 0.5 * room));
      parameters.push_back(k);
    }
  }
};

void set_correlations(const Eigen::MatrixXd& covariance, std::span<const std::size_t> learned, ChainErrors& out) {
  for (std::size_t a = 0; a < learned.size(); ++a) {
    for (std::size_t b = 0; b < learned.size(); ++b) {
      out.correlations[learned[a] * out.error.size() + learned[b]] =
          covariance(a, b) / std::sqrt(covariance(a, a) * covariance(b, b));
    }
  }
}

}  // namespace

ChainErrors chain_errors(const ChainLikelihood& likelihood, const ChainLikelihood& rim, std::span<const double> values,
                         std::span<const std::uint32_t> cluster, bool are_stretches) {
  const std::size_t n = values.size();
  ChainErrors out = {.error = std::vector<double>(n, kNoNumber),
                     .naive = std::vector<double>(n, kNoNumber),
                     .correlations = std::vector<double>(n * n, kNoNumber),
                     .is_at_limit = std::vector<bool>(n, false),
                     .is_unidentified = std::vector<bool>(n, false),
                     .half_width = std::vector<double>(n, kNoNumber),
                     .parabola = std::vector<double>(n, kNoNumber)};
  for (std::size_t i = 0; i < cluster.size(); ++i) out.clusters += i == 0 || cluster[i] != cluster[i - 1] ? 1 : 0;

  const auto [inner, steps] = Inner(likelihood, values, out);
  const ObservedInformation observed(likelihood, values, inner, steps);
  const std::vector<std::size_t> kept = independent_rows(observed.matrix(), kLeastPivot);
  for (const std::size_t k : inner) out.is_unidentified[k] = true;
  std::vector<std::size_t> learned;
  for (const std::size_t k : kept) learned.push_back(inner[k]), out.is_unidentified[inner[k]] = false;
  const Eigen::MatrixXd information = observed.matrix()(kept, kept);
  const auto parabola = inverse_of(information, 1e-12);
  if (!parabola) return out;
  const bool has_rim = rim.size() > 0;
  const auto inverse = has_rim ? inverse_of(information - floor_part(rim, values, steps, learned), 1e-12) : parabola;
  out.hangs_on_floor = !inverse;
  if (!inverse) return out;
  const Eigen::MatrixXd naive = has_rim ? Eigen::MatrixXd(*inverse * information * *inverse) : *inverse;
  const Told told(likelihood, values, steps, learned);
  const ParameterErrors errors =
      parameter_errors(naive.diagonal(), moves_of(likelihood, told, learned, cluster, out.clusters, *inverse),
                       BartlettWeights(out.clusters, are_stretches));
  for (std::size_t a = 0; a < learned.size(); ++a) {
    const std::size_t k = learned[a];
    out.naive[k] = errors.naive[a], out.error[k] = errors.error[a], out.half_width[k] = errors.half_width[a];
    out.parabola[k] = std::sqrt((*parabola)(a, a));
    if (!(out.error[k] < std::abs(values[k]))) out.is_unidentified[k] = true;
  }
  set_correlations(naive, learned, out);
  return out;
}

namespace {

constexpr double kAccuracy = 0.03;   // of a half width
constexpr double kLeastGain = 0.02;  // nats, which move an end by less than half of that
constexpr double kLeastGrowth = 1.2, kMostGrowth = 3.0;
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
    for (std::size_t k = 0; k < values.size(); ++k) {
      // What does the same as another stays, as it does for the error.
      if (k == own || (errors.is_unidentified[k] && std::isnan(errors.naive[k]))) continue;
      others_.push_back(likelihood.free(k)), place_.push_back(k);
      const double correlation = errors.correlations[own * values.size() + k];
      rate_.push_back(std::isfinite(correlation) ? correlation * errors.parabola[k] / errors.parabola[own] : 0.0);
    }
    parabola_ = errors.parabola[own], critical_ = errors.half_width[own] / parabola_;
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
  /// Within the limits, whatever the sum is rounded to.
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
    Climb best = climb_chain(likelihood_.with_free(chain, others_), others, kLeastGain);
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

std::vector<Interval> chain_intervals(const ChainLikelihood& likelihood, std::span<const double> values,
                                      const ChainErrors& errors, bool search) {
  std::vector<Interval> out;
  const double top = likelihood.total(values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const FreeNumber& p = likelihood.free(k);
    const double half = errors.half_width[k];  // clamp() keeps a NaN
    out.push_back({std::clamp(values[k] - half, p.low, p.high), std::clamp(values[k] + half, p.low, p.high)});
    const bool has_error = std::isfinite(errors.half_width[k]) && errors.parabola[k] > 0.0;
    if (!search || !has_error || !p.rings.empty()) continue;
    const ParameterProfile profile(likelihood, values, errors, top, k);
    out.back() = {profile.end(-1.0), profile.end(1.0)};
  }
  return out;
}

}  // namespace fathom

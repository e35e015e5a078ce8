// SPDX-License-Identifier: MIT
#include "calibrate/chain_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "calibrate/chain_climb.hpp"

namespace fathom {

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
                                      const ChainErrors& errors, bool are_straight) {
  std::vector<Interval> out;
  const double top = likelihood.total(values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const FreeNumber& p = likelihood.free(k);
    const double half = errors.half_width[k];  // clamp() keeps a NaN
    out.push_back({std::clamp(values[k] - half, p.low, p.high), std::clamp(values[k] + half, p.low, p.high)});
    const bool has_error = std::isfinite(errors.half_width[k]) && errors.parabola[k] > 0.0;
    if (are_straight || !has_error || !p.rings.empty()) continue;
    const ParameterProfile profile(likelihood, values, errors, top, k);
    out.back() = {profile.end(-1.0), profile.end(1.0)};
  }
  return out;
}

}  // namespace fathom

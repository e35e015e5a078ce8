// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "calibrate/chain_fit.hpp"
#include "fit/covariance.hpp"

namespace fathom {

namespace {

constexpr int kMostSimplexSteps = 400, kMostClimbSteps = 60, kMostTrials = 14;
constexpr double kSimplexGain = 1e-3;  // nats by which a step must still better things
constexpr double kLogOffset = 1e-6;    // so that 0 has a logarithm

/// Parameters as the simplex moves them: steps of all have equal weight.
struct Scale {
  bool in_log;
  double low, high, unit;

  explicit Scale(const FreeNumber& p)
      : in_log(p.low >= 0.0),
        low(p.low),
        high(p.high),
        unit(p.step > 0.0 ? p.step : 0.02 * std::min(p.high - p.low, 5.0)) {}
  [[nodiscard]] double of(double value) const { return in_log ? std::log(value - low + kLogOffset) : value / unit; }
  [[nodiscard]] double value(double x) const {
    return std::clamp(in_log ? std::exp(x) - kLogOffset + low : x * unit, low, high);
  }
};

/// Nelder and Mead's simplex (The Computer Journal 7, 1965), in logarithms of parameters that are never negative.
class Simplex {
 public:
  Simplex(const ChainLikelihood& likelihood, std::span<const double> start) : likelihood_(likelihood) {
    Eigen::VectorXd origin(start.size());
    for (std::size_t k = 0; k < start.size(); ++k) {
      scales_.emplace_back(likelihood.free(k));
      origin[k] = scales_[k].of(start[k]);
    }
    corners_.push_back(corner_at(origin));
    for (std::size_t k = 0; k < start.size(); ++k) {
      Eigen::VectorXd moved = origin;
      moved[k] += scales_[k].in_log ? 0.7 : 1.0;
      corners_.push_back(corner_at(moved));
    }
  }

  std::vector<double> climb() {
    const auto is_better = [](const Corner& a, const Corner& b) { return a.value > b.value; };
    for (int step = 0; step < kMostSimplexSteps; ++step) {
      std::stable_sort(corners_.begin(), corners_.end(), is_better);
      if (corners_.front().value - corners_.back().value < kSimplexGain) break;
      move_worst();
    }
    return values_of(std::min_element(corners_.begin(), corners_.end(), is_better)->at);
  }

 private:
  struct Corner {
    Eigen::VectorXd at;
    double value;
  };
  [[nodiscard]] std::vector<double> values_of(const Eigen::VectorXd& at) const {
    std::vector<double> values(scales_.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = scales_[k].value(at[k]);
    return values;
  }
  [[nodiscard]] Corner corner_at(const Eigen::VectorXd& at) const { return {at, likelihood_.total(values_of(at))}; }

  void move_worst() {
    const std::size_t n = scales_.size();
    Eigen::VectorXd middle = Eigen::VectorXd::Zero(n);  // of the better corners
    for (std::size_t c = 0; c < n; ++c) middle += corners_[c].at / static_cast<double>(n);
    Corner& worst = corners_.back();
    const auto along = [&](double share) { return corner_at(middle + share * (worst.at - middle)); };
    const Corner mirrored = along(-1.0);
    if (mirrored.value > corners_.front().value) {
      const Corner farther = along(-2.0);
      worst = farther.value > mirrored.value ? farther : mirrored;
    } else if (mirrored.value > corners_[n - 1].value) {
      worst = mirrored;
    } else {
      const Corner nearer = along(mirrored.value > worst.value ? -0.5 : 0.5);
      if (nearer.value > std::max(mirrored.value, worst.value)) {
        worst = nearer;
      } else {
        shrink();
      }
    }
  }

  void shrink() {
    for (std::size_t c = 1; c < corners_.size(); ++c) corners_[c] = corner_at(0.5 * (corners_[c].at + corners_[0].at));
  }

  const ChainLikelihood& likelihood_;
  std::vector<Scale> scales_;
  std::vector<Corner> corners_;
};

std::vector<double> coarse_maximum(const ChainLikelihood& few, std::vector<double> start) {
  if (start.empty()) return start;
  // A second simplex about the first one's end: one alone may have gone flat on its way.
  return Simplex(few, Simplex(few, start).climb()).climb();
}

/// Gradient and information from the scores.
struct Slope {
  Eigen::VectorXd gradient;
  Eigen::MatrixXd information;

  Slope(const ChainLikelihood& likelihood, std::span<const double> values, std::span<const double> steps)
      : gradient(Eigen::VectorXd::Zero(values.size())),
        information(Eigen::MatrixXd::Zero(values.size(), values.size())) {
    const ChainLikelihood::Slopes scores = likelihood.slopes(values, steps);
    likelihood.add_products(scores, information);
    for (std::size_t i = 0; i < likelihood.size(); ++i) {
      likelihood.for_each_parameter(scores, i, [&](std::size_t k, double score) { gradient[k] += score; });
    }
  }
};

/// The damped step. Parameters stay that would leave their limits, or that change nothing.
Eigen::VectorXd damped_step(const ChainLikelihood& likelihood, const Slope& slope, std::span<const double> at,
                            double damping) {
  std::vector<std::size_t> moving;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const FreeNumber& p = likelihood.free(k);
    const bool leaves = (at[k] <= p.low && slope.gradient[k] < 0.0) || (at[k] >= p.high && slope.gradient[k] > 0.0);
    if (!leaves && slope.information(k, k) > 0.0) moving.push_back(k);
  }
  Eigen::MatrixXd damped = slope.information;
  damped.diagonal() *= 1.0 + damping;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(slope.gradient.size());
  if (const auto inverse = inverse_of(damped(moving, moving), 1e-14)) {
    step(moving) = *inverse * slope.gradient(moving);
  }
  return step;
}

}  // namespace

Climb climb_chain(const ChainLikelihood& likelihood, std::vector<double> start, double least_gain) {
  for (double& v : start) v = as_float(v);
  Climb now = {start, likelihood.total(start)};
  std::vector<double> steps(start.size());
  for (std::size_t k = 0; k < start.size(); ++k) steps[k] = 1e-3 * std::max(std::abs(start[k]), 1e-3);
  double damping = 1e-3;
  for (int round = 0; round < kMostClimbSteps; ++round) {
    const Slope slope(likelihood, now.values, steps);
    bool moved = false;
    double gain = 0.0;
    for (int trial = 0; trial < kMostTrials && !moved; ++trial, damping *= 10.0) {
      std::vector<double> values = now.values;
      const Eigen::VectorXd step = damped_step(likelihood, slope, now.values, damping);
      for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = as_float(std::clamp(values[k] + step[k], likelihood.free(k).low, likelihood.free(k).high));
      }
      if (values == now.values) break;
      const double value = likelihood.total(values);
      gain = value - now.log_likelihood;
      moved = gain > 0.0;
      if (moved) now.values = values, now.log_likelihood = value, damping *= 0.01;
    }
    damping = std::clamp(damping, 1e-9, 1e6);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const double error = 1.0 / std::sqrt(std::max(slope.information(k, k), 1e-12));
      steps[k] = std::max(std::min(0.1 * error, 0.1 * std::max(std::abs(now.values[k]), 1e-3)),
                          1e-6 * std::abs(now.values[k]) + 1e-9);
    }
    if (!moved || gain < least_gain) break;
  }
  return now;
}

namespace {

constexpr std::size_t kCoarseReturns = 4096, kSomeReturns = 16'384;
constexpr double kSettledNats = 1e-3;
constexpr int kMostRounds = 4;

/// For a search that takes few parameters: a field has one value for all its rings.
std::vector<FreeNumber> tied(std::span<const FreeNumber> numbers) {
  std::vector<FreeNumber> out;
  for (const FreeNumber& p : numbers) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const FreeNumber& q) { return q.is_same_field(p); });
    if (p.rings.empty() || same == out.end()) {
      out.push_back(p);
    } else {
      same->rings.insert(same->rings.end(), p.rings.begin(), p.rings.end());
    }
  }
  return out;
}

}  // namespace

std::vector<double> inner_start(std::span<const FreeNumber> free, std::vector<double> start) {
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double margin = free[k].step > 0.0 ? free[k].step : 0.01 * std::min(free[k].high - free[k].low, 1.0);
    start[k] = std::clamp(start[k], free[k].low + margin, free[k].high - margin);
  }
  return start;
}

NoiseChain begun(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data) {
  const ChainReturns& returns = data.returns;
  std::vector<float> range_m, clean_range_m;
  std::vector<std::uint32_t> frame;
  for (const std::size_t i : data.used) {
    range_m.push_back(returns.range_m[i]), clean_range_m.push_back(returns.clean_range_m[i]);
    frame.push_back(returns.frame[i]);
  }
  NoiseChain reached = chain;
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    std::vector<FreeNumber> own;
    std::vector<std::string_view> names;
    for (const FreeNumber& p : free) {
      if (p.entry == entry) own.push_back(p), names.push_back(p.field);
    }
    if (own.empty()) continue;
    const auto beginning = chain[entry].noise.begin({range_m, clean_range_m, frame, returns.max_range_m}, names);
    if (!beginning) continue;
    NoiseChain guess = chain;
    guess[entry].noise = *beginning;
    std::vector<double> values = values_of(guess, own);
    for (std::size_t k = 0; k < own.size(); ++k) values[k] = std::clamp(values[k], own[k].low, own[k].high);
    guess = reached;
    set_values(guess, own, values);
    if (data.total(guess) > data.total(reached)) reached = guess;
  }
  return reached;
}

Ascent::Ascent(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data)
    : chain_(chain), data_(data) {
  for (const FreeNumber& p : free) (is_jump(chain, free, p) ? jumps_ : smooth_).push_back(p);
  peaks_.resize(jumps_.size());
}

void Ascent::climb() {
  climb_all();
  if (order_ends()) settle(false);
}

bool Ascent::order_ends() {
  bool had_any = false;
  for (const std::vector<FreeNumber>* numbers : {&smooth_, &jumps_}) {
    for (const FreeNumber& low : *numbers) {
      if (low.role != LearnedRole::kLowEnd) continue;
      const auto high = std::find_if(numbers->begin(), numbers->end(), [&](const FreeNumber& p) {
        return p.role == LearnedRole::kHighEnd && p.entry == low.entry && p.rings == low.rings;
      });
      if (high == numbers->end()) continue;
      const double one = value_of(chain_, low), other = value_of(chain_, *high);
      if (!(one > other)) continue;
      set_value(chain_, low, other), set_value(chain_, *high, one);
      had_any = true;
    }
  }
  return had_any;
}

void Ascent::climb_all() {
  const double start = total();
  const NoiseChain given = chain_;
  for (const FreeNumber& p : jumps_) {
    const std::vector<std::size_t> some = some_of(known_to(p), kCoarseReturns);
    set_value(chain_, p, find_jump(along(p, some), value_of(chain_, p)).value);
  }
  const std::vector<FreeNumber> tied_ones = tied(smooth_);
  const std::vector<std::size_t> few = some_of(data_.used, kCoarseReturns);
  const ChainLikelihood coarse(chain_, tied_ones, data_.at(few));
  chain_ = coarse.chain_at(coarse_maximum(coarse, inner_start(tied_ones, coarse.given())));
  double before = settle(true);
  // From where it stood, too: the coarse search may have gone astray, and learning must not make things worse.
  if (before < start) chain_ = given, before = settle(false);
  if (jumps_.empty() || smooth_.empty()) return;
  for (int round = 1; round < kMostRounds; ++round) {
    const double now = settle(false);
    const bool is_settled = now - before < kSettledNats;
    before = now;
    if (is_settled) break;
  }
}

std::vector<std::size_t> Ascent::known_to(const FreeNumber& p) const {
  std::vector<std::size_t> out;
  std::copy_if(data_.used.begin(), data_.used.end(), std::back_inserter(out),
               [&](std::size_t i) { return p.rings.empty() || data_.returns.ring[i] == p.rings.front(); });
  return out;
}

double Ascent::settle(bool anew) {
  for (std::size_t k = 0; k < jumps_.size(); ++k) {
    const FreeNumber& p = jumps_[k];
    const double start = value_of(chain_, p);
    const std::vector<std::size_t> all = known_to(p), some = some_of(all, kCoarseReturns);
    const JumpPeak near = anew ? find_jump(along(p, some), start) : peaks_[k];
    peaks_[k] = refine_jump(along(p, all), anew ? near.value : start, 12.0 * near.deviation);
    set_value(chain_, p, peaks_[k].value);
  }
  if (smooth_.empty()) return total();
  std::vector<double> values = values_of(chain_, smooth_);
  const std::vector<std::size_t> some = some_of(data_.used, kSomeReturns);
  if (anew && some.size() < data_.used.size()) {
    values = climb_chain(together(data_.at(some)), values, kSettledNats).values;
  }
  const ChainLikelihood all = together(data_);
  const Climb climb = climb_chain(all, values);
  chain_ = all.chain_at(climb.values);
  return climb.log_likelihood;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
// Thresholds and exponents of the energy law. With y = -log X(E; min_energy) >= 0 of every pixel above the threshold,
//
//   log L = -pow sum_lost y + sum_kept log(1 - e^{-pow y}),
//
// concave in pow. Pixels at or below the threshold are lost with probability 1 and add nothing.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/fit/calibrate.hpp>

#include "fit/estimator.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr double kLeastPow = 1e-3, kMostPow = 1e3, kMostThreshold = 0.999999;
constexpr double kNegligible = 40.0;  // e^-40 adds nothing to a sum of doubles
constexpr int kThresholds = 60;       // of the first look
constexpr std::size_t kFirstPixels = 8192, kMargin = 4;

/// Energies by fate, ascending.
struct Pixels {
  std::vector<double> lost, kept;
};

Pixels gather(const EnergyPairs& pairs, EnergyCalibration& out) {
  if (pairs.energy.size() != pairs.lost.size()) {
    throw InputError(fmt::format("{} energies given for {} flags of loss", pairs.energy.size(), pairs.lost.size()));
  }
  Pixels pixels;
  for (std::size_t i = 0; i < pairs.energy.size(); ++i) {
    if (pairs.lost[i] > 1) throw InputError(fmt::format("pair {}: lost = {} is not 0 or 1", i, pairs.lost[i]));
    if (!std::isfinite(pairs.energy[i])) {
      ++out.skipped;
      continue;
    }
    (pairs.lost[i] != 0 ? pixels.lost : pixels.kept).push_back(pairs.energy[i]);
  }
  out.pairs = pixels.lost.size() + pixels.kept.size();
  out.lost = pixels.lost.size();
  if (pixels.lost.empty() || pixels.kept.empty()) {
    throw InputError(fmt::format("{} of {} pixels were lost: some must be lost and some kept", out.lost, out.pairs));
  }
  std::ranges::sort(pixels.lost);
  std::ranges::sort(pixels.kept);
  return pixels;
}

/// y and its first two derivatives by the threshold m.
struct EnergyLoss {
  double y, by_m, by_mm;
};

class EnergyLaw {
 public:
  EnergyLaw(EnergyNormalization normalization, double m)
      : document_(normalization == EnergyNormalization::kDocument), share_(1.0 - m) {}

  [[nodiscard]] double y(double e) const { return -math::log(x(e)); }
  [[nodiscard]] EnergyLoss loss(double e) const {
    if (!document_) return {y(e), -1.0 / share_, -1.0 / (share_ * share_)};
    const double by_m = e / (share_ * share_) / x(e);
    return {y(e), by_m, by_m * by_m + 2.0 * by_m / share_};
  }
  /// Whether the law loses any pixel of this energy.
  [[nodiscard]] bool loses(double e) const { return x(e) > 0.0; }

 private:
  [[nodiscard]] double x(double e) const { return document_ ? 1.0 - e / share_ : (1.0 - e) / share_; }
  bool document_;
  double share_;
};

/// Thresholds lie below the energy of every kept pixel. If the law loses no pixel above 1 - m, every lost one is below.
double highest_threshold(const Pixels& pixels, EnergyNormalization normalization) {
  const double kept = pixels.kept.front(), lost = pixels.lost.back();
  if (!(kept > 0.0)) {
    throw InputError(fmt::format("a pixel of energy {} was kept: the law loses all at or below {} >= 0", kept,
                                 StereoEnergy::kMinEnergy));
  }
  const bool document = normalization == EnergyNormalization::kDocument;
  if (!(lost < 1.0)) throw InputError(fmt::format("a pixel of energy {} was lost: the law loses none", lost));
  return std::min({kept, kMostThreshold, document ? 1.0 - lost : 1.0});
}

/// About `most` of the pixels, the lowest one kept among them, so that all thresholds stay allowed.
Pixels sample_of(const Pixels& pixels, std::size_t most) {
  const std::size_t step = (pixels.lost.size() + pixels.kept.size()) / most + 1;
  Pixels few;
  for (std::size_t i = 0; i < pixels.lost.size(); i += step) few.lost.push_back(pixels.lost[i]);
  for (std::size_t i = 0; i < pixels.kept.size(); i += step) few.kept.push_back(pixels.kept[i]);
  return few;
}

/// The energy law by min_energy and pow.
class EnergyLikelihood {
 public:
  /// `top`: the highest threshold.
  EnergyLikelihood(const Pixels& pixels, EnergyNormalization normalization, double top)
      : pixels_(pixels), normalization_(normalization), top_(top) {}

  [[nodiscard]] std::size_t size() const { return pixels_.lost.size() + pixels_.kept.size(); }
  [[nodiscard]] static std::size_t parameters() { return 2; }
  [[nodiscard]] Interval limits(std::size_t k) const {
    return k == 0 ? Interval{0.0, top_} : Interval{kLeastPow, kMostPow};
  }
  double total(std::span<const double> values) {
    take(values[0]);
    return rise_at(values[1]).value;
  }
  /// The global maximum: all thresholds are searched, each with its best exponent.
  EmStep m_step(std::vector<double>& values, double /*before*/) {
    if (!threshold_) threshold_ = best_threshold();
    const double log_likelihood = climb(*threshold_);
    values = {*threshold_, pow_};
    return {log_likelihood, values};
  }
  [[nodiscard]] static bool has_settled() { return true; }
  /// Of the log-likelihood apart from its steps.
  [[nodiscard]] Slope slope(std::span<const double> values, std::span<const double> /*steps*/) const {
    const double threshold = values[0], pow = values[1];
    const EnergyLaw law(normalization_, threshold);
    double m = 0.0, p = 0.0, pp = 0.0, pm = 0.0, mm = 0.0;
    for (auto e = std::ranges::upper_bound(pixels_.lost, threshold); e != pixels_.lost.end(); ++e) {
      const EnergyLoss l = law.loss(*e);
      m -= pow * l.by_m, p -= l.y, pm -= l.by_m, mm -= pow * l.by_mm;
    }
    for (const double e : pixels_.kept) {
      if (!law.loses(e)) break;
      const EnergyLoss l = law.loss(e);
      const double t = pow * l.y;
      if (t > kNegligible) break;
      const double rise = math::expm1(t), first = 1.0 / rise, second = -(rise + 1.0) * first * first;
      m += pow * l.by_m * first, p += l.y * first;
      pp += l.y * l.y * second, pm += l.by_m * first + pow * l.y * l.by_m * second;
      mm += pow * l.by_mm * first + pow * pow * l.by_m * l.by_m * second;
    }
    return {Eigen::Vector2d(m, p), Eigen::Matrix2d{{-mm, -pm}, {-pm, -pp}}};
  }

  /// The log-likelihood at a threshold and its best exponent, pow().
  double climb(double threshold) {
    take(threshold);
    return climb_pow();
  }
  [[nodiscard]] double pow() const { return pow_; }

 private:
  /// Value and derivatives by log pow.
  struct Rise {
    double value, first, second;
  };

  void take(double m) {
    const EnergyLaw law(normalization_, m);
    lost_y_ = 0.0;
    for (auto e = std::ranges::upper_bound(pixels_.lost, m); e != pixels_.lost.end(); ++e) lost_y_ += law.y(*e);
    kept_y_.clear();
    for (const double e : pixels_.kept) {
      if (!law.loses(e)) break;
      kept_y_.push_back(law.y(e));
      if (kLeastPow * kept_y_.back() > kNegligible) break;
    }
  }

  [[nodiscard]] Rise rise_at(double pow) const {
    Rise s = {-pow * lost_y_, -pow * lost_y_, -pow * lost_y_};
    for (const double y : kept_y_) {
      const double t = pow * y;
      if (t > kNegligible) break;
      const double rise = math::expm1(t), first = t / rise;
      s.value += math::log(-math::expm1(-t));
      s.first += first;
      s.second += first - first * first * (rise + 1.0);
    }
    return s;
  }

  /// Newton's steps in log pow, kept between the ends; the likelihood has one peak.
  double climb_pow() {
    double low = std::log(kLeastPow), high = std::log(kMostPow), x = std::log(pow_);
    for (int i = 0; i < 100; ++i) {
      const Rise s = rise_at(std::exp(x));
      (s.first > 0.0 ? low : high) = x;
      double next = s.second < 0.0 ? x - s.first / s.second : (s.first > 0.0 ? high : low);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      const bool done = std::abs(next - x) < 1e-10;
      x = next;
      if (done) break;
    }
    pow_ = std::exp(x);
    return rise_at(pow_).value;
  }

  /// The best of many thresholds for a sample of the pixels, dense below the limit, and the best of all near it.
  double best_threshold() {
    const Pixels few = sample_of(pixels_, kFirstPixels);
    EnergyLikelihood first(few, normalization_, top_);
    std::vector<double> points, values;
    for (int i = 0; i < kThresholds; ++i) {
      points.push_back(top_ - top_ * std::pow(10.0, -8.0 * i / (kThresholds - 1)));
      values.push_back(first.climb(points.back()));
    }
    const auto best = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
    const std::array<double, 2> around = {points[best - std::min(best, kMargin)],
                                          points[std::min(best + kMargin, points.size() - 1)]};
    return highest(around, [this](double threshold) { return climb(threshold); }).x;
  }

  const Pixels& pixels_;
  EnergyNormalization normalization_;
  double top_;
  std::optional<double> threshold_;  // of the maximum
  double pow_ = 2.0;
  double lost_y_ = 0.0;  // of the threshold taken, as kept_y_
  std::vector<double> kept_y_;
};
static_assert(EmLikelihood<EnergyLikelihood> && SlopedLikelihood<EnergyLikelihood>);

/// The threshold where the likelihood steps: its mean and deviation under the likelihood, taken as a density (Pitman's
/// estimator; at a change point the maximum itself is an arbitrary point between two pixels). `slope`: how the
/// likelihood changes between the steps at `values`.
Estimate change_point(const Pixels& pixels, const EnergyLaw& law, double top, const Slope& slope,
                      std::span<const double> values) {
  // Of the threshold if the exponent is learned too.
  const Eigen::MatrixXd& i = slope.information;
  const double information = std::max(0.0, i(0, 0) - i(0, 1) * i(0, 1) / i(1, 1));
  double highest = -std::numeric_limits<double>::infinity(), weight = 0.0, first = 0.0, second = 0.0, steps = 0.0;
  auto below = std::ranges::lower_bound(pixels.lost, top);
  for (double upper = top; upper > 0.0;) {
    const double lost = below != pixels.lost.begin() ? *--below : 0.0, lower = std::max(0.0, lost);
    constexpr int kPoints = 8;
    double best_here = -std::numeric_limits<double>::infinity();
    for (int k = 0; k < kPoints; ++k) {
      const double m = lower + (upper - lower) * (k + 0.5) / kPoints, d = m - values[0];
      const double log_weight = steps + d * (slope.gradient[0] - 0.5 * information * d);
      best_here = std::max(best_here, log_weight);
      if (log_weight > highest) {
        const double shrink = std::exp(highest - log_weight);
        weight *= shrink, first *= shrink, second *= shrink, highest = log_weight;
      }
      const double w = std::exp(log_weight - highest) * (upper - lower);
      weight += w, first += w * (m - top), second += w * (m - top) * (m - top);
    }
    // No lower threshold is possible if the law could not lose this pixel above it.
    if (best_here < highest - kNegligible || !(lost > 0.0) || !law.loses(lost)) break;
    steps -= values[1] * law.y(lost);
    upper = lower;
  }
  const double mean = first / weight;
  return {top + mean, std::sqrt(std::max(0.0, second / weight - mean * mean))};
}

/// All lost pixels lie below all kept ones: the threshold is between them, and random losses are too rare to be seen.
void take_gap(const Pixels& pixels, EnergyCalibration& out) {
  const double low = std::max(0.0, pixels.lost.back()), high = std::min(pixels.kept.front(), kMostThreshold);
  Fit::Parameter &threshold = out.parameters[0], &pow = out.parameters[1];
  threshold.value = 0.5 * (low + high), threshold.std_error = (high - low) / std::sqrt(12.0);
  threshold.status = Fit::Status::kLearned;
  pow.value = kMostPow;
  out.log_likelihood = 0.0;  // each pixel has probability 1
  out.note(
      "unidentified",
      fmt::format(
          "every pixel lost lies below every pixel kept: {} cannot be known, and is set to the limit of the search",
          StereoEnergy::kPow));
}

/// Standard errors from the observed information. `of_threshold`: of a change point; NaN: by the information, too.
void take_energy_errors(const Eigen::MatrixXd& information, double of_threshold, EnergyCalibration& out) {
  Fit::Parameter &threshold = out.parameters[0], &pow = out.parameters[1];
  const double of_pow = information(1, 1), mixed = information(0, 1);
  const bool at_zero = threshold.status == Fit::Status::kAtLimit;
  if (std::isnan(of_threshold)) of_threshold = std::sqrt(1.0 / (information(0, 0) - mixed * mixed / of_pow));
  if (!at_zero) threshold.std_error = of_threshold;
  // What the error of the threshold adds: the exponent follows it.
  const double follows = at_zero ? 0.0 : mixed / of_pow * of_threshold;
  if (of_pow > 0.0) pow.std_error = std::sqrt(1.0 / of_pow + follows * follows);
  if (pow.value <= 1.001 * kLeastPow || pow.value >= 0.999 * kMostPow) {
    pow.std_error = kNoNumber;
    out.note("at_limit", fmt::format("{} is at the limit of the search {}", StereoEnergy::kPow,
                                     pow.value < 1.0 ? kLeastPow : kMostPow));
  }
  for (Fit::Parameter& p : out.parameters) {
    if (std::isfinite(p.std_error)) p.status = Fit::Status::kLearned;
  }
  const auto note = [&](std::string_view name, const char* why) {
    out.note("no_maximum", fmt::format("{} has no standard error: {}", name, why));
  };
  if (threshold.status == Fit::Status::kUnidentified) {
    note(StereoEnergy::kMinEnergy, "the likelihood has no smooth peak there (few pixels?)");
  } else if (out.findings.empty() && pow.status == Fit::Status::kUnidentified) {
    note(StereoEnergy::kPow, "no pixel above the threshold shows it");
  }
}

}  // namespace

StereoEnergy EnergyCalibration::noise(EnergyAngle energy) const {
  const auto value = [&](std::string_view name) { return static_cast<float>((*this)[name].value); };
  return {value(StereoEnergy::kMinEnergy), value(StereoEnergy::kPow), normalization, energy};
}

EnergyCalibration calibrate_energy(const EnergyPairs& pairs, EnergyNormalization normalization) {
  EnergyCalibration out;
  out.normalization = normalization;
  const Pixels pixels = gather(pairs, out);
  out.blocks = out.pairs, out.block = "pair";
  for (const std::string_view name : {StereoEnergy::kMinEnergy, StereoEnergy::kPow}) {
    out.parameters.push_back(parameter_of(find_field<StereoEnergy>(name)));
  }
  EnergyLikelihood likelihood(pixels, normalization, highest_threshold(pixels, normalization));
  if (pixels.lost.back() < pixels.kept.front()) {
    take_gap(pixels, out);
    return out;
  }
  Maximum maximum = maximise(likelihood, std::vector<double>(2), {.max_iterations = 0});
  const Slope slope = likelihood.slope(maximum.values, {});
  double of_threshold = kNoNumber;
  if (maximum.values[0] > 0.0 && normalization == EnergyNormalization::kDocument) {
    const Estimate found = change_point(pixels, EnergyLaw(normalization, maximum.values[0]), likelihood.limits(0).high,
                                        slope, maximum.values);
    of_threshold = found.std_error;
    maximum.log_likelihood = likelihood.climb(found.value);
    maximum.values = {found.value, likelihood.pow()};
  }
  out.log_likelihood = maximum.log_likelihood;
  for (std::size_t k = 0; k < 2; ++k) out.parameters[k].value = maximum.values[k];
  add_limit_flag(maximum.values[0] <= 0.0, StereoEnergy::kMinEnergy, "its boundary 0", out);
  take_energy_errors(slope.information, of_threshold, out);
  return out;
}

}  // namespace fathom

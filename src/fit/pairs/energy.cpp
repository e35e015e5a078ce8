// SPDX-License-Identifier: MIT
// Thresholds and exponents of the energy law. With y = -log X(E; min_energy) >= 0 of every pixel above the threshold,
//
//   log L = -pow sum_lost y + sum_kept log(1 - e^{-pow y}),
//
// concave in pow. Pixels at or below the threshold are lost with probability 1 and add nothing.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/fit/calibrate.hpp>

#include "fit/newton.hpp"

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
  std::sort(pixels.lost.begin(), pixels.lost.end());
  std::sort(pixels.kept.begin(), pixels.kept.end());
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

/// Derivatives of the log-likelihood by threshold (m) and exponent (p), apart from its steps.
struct EnergySums {
  double m = 0.0, pp = 0.0, pm = 0.0, mm = 0.0;

  EnergySums(const Pixels& pixels, const EnergyLaw& law, double threshold, double pow) {
    const auto above = std::ranges::upper_bound(pixels.lost, threshold);
    for (auto e = above; e != pixels.lost.end(); ++e) {
      const EnergyLoss l = law.loss(*e);
      m -= pow * l.by_m, pm -= l.by_m, mm -= pow * l.by_mm;
    }
    for (const double e : pixels.kept) {
      if (!law.loses(e)) break;
      const EnergyLoss l = law.loss(e);
      const double t = pow * l.y;
      if (t > kNegligible) break;
      const double rise = math::expm1(t), first = 1.0 / rise, second = -(rise + 1.0) * first * first;
      m += pow * l.by_m * first;
      pp += l.y * l.y * second, pm += l.by_m * first + pow * l.y * l.by_m * second;
      mm += pow * l.by_mm * first + pow * pow * l.by_m * l.by_m * second;
    }
  }
  /// Information on the threshold when the exponent is learned too.
  [[nodiscard]] double threshold_information() const { return pm * pm / pp - mm; }
  /// The standard error of the exponent: with a known threshold, and the part that the threshold's error adds.
  [[nodiscard]] double pow_error(double threshold_error) const {
    if (!(pp < 0.0)) return kNoNumber;
    const double follows = pm / pp * threshold_error;
    return std::sqrt(-1.0 / pp + follows * follows);
  }
};

/// The log-likelihood at one threshold, at the best exponent.
class ThresholdProfile {
 public:
  ThresholdProfile(const Pixels& pixels, EnergyNormalization normalization)
      : pixels_(pixels), normalization_(normalization) {}

  double operator()(double m) {
    const EnergyLaw law(normalization_, m);
    lost_y_ = 0.0;
    for (auto e = std::upper_bound(pixels_.lost.begin(), pixels_.lost.end(), m); e != pixels_.lost.end(); ++e) {
      lost_y_ += law.y(*e);
    }
    kept_y_.clear();
    for (const double e : pixels_.kept) {
      if (!law.loses(e)) break;
      kept_y_.push_back(law.y(e));
      if (kLeastPow * kept_y_.back() > kNegligible) break;
    }
    return climb_pow();
  }
  [[nodiscard]] double pow() const { return pow_; }

 private:
  struct Slope {
    double value, first, second;
  };

  /// Value and derivatives by log pow.
  [[nodiscard]] Slope at(double pow) const {
    Slope s = {-pow * lost_y_, -pow * lost_y_, -pow * lost_y_};
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
      const Slope s = at(std::exp(x));
      (s.first > 0.0 ? low : high) = x;
      double next = s.second < 0.0 ? x - s.first / s.second : (s.first > 0.0 ? high : low);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      const bool done = std::abs(next - x) < 1e-10;
      x = next;
      if (done) break;
    }
    pow_ = std::exp(x);
    return at(pow_).value;
  }

  const Pixels& pixels_;
  EnergyNormalization normalization_;
  double pow_ = 2.0;
  double lost_y_ = 0.0;
  std::vector<double> kept_y_;
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

/// The best of many thresholds for a sample of the pixels, dense below the limit, and the best of all near it.
double best_threshold(const Pixels& pixels, double top, EnergyNormalization normalization, ThresholdProfile& profile) {
  const Pixels few = sample_of(pixels, kFirstPixels);
  ThresholdProfile first(few, normalization);
  std::vector<double> points, values;
  for (int i = 0; i < kThresholds; ++i) {
    points.push_back(top - top * std::pow(10.0, -8.0 * i / (kThresholds - 1)));
    values.push_back(first(points.back()));
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  const std::array<double, 2> around = {points[best - std::min(best, kMargin)],
                                        points[std::min(best + kMargin, points.size() - 1)]};
  return highest(around, std::ref(profile)).x;
}

/// The threshold where the likelihood steps: its mean and deviation under the likelihood, taken as a density (Pitman's
/// estimator; at a change point the maximum itself is an arbitrary point between two pixels). `s`: how the likelihood
/// changes between the steps.
void take_change_point(const Pixels& pixels, double top, const EnergySums& s, EnergyCalibration& out) {
  const double at = out.min_energy.value, information = std::max(0.0, s.threshold_information());
  const EnergyLaw law(out.normalization, at);
  double highest = -std::numeric_limits<double>::infinity(), weight = 0.0, first = 0.0, second = 0.0, steps = 0.0;
  auto below = std::lower_bound(pixels.lost.begin(), pixels.lost.end(), top);
  for (double upper = top; upper > 0.0;) {
    const double lost = below != pixels.lost.begin() ? *--below : 0.0, lower = std::max(0.0, lost);
    constexpr int kPoints = 8;
    double best_here = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < kPoints; ++i) {
      const double m = lower + (upper - lower) * (i + 0.5) / kPoints, d = m - at;
      const double log_weight = steps + d * (s.m - 0.5 * information * d);
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
    steps -= out.pow.value * law.y(lost);
    upper = lower;
  }
  const double mean = first / weight;
  out.min_energy.value = top + mean;
  out.min_energy.std_error = std::sqrt(std::max(0.0, second / weight - mean * mean));
}

/// All lost pixels lie below all kept ones: the threshold is between them, and random losses are too rare to be seen.
void take_gap(const Pixels& pixels, EnergyCalibration& out) {
  const double low = std::max(0.0, pixels.lost.back()), high = std::min(pixels.kept.front(), kMostThreshold);
  out.min_energy = {0.5 * (low + high), (high - low) / std::sqrt(12.0)};
  out.pow = {kMostPow, kNoNumber};
  out.findings.push_back(
      {Severity::kNote, "unidentified",
       fmt::format(
           "every pixel lost lies below every pixel kept: {} cannot be known, and is set to the limit of the search",
           StereoEnergy::kPow)});
}

}  // namespace

StereoEnergy EnergyCalibration::noise(EnergyAngle energy) const {
  return {static_cast<float>(min_energy.value), static_cast<float>(pow.value), normalization, energy};
}

EnergyCalibration calibrate_energy(const EnergyPairs& pairs, const EnergyCalibrationOptions& options) {
  EnergyCalibration out;
  out.normalization = options.normalization;
  const Pixels pixels = gather(pairs, out);
  const double top = highest_threshold(pixels, options.normalization);
  if (pixels.lost.back() < pixels.kept.front()) {
    take_gap(pixels, out);
    return out;
  }
  ThresholdProfile profile(pixels, options.normalization);
  const auto take = [&](double threshold) {
    out.min_energy.value = threshold;
    out.log_likelihood = profile(threshold);
    out.pow.value = profile.pow();
  };
  take(best_threshold(pixels, top, options.normalization, profile));
  const EnergySums sums(pixels, EnergyLaw(options.normalization, out.min_energy.value), out.min_energy.value,
                        out.pow.value);
  const bool at_zero = out.min_energy.value <= 0.0;
  if (at_zero) {
    out.min_energy.std_error = kNoNumber;
    out.findings.push_back(
        {Severity::kNote, "at_limit", fmt::format("{} is at its boundary 0", StereoEnergy::kMinEnergy)});
  } else if (options.normalization == EnergyNormalization::kDocument) {
    take_change_point(pixels, top, sums, out);
    take(out.min_energy.value);
  } else {
    out.min_energy.std_error = std::sqrt(1.0 / sums.threshold_information());
  }
  out.pow.std_error = sums.pow_error(at_zero ? 0.0 : out.min_energy.std_error);
  if (out.pow.value <= 1.001 * kLeastPow || out.pow.value >= 0.999 * kMostPow) {
    out.pow.std_error = kNoNumber;
    out.findings.push_back({Severity::kNote, "at_limit",
                            fmt::format("{} is at the limit of the search {}", StereoEnergy::kPow,
                                        out.pow.value < 1.0 ? kLeastPow : kMostPow)});
  }
  if (!at_zero && !std::isfinite(out.min_energy.std_error)) {
    out.findings.push_back(
        {Severity::kNote, "no_maximum",
         fmt::format("{} has no standard error: the likelihood has no smooth peak there (few pixels?)",
                     StereoEnergy::kMinEnergy)});
  } else if (out.findings.empty() && !std::isfinite(out.pow.std_error)) {
    out.findings.push_back(
        {Severity::kNote, "no_maximum",
         fmt::format("{} has no standard error: no pixel above the threshold shows it", StereoEnergy::kPow)});
  }
  return out;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
// Thresholds and exponents of the energy law. With y = -log X(E; min_energy) >= 0 of every pixel above the threshold,
//
//   log L = -pow sum_lost y + sum_kept log(1 - e^{-pow y}),
//
// concave in pow. Pixels at or below the threshold are lost with probability 1 and add nothing.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/calibrate.hpp>
#include <fathom/math/f64.hpp>

#include "calibrate/search.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr double kLeastPow = 1e-3, kMostPow = 1e3, kMostThreshold = 0.999999;
constexpr double kNegligible = 40.0;  // e^-40 adds nothing to a sum of doubles
constexpr int kThresholds = 60;       // of the first look
constexpr std::size_t kFirstPixels = 8192, kMargin = 4;
constexpr double kTolerance = 1e-7;

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
struct Y {
  double y, by_m, by_mm;
};

class Law {
 public:
  Law(EnergyNormalization normalization, double m)
      : document_(normalization == EnergyNormalization::kDocument), share_(1.0 - m) {}

  [[nodiscard]] double y(double e) const { return -std::log(x(e)); }
  [[nodiscard]] Y derivatives(double e) const {
    if (!document_) return {y(e), -1.0 / share_, -1.0 / (share_ * share_)};
    const double ratio = -e / (share_ * share_) / x(e), second = -2.0 * e / (share_ * share_ * share_) / x(e);
    return {y(e), -ratio, ratio * ratio - second};
  }
  /// Whether the law loses any pixel of this energy.
  [[nodiscard]] bool loses(double e) const { return x(e) > 0.0; }

 private:
  [[nodiscard]] double x(double e) const { return document_ ? 1.0 - e / share_ : (1.0 - e) / share_; }
  bool document_;
  double share_;
};

/// The log-likelihood at one threshold, at the best exponent.
class ThresholdProfile {
 public:
  ThresholdProfile(const Pixels& pixels, EnergyNormalization normalization)
      : pixels_(pixels), normalization_(normalization) {}

  double operator()(double m) {
    const Law law(normalization_, m);
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

/// Thresholds lie below every pixel kept and, where the law loses nothing above 1 - m, below what losses leave.
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
  std::vector<double> points;
  double best = -std::numeric_limits<double>::infinity();
  std::size_t at = 0;
  for (int i = 0; i < kThresholds; ++i) {
    points.push_back(top - top * std::pow(10.0, -8.0 * i / (kThresholds - 1)));
    if (const double value = first(points.back()); value > best) best = value, at = points.size() - 1;
  }
  const std::size_t low = at < kMargin ? 0 : at - kMargin, high = std::min(points.size() - 1, at + kMargin);
  const Peak peak = climb(points[low], points[high], kTolerance * top, profile);
  for (const double end : {points[low], points[high]}) {
    if (profile(end) > peak.value) return end;
  }
  return peak.x;
}

/// Derivatives of the log-likelihood by threshold (m) and exponent (p), steps aside.
struct Slopes {
  double m = 0.0, pp = 0.0, pm = 0.0, mm = 0.0;

  /// Information on the threshold when the exponent is learned too.
  [[nodiscard]] double threshold_information() const { return pm * pm / pp - mm; }
};

Slopes slopes_at(const Pixels& pixels, const EnergyCalibration& at) {
  const double p = at.pow.value, m = at.min_energy.value;
  const Law law(at.normalization, m);
  Slopes s;
  for (auto e = std::upper_bound(pixels.lost.begin(), pixels.lost.end(), m); e != pixels.lost.end(); ++e) {
    const Y y = law.derivatives(*e);
    s.m -= p * y.by_m, s.pm -= y.by_m, s.mm -= p * y.by_mm;
  }
  for (const double e : pixels.kept) {
    if (!law.loses(e)) break;
    const Y y = law.derivatives(e);
    const double t = p * y.y;
    if (t > kNegligible) break;
    const double rise = std::expm1(t), first = 1.0 / rise, second = -(rise + 1.0) * first * first;
    s.m += p * y.by_m * first;
    s.pp += y.y * y.y * second;
    s.pm += y.by_m * first + p * y.y * y.by_m * second;
    s.mm += p * y.by_mm * first + p * p * y.by_m * y.by_m * second;
  }
  return s;
}

/// The exponent's error: as if the threshold were known, and what its uncertainty adds.
double pow_error(const Slopes& s, double threshold_error) {
  if (!(s.pp < 0.0)) return kNoNumber;
  const double follows = s.pm / s.pp * threshold_error;
  return std::sqrt(-1.0 / s.pp + follows * follows);
}

/// The threshold where the likelihood steps: its mean and deviation under the likelihood, taken as a density (Pitman's
/// estimator; at a change point the maximum itself is an arbitrary point between two pixels). `s`: how the likelihood
/// changes between the steps.
void take_change_point(const Pixels& pixels, double top, const Slopes& s, EnergyCalibration& out) {
  const double at = out.min_energy.value, information = std::max(0.0, s.threshold_information());
  const Law law(out.normalization, at);
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
    // Below a pixel that could not have been lost above the threshold there is nothing.
    if (best_here < highest - kNegligible || !(lost > 0.0) || !law.loses(lost)) break;
    steps -= out.pow.value * law.y(lost);
    upper = lower;
  }
  const double mean = first / weight;
  out.min_energy.value = top + mean;
  out.min_energy.std_error = std::sqrt(std::max(0.0, second / weight - mean * mean));
}

/// All that was lost lies below all that was kept: a threshold in between, and random losses so rare that none was
/// seen.
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
  const Slopes slopes = slopes_at(pixels, out);
  const bool at_zero = out.min_energy.value <= 0.0;
  if (at_zero) {
    out.min_energy.std_error = kNoNumber;
    out.findings.push_back(
        {Severity::kNote, "at_limit", fmt::format("{} is at its boundary 0", StereoEnergy::kMinEnergy)});
  } else if (options.normalization == EnergyNormalization::kDocument) {
    take_change_point(pixels, top, slopes, out);
    take(out.min_energy.value);
  } else {
    out.min_energy.std_error = std::sqrt(1.0 / slopes.threshold_information());
  }
  out.pow.std_error = pow_error(slopes, at_zero ? 0.0 : out.min_energy.std_error);
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

// Thresholds and exponents of the energy law. With y = -log X(E; min_energy) >= 0 of every pixel above the threshold,
//
//   log L = -pow sum_lost y + sum_kept log(1 - e^{-pow y}),
//
// concave in pow. Pixels at or below the threshold are lost with probability 1 and add nothing.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/calibrate.hpp>
#include <fathom/error.hpp>
#include <fathom/special.hpp>

#include "calibrate/search.hpp"

namespace fathom {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastPow = 1e-3, kMostPow = 1e3, kMostThreshold = 0.999999;
constexpr double kNegligible = 40.0;     // e^-40 adds nothing to a sum of doubles
constexpr int kThresholds = 60;          // of the first look
constexpr std::size_t kIntervals = 48;   // between lost pixels, looked at one by one below the limit
constexpr std::size_t kNeighbours = 50;  // energies that tell the spacing at the threshold
constexpr double kStep = 0.5;            // of the log-likelihood, at the threshold: above it is a change point

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
class Profile {
 public:
  Profile(const Pixels& pixels, EnergyNormalization normalization) : pixels_(pixels), normalization_(normalization) {}

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
    throw InputError(fmt::format("a pixel of energy {} was kept: the law loses all at or below min_energy >= 0", kept));
  }
  const bool document = normalization == EnergyNormalization::kDocument;
  if (!(lost < 1.0)) throw InputError(fmt::format("a pixel of energy {} was lost: the law loses none", lost));
  return std::min({kept, kMostThreshold, document ? 1.0 - lost : 1.0});
}

Peak best_threshold(const Pixels& pixels, double top, Profile& profile) {
  std::vector<double> points;
  for (int i = 0; i < kThresholds; ++i) points.push_back(top - top * std::pow(10.0, -8.0 * i / (kThresholds - 1)));
  Peak best = highest(points, 1e-9 * top, profile);
  // The likelihood steps up where the threshold passes a lost pixel: look just behind the steps, below the limit.
  const auto end = std::lower_bound(pixels.lost.begin(), pixels.lost.end(), top);
  const auto count = std::min<std::size_t>(kIntervals, static_cast<std::size_t>(end - pixels.lost.begin()));
  for (std::size_t i = 1; i <= count; ++i) {
    const double m = *(end - static_cast<std::ptrdiff_t>(i));
    if (!(m >= 0.0)) break;
    if (const double value = profile(m); value > best.value) best = {m, value};
  }
  return best;
}

/// Observed information, of pow alone when the threshold is not free.
void add_std_errors(const Pixels& pixels, bool threshold_free, EnergyCalibration& out) {
  const double p = out.pow.value, m = out.min_energy.value;
  const Law law(out.normalization, m);
  double pp = 0.0, pm = 0.0, mm = 0.0;  // second derivatives
  for (const double e : pixels.lost) {
    if (!(e > m)) continue;
    const Y y = law.derivatives(e);
    pm -= y.by_m, mm -= p * y.by_mm;
  }
  for (const double e : pixels.kept) {
    if (!law.loses(e)) break;
    const Y y = law.derivatives(e);
    const double t = p * y.y;
    if (t > kNegligible) break;
    const double rise = std::expm1(t), first = 1.0 / rise, second = -(rise + 1.0) * first * first;
    pp += y.y * y.y * second;
    pm += y.by_m * first + p * y.y * y.by_m * second;
    mm += p * y.by_mm * first + p * p * y.by_m * y.by_m * second;
  }
  const double determinant = pp * mm - pm * pm;
  const bool both = threshold_free && determinant > 0.0 && pp < 0.0;
  if (threshold_free) out.min_energy.std_error = both ? std::sqrt(-pp / determinant) : kNan;
  out.pow.std_error = both ? std::sqrt(-mm / determinant) : (pp < 0.0 ? std::sqrt(-1.0 / pp) : kNan);
}

/// The threshold as a change point: the middle between the lost pixel below and the kept one above. Each gap follows an
/// exponential law whose mean is the spacing of energies there; half their difference deviates by spacing / sqrt(2).
void take_change_point(const Pixels& pixels, double top, EnergyCalibration& out) {
  const auto below = std::lower_bound(pixels.lost.begin(), pixels.lost.end(), top);
  const double low = below == pixels.lost.begin() ? 0.0 : std::max(0.0, *(below - 1));
  out.min_energy.value = 0.5 * (low + top);
  const auto lost = std::min<std::size_t>(kNeighbours, static_cast<std::size_t>(below - pixels.lost.begin()));
  const std::size_t kept = std::min(kNeighbours, pixels.kept.size());
  const double first = lost > 0 ? *(below - static_cast<std::ptrdiff_t>(lost)) : low, last = pixels.kept[kept - 1];
  out.min_energy.std_error = (last - first) / static_cast<double>(lost + kept) / std::sqrt(2.0);
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
  Profile profile(pixels, options.normalization);
  const Peak best = best_threshold(pixels, top, profile);
  out.min_energy.value = best.x;
  out.log_likelihood = profile(best.x);
  out.pow.value = profile.pow();
  const double step = out.pow.value * Law(options.normalization, best.x).y(best.x);
  const bool change_point = step > kStep && top == pixels.kept.front();
  const bool at_zero = best.x <= 0.0;
  if (at_zero) out.flags.emplace_back("min_energy is at its boundary 0");
  if (change_point) take_change_point(pixels, top, out);
  add_std_errors(pixels, !change_point && !at_zero, out);
  if (at_zero) out.min_energy.std_error = kNan;
  if (out.pow.value <= 1.001 * kLeastPow || out.pow.value >= 0.999 * kMostPow) {
    out.pow.std_error = kNan;
    out.flags.push_back(fmt::format("pow is at its limit {}", out.pow.value < 1.0 ? kLeastPow : kMostPow));
  }
  return out;
}

}  // namespace fathom

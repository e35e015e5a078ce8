// SPDX-License-Identifier: MIT
#include "noise/mixture_law.hpp"

#include <algorithm>
#include <cmath>

#include <fathom/math/distributions.hpp>
#include <fathom/math/f64.hpp>

namespace fathom {

namespace {

constexpr double kLeastExpectedM = 1e-6;  // as apply() has it

IntervalNormal hits_of(const MeasuredRangeLaw& law) {
  const double deviation_m = std::sqrt(law.normal_m * law.normal_m + law.hit_m * law.hit_m);
  return {std::clamp(law.mean_m, kLeastExpectedM, law.limit_m), deviation_m, 0.0, law.limit_m};
}

/// Readings of something before the surface, whose own range is normal.
class Shorts {
 public:
  explicit Shorts(const MeasuredRangeLaw& law)
      : rate_(law.short_rate_per_m),
        end_m_(std::clamp(law.mean_m, kLeastExpectedM, law.limit_m)),
        // With a rate so high, hardly a short comes near the surface.
        blur_m_(law.normal_m * law.short_rate_per_m < 1.0 ? law.normal_m : 0.0),
        is_flat_(law.short_rate_per_m * end_m_ < kFlat) {}

  [[nodiscard]] double density(double x) const {
    const double there = blur_m_ > 0.0 ? math::normal_cdf((end_m_ - x) / blur_m_) : x <= end_m_ ? 1.0 : 0.0;
    return there > 0.0 ? peak() * math::exp(-rate_ * x) * there : 0.0;
  }

  /// Integral of the density over [0, x]: in parts, since e^{-l r} times a normal is a normal elsewhere.
  [[nodiscard]] double below(double x) const {
    if (!(blur_m_ > 0.0)) {
      const double most = std::min(x, end_m_);
      return peak() * (is_flat_ ? most : -math::expm1(-rate_ * most) / rate_);
    }
    const double a = -end_m_ / blur_m_, b = (x - end_m_) / blur_m_, beyond = math::normal_cdf(-b);
    const double passed = math::normal_between(a, b);
    if (is_flat_) {
      const double moment = end_m_ * passed - blur_m_ * (math::normal_density(b) - math::normal_density(a));
      return peak() * (x * beyond + moment);
    }
    const double shift = rate_ * blur_m_, weight = math::exp(-rate_ * end_m_ + 0.5 * shift * shift);
    const double rest = passed - weight * math::normal_between(a + shift, b + shift);
    return peak() / rate_ * (-math::expm1(-rate_ * x) * beyond + rest);
  }

 private:
  static constexpr double kFlat = 1e-6;  // of rate times length, below which shorts are uniform
  [[nodiscard]] double peak() const { return is_flat_ ? 1.0 / end_m_ : -rate_ / math::expm1(-rate_ * end_m_); }

  double rate_, end_m_, blur_m_;
  bool is_flat_;
};

}  // namespace

double mixture_density(const MeasuredRangeLaw& law, double range_m) {
  if (!(range_m >= 0.0 && range_m <= law.limit_m)) return 0.0;
  const double shorts = law.shorts > 0.0 ? law.shorts * Shorts(law).density(range_m) : 0.0;
  return law.hits * hits_of(law).density(range_m) + shorts + law.randoms / law.limit_m;
}

double probability_of_others(const MeasuredRangeLaw& law, double low_m, double high_m) {
  const double low = std::max(low_m, 0.0), high = std::min(high_m, law.limit_m);
  if (!(high > low)) return 0.0;
  const Shorts shorts(law);
  const double before = law.shorts > 0.0 ? law.shorts * (shorts.below(high) - shorts.below(low)) : 0.0;
  return before + law.randoms * (high - low) / law.limit_m;
}

double mixture_probability(const MeasuredRangeLaw& law, double low_m, double high_m) {
  const double low = std::max(low_m, 0.0), high = std::min(high_m, law.limit_m);
  if (!(high > low)) return 0.0;
  const IntervalNormal hits = hits_of(law);
  const double a = (low - hits.mean) / hits.stddev, b = (high - hits.mean) / hits.stddev;
  return law.hits * math::normal_between(a, b) / hits.mass() + probability_of_others(law, low_m, high_m);
}

}  // namespace fathom

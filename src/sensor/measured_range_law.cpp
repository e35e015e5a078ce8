// SPDX-License-Identifier: MIT
#include <fathom/noise/detail/measured_range_law.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <fathom/core/distributions.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "sensor/noise_access.hpp"
#include "sensor/spread_student.hpp"

namespace fathom {

namespace {

// The law of readings of a beam_mixture (noise/beam_mixture.hpp), for laws with is_mixture:
//
//   f(r) = w_hit phi((r - m) / s) / (s P) + w_short l e^{-l r} / (1 - e^{-l m}) Phi((m - r) / e) + w_rand / Z
//
// on [0, Z], with m the mean of the range so far, e its deviation, s^2 = e^2 + sigma_hit^2, P = Phi((Z - m) / s) -
// Phi(-m / s), and l the rate of shorts. Without e this is the beam model (noise/beam_density.hpp).

constexpr double kLeastExpectedM = 1e-6;  // as in apply()

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
        // At a higher rate hardly a short comes near the surface.
        blur_m_(law.normal_m * law.short_rate_per_m < 1.0 ? law.normal_m : 0.0),
        is_flat_(law.short_rate_per_m * end_m_ < kFlat) {}

  [[nodiscard]] double density(double x) const {
    const double there = blur_m_ > 0.0 ? math::normal_cdf((end_m_ - x) / blur_m_) : x <= end_m_ ? 1.0 : 0.0;
    return there > 0.0 ? peak() * math::exp(-rate_ * x) * there : 0.0;
  }

  /// Integral of the density over [0, x], by parts: e^{-l r} times a normal is a shifted normal.
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

double mixture_density(const MeasuredRangeLaw& law, double range_m) {
  if (!(range_m >= 0.0 && range_m <= law.limit_m)) return 0.0;
  const double shorts = law.shorts > 0.0 ? law.shorts * Shorts(law).density(range_m) : 0.0;
  return law.hits * hits_of(law).density(range_m) + shorts + law.randoms / law.limit_m;
}

/// Probability of a short or random reading in (low, high].
double probability_of_others(const MeasuredRangeLaw& law, double low_m, double high_m) {
  const double low = std::max(low_m, 0.0), high = std::min(high_m, law.limit_m);
  if (!(high > low)) return 0.0;
  const Shorts shorts(law);
  const double before = law.shorts > 0.0 ? law.shorts * (shorts.below(high) - shorts.below(low)) : 0.0;
  return before + law.randoms * (high - low) / law.limit_m;
}

/// Probability of a reading in (low, high].
double mixture_probability(const MeasuredRangeLaw& law, double low_m, double high_m) {
  const double low = std::max(low_m, 0.0), high = std::min(high_m, law.limit_m);
  if (!(high > low)) return 0.0;
  const IntervalNormal hits = hits_of(law);
  const double a = (low - hits.mean) / hits.stddev, b = (high - hits.mean) / hits.stddev;
  return law.hits * math::normal_between(a, b) / hits.mass() + probability_of_others(law, low_m, high_m);
}

constexpr double kStep = 0.35;        // of log u, where the law of u is wide
constexpr double kNegligible = 45.0;  // e^-45 adds nothing to a sum of doubles
constexpr double kAllThere = 1e-14;   // share of a sum over normals below which further normals are negligible
constexpr double kLevelSlack = 1e-5;  // of a level: ranges are single floats, and so are the parameters

void check_known(const MeasuredRangeLaw& law) {
  if (!law.unknown.empty()) {
    throw InputError(fmt::format("the chain of noise has no density of ranges: {}", law.unknown));
  }
}

/// Log of the mean density over (range - half, range + half) of a law whose other errors are small against its t; empty
/// for other laws.
std::optional<double> log_mean_of_heavy(const MeasuredRangeLaw& law, double range_m, double half_m,
                                        const StudentNodes* nodes) {
  if (!(law.student_m > 0.0)) return std::nullopt;
  const double x = (range_m - law.mean_m - 0.5 * (law.low_m + law.high_m)) / law.student_m, nu = law.nu;
  const SmallSpread spread = {half_m / law.student_m, 0.5 * (law.high_m - law.low_m) / law.student_m,
                              law.normal_m / law.student_m};
  const auto share = spread_student(x, nu, spread);
  if (!share) return std::nullopt;
  return math::log(nodes->peak() / law.student_m * *share) - 0.5 * (nu + 1.0) * math::log1p(x * x / nu);
}

/// P(a < t < b) of the law's t.
double heavy_between(const MeasuredRangeLaw& law, double a, double b, const StudentNodes& nodes) {
  return math::student_between(a / law.student_m, b / law.student_m, law.nu, math::log(nodes.peak()));
}

double normal_density(double e, double s) {
  if (s > 0.0) return math::normal_density(e / s) / s;
  return 0.0;
}

/// Phi(b / s) - Phi(a / s) for a <= b; a deviation of 0 is a step at 0.
double normal_between(double a, double b, double s) {
  if (s > 0.0) return math::normal_between(a / s, b / s);
  return a < 0.0 && b >= 0.0 ? 1.0 : 0.0;
}

/// int Phi(x / s) dx from -infinity.
double normal_ramp(double x, double s) {
  if (!(s > 0.0)) return x > 0.0 ? x : 0.0;
  const double u = x / s;
  return x * math::normal_cdf(u) + s * math::normal_density(u);
}

/// int Phi(x / s) dx over [top - width, top]. Far above 0, and where the interval is small against s, the ramps are
/// large against their difference: there it is the interval's length, or the midpoint rule with its first correction.
double normal_ramp_below(double top, double width, double s) {
  constexpr double kFar = 40.0, kSmall = 1e-3;
  if (top - width > kFar * s) return width;
  if (width < kSmall * s) {
    const double u = (top - 0.5 * width) / s, h = width / s;
    return width * (math::normal_cdf(u) - u * math::normal_density(u) * h * h / 24.0);
  }
  return normal_ramp(top, s) - normal_ramp(top - width, s);
}

/// Sums f(deviation) over the normals whose mixture is the normal plus the t. `most`: such that f(s) <= most / s. The
/// widest normals come last, with ever smaller terms.
template <class F>
double mixed(const MeasuredRangeLaw& law, const StudentNodes* nodes, double most, F f) {
  if (!(law.student_m > 0.0)) return f(law.normal_m);
  double sum = 0.0;
  for (std::size_t k = 0; k < nodes->weights().size(); ++k) {
    const double weight = nodes->weights()[k], scale = nodes->scales()[k], t = law.student_m * scale;
    if (scale > 1.0 && weight * most < kAllThere * sum * t) break;
    sum += weight * f(std::sqrt(law.normal_m * law.normal_m + t * t));
  }
  return sum;
}

/// The law's nodes: those given, or new ones in `own`.
const StudentNodes* nodes_of(const MeasuredRangeLaw& law, const StudentNodes* given, std::optional<StudentNodes>& own) {
  if (!(law.student_m > 0.0) || (given != nullptr && given->nu() == law.nu)) return given;
  own.emplace(law.nu);
  return &*own;
}

/// d' of a range; negative if it has no disparity.
double disparity_of(const MeasuredRangeLaw& law, double range_m) {
  const double before_m = (range_m - law.bias_m) / law.gain;
  return before_m > 0.0 ? law.unit_px_m / before_m : -1.0;
}

double level_probability(const MeasuredRangeLaw& law, double low_m, double high_m, bool or_nearest) {
  const auto errors = detail::errors_of_levels(law, low_m, high_m, or_nearest);
  return errors ? normal_between(errors->low_px, errors->high_px, law.deviation_px) : 0.0;
}

double disparity_density(const MeasuredRangeLaw& law, double range_m) {
  const double d = disparity_of(law, range_m);
  if (!(d > 0.0)) return 0.0;
  // |dd' / drange| = d' / range, stretched by the models after the disparity.
  const double before_m = law.unit_px_m / d;
  return normal_density(d - law.disparity_px, law.deviation_px) * d / before_m / law.gain;
}

double floor_log(double x) { return x > 0.0 ? math::log(x) : -std::numeric_limits<double>::infinity(); }

}  // namespace

StudentNodes::StudentNodes(double nu) : nu_(nu) {
  if (!(nu > 0.0)) throw InputError(fmt::format("nu = {} is not above 0", nu));
  const double half = 0.5 * nu, step = kStep * std::min(1.0, std::sqrt(2.0 / nu));
  // Log of u's density over log u, 0 at its top.
  const auto log_weight = [&](double y) { return half * (y + 1.0 - std::exp(y)); };
  const auto add = [&](double y) {
    const double weight = math::exp(log_weight(y));
    weights_.push_back(weight), scales_.push_back(math::exp(-0.5 * y));
  };
  double sum = 0.0;
  for (int k = 0; log_weight(k * step) > -kNegligible; ++k) add(k * step);
  for (int k = 1; log_weight(-k * step) > -kNegligible; ++k) add(-k * step);
  for (const double w : weights_) sum += w;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    weights_[k] /= sum;
  }
  peak_ = math::exp(math::student_log_peak(nu));
}

std::optional<detail::DisparityErrors> detail::errors_of_levels(const MeasuredRangeLaw& law, double low_m,
                                                                double high_m, bool or_nearest) {
  const double most = disparity_of(law, low_m), least = disparity_of(law, high_m);
  if (!(least > 0.0)) return std::nullopt;
  const double q = law.steps_per_px, top = most > 0.0 ? most * q : 1e18;
  double low = std::max(1.0, std::ceil(least * q - kLevelSlack)), high = std::floor(top + kLevelSlack);
  if (low > high) {
    if (!or_nearest) return std::nullopt;
    low = high = std::max(1.0, std::round(0.5 * (least * q + top)));
  }
  return DisparityErrors{(low - 0.5) / q - law.disparity_px, (high + 0.5) / q - law.disparity_px};
}

double density(const MeasuredRangeLaw& law, double range_m, const StudentNodes* nodes) {
  check_known(law);
  if (law.is_mixture) return mixture_density(law, range_m);
  if (law.is_discrete()) return 0.0;
  if (law.from_disparity) return disparity_density(law, range_m);
  std::optional<StudentNodes> own;
  nodes = nodes_of(law, nodes, own);
  if (const auto log = log_mean_of_heavy(law, range_m, 0.0, nodes)) return math::exp(*log);
  const double e = range_m - law.mean_m, width = law.high_m - law.low_m;
  if (!(width > 0.0))
    return mixed(law, nodes, math::kInverseSqrtTwoPi, [&](double s) { return normal_density(e - law.low_m, s); });
  if (law.student_m > 0.0 && !(law.normal_m > 0.0)) {
    return heavy_between(law, e - law.high_m, e - law.low_m, *nodes) / width;
  }
  return mixed(law, nodes, width * math::kInverseSqrtTwoPi,
               [&](double s) { return normal_between(e - law.high_m, e - law.low_m, s); }) /
         width;
}

double probability(const MeasuredRangeLaw& law, double low_m, double high_m, const StudentNodes* nodes) {
  check_known(law);
  if (!(high_m > low_m)) return 0.0;
  if (law.is_mixture) return mixture_probability(law, low_m, high_m);
  if (law.from_disparity) {
    if (law.steps_per_px > 0.0) return level_probability(law, low_m, high_m, false);
    const double most = disparity_of(law, low_m), least = disparity_of(law, high_m);
    if (!(least > 0.0)) return 0.0;
    const double top = most > 0.0 ? most : std::numeric_limits<double>::infinity();
    return normal_between(least - law.disparity_px, top - law.disparity_px, law.deviation_px);
  }
  std::optional<StudentNodes> own;
  nodes = nodes_of(law, nodes, own);
  const double a = low_m - law.mean_m, b = high_m - law.mean_m, width = law.high_m - law.low_m, half_m = 0.5 * (b - a);
  if (const auto log = log_mean_of_heavy(law, low_m + half_m, half_m, nodes)) return 2.0 * half_m * math::exp(*log);
  const double most = (b - a) * math::kInverseSqrtTwoPi;
  if (!(width > 0.0)) {
    const bool is_heavy = law.student_m > 0.0 && !(law.normal_m > 0.0);
    if (is_heavy) return heavy_between(law, a - law.low_m, b - law.low_m, *nodes);
    return mixed(law, nodes, most, [&](double s) { return normal_between(a - law.low_m, b - law.low_m, s); });
  }
  const auto below = [&](double e, double s) { return normal_ramp_below(e - law.low_m, width, s); };
  return mixed(law, nodes, most * width, [&](double s) { return below(b, s) - below(a, s); }) / width;
}

double probability_beside_hits(const MeasuredRangeLaw& law, double low_m, double high_m) {
  check_known(law);
  return law.is_mixture ? probability_of_others(law, low_m, high_m) : 0.0;
}

double cdf(const MeasuredRangeLaw& law, double range_m, const StudentNodes* nodes) {
  return probability(law, -1e12, range_m, nodes);
}

double log_density(const MeasuredRangeLaw& law, double range_m, double half_step_m, const StudentNodes* nodes) {
  check_known(law);
  const double slack_m = 1e-6 * std::abs(range_m);
  if (law.from_disparity && law.steps_per_px > 0.0) {
    const double half_m = std::max(half_step_m, 0.0);
    return floor_log(level_probability(law, range_m - half_m, range_m + half_m, true));
  }
  if (law.is_discrete()) {
    const double exact_m =
        law.from_disparity ? law.gain * law.unit_px_m / law.disparity_px + law.bias_m : law.mean_m + law.low_m;
    return std::abs(range_m - exact_m) <= half_step_m + slack_m ? 0.0 : -std::numeric_limits<double>::infinity();
  }
  std::optional<StudentNodes> own;
  nodes = nodes_of(law, nodes, own);
  if (const auto log = log_mean_of_heavy(law, range_m, std::max(half_step_m, 0.0), nodes)) return *log;
  if (!(half_step_m > 0.0)) return floor_log(density(law, range_m, nodes));
  return floor_log(probability(law, range_m - half_step_m, range_m + half_step_m, nodes) / (2.0 * half_step_m));
}

}  // namespace fathom

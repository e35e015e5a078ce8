// SPDX-License-Identifier: MIT
#include <fathom/noise/beam_density.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/core/distributions.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/field.hpp>

#include "core/text.hpp"
#include "sensor/expected_range.hpp"

namespace fathom {

namespace {

/// log(Phi(x + width) - Phi(x)) for large x, where either is 1 in double precision; error below 1 / x^2.
double log_tail_mass(double x, double width) {
  return std::log(math::kInverseSqrtTwoPi / x) - 0.5 * x * x + std::log(-math::expm1(-width * (x + 0.5 * width)));
}

double sinh_of(double y) {
  const double rise = math::expm1(y < 0.0 ? -y : y), value = 0.5 * (rise + rise / (1.0 + rise));
  return y < 0.0 ? -value : value;
}

double asinh_of(double x) {
  const double size = x < 0.0 ? -x : x, value = math::log1p(size + size * size / (1.0 + std::sqrt(1.0 + size * size)));
  return x < 0.0 ? -value : value;
}

}  // namespace

HitDensity::HitDensity(const HitTail& tail, double center_m, double sigma_m, double limit_m)
    : normal_{center_m, sigma_m, limit_m} {
  if (tail.hit == HitLaw::kGrows) normal_.sigma += tail.sigma_hit_per_m * center_m;
  if (tail.hit == HitLaw::kStudentT) {
    nu_ = tail.nu_hit;
    log_peak_ = math::student_log_peak(nu_);
    mass_ = math::student_between(normal_.lower(), normal_.upper(), nu_, log_peak_);
  } else {
    mass_ = normal_.mass();
  }
}

double HitDensity::density(double z) const {
  if (!is_student()) return normal_.density(z);
  return z >= 0.0 && z <= normal_.limit ? shape(z) / (normal_.sigma * mass_) : 0.0;
}

double HitDensity::cdf(double z) const {
  if (!is_student()) return normal_.cdf(z);
  if (z <= 0.0) return 0.0;
  if (z >= normal_.limit) return 1.0;
  return mass_between(0.0, z) / mass_;
}

/// Inverts the smaller of the two tails, so that neither end loses digits.
double HitDensity::quantile(double u) const {
  if (!is_student()) return normal_.quantile(u);
  const auto upper_tail = [&](double x) {
    return x > 0.0 ? math::student_mass(x, nu_, log_peak_).beyond : 0.5 + math::student_mass(-x, nu_, log_peak_).inside;
  };
  const double below = upper_tail(-normal_.lower()) + u * mass_,
               above = upper_tail(normal_.upper()) + (1.0 - u) * mass_;
  const double tail = std::min(below, above), sign = below < above ? -1.0 : 1.0;
  const double x = tail > 1e-280 ? math::student_tail_point(tail, nu_, log_peak_) : std::numeric_limits<double>::max();
  return std::clamp(normal_.center + sign * normal_.sigma * x, 0.0, normal_.limit);
}

/// With u = sqrt(nu) sinh y the density is smooth over y, whatever nu is: Gauss's rule over short stretches.
double HitDensity::student_moment(int power) const {
  constexpr std::array<double, 4> kPlace = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                            0.9602898564975363};
  constexpr std::array<double, 4> kWeight = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                             0.1012285362903763};
  constexpr double kNothing = 45.0;  // e^-45 of the peak: doubles cannot show smaller values
  const double root = std::sqrt(nu_), cosh_far = math::exp(std::min(40.0, kNothing / nu_));
  const double far = math::log(cosh_far + std::sqrt(cosh_far * cosh_far - 1.0));
  const double low = std::max(-far, asinh_of(normal_.lower() / root));
  const double high = std::min(far, asinh_of(normal_.upper() / root));
  const auto value = [&](double y) {
    const double sinh = sinh_of(y), u = root * sinh;
    return (power == 1 ? u : u * u) * math::student_density(u, nu_, log_peak_) * root * std::sqrt(1.0 + sinh * sinh);
  };
  const double stretches = std::ceil((high - low) / std::min(0.25, 0.5 / root)), half = 0.5 * (high - low) / stretches;
  double sum = 0.0;
  for (double k = 0.0; k < stretches; k += 1.0) {
    const double middle = low + (2.0 * k + 1.0) * half;
    for (std::size_t i = 0; i < kPlace.size(); ++i) {
      sum += kWeight[i] * half * (value(middle - half * kPlace[i]) + value(middle + half * kPlace[i]));
    }
  }
  return sum;
}

double HitDensity::mean() const {
  if (!is_student()) return normal_.center + normal_.mean_shift();
  return normal_.center + normal_.sigma * student_moment(1) / mass_;
}

double HitDensity::variance() const {
  if (!is_student()) return normal_.second_moment() - normal_.mean_shift() * normal_.mean_shift();
  const double mean = student_moment(1) / mass_;
  return normal_.sigma * normal_.sigma * (student_moment(2) / mass_ - mean * mean);
}

double HitDensity::shape(double z) const {
  const double u = (z - normal_.center) / normal_.sigma;
  return is_student() ? math::student_density(u, nu_, log_peak_) : math::normal_density(u);
}

double HitDensity::log_shape(double z, double factor) const {
  const double u = (z - normal_.center) / normal_.sigma;
  if (is_student()) return std::log(factor) + log_peak_ - 0.5 * (nu_ + 1.0) * math::log1p(u * u / nu_);
  return std::log(factor * math::kInverseSqrtTwoPi) - 0.5 * u * u;
}

double HitDensity::mass_between(double low, double high) const {
  const double a = (low - normal_.center) / normal_.sigma, b = (high - normal_.center) / normal_.sigma;
  return is_student() ? math::student_between(a, b, nu_, log_peak_) : math::normal_between(a, b);
}

double HitDensity::log_far_mass(double low, double high) const {
  const double distance = std::max(low - normal_.center, normal_.center - high), width = high - low;
  if (is_student()) return log_shape(normal_.center + distance, width / normal_.sigma);
  return log_tail_mass(distance / normal_.sigma, width / normal_.sigma);
}

namespace {

constexpr double kMostStepsToMax = 1e6;

/// Half a step below the first multiple of the step that reaches Z; Z itself without a step.
double top_edge_m(const BeamSensor& sensor) {
  const double limit = sensor.max_range_m, step = sensor.step_m;
  if (!(step > 0.0)) return limit;
  double multiple = std::floor(limit / step);
  if (!reaches(multiple * step, limit)) multiple += 1.0;
  return std::min(limit, (multiple - 0.5) * step);
}

}  // namespace

void BeamParameters::check() const {
  check_sum_is_one(kSlug, "w_hit + w_short + w_max + w_rand", w_hit + w_short + w_max + w_rand);
  validate(tail);
}

void validate(const BeamSensor& sensor) {
  for (const Field<BeamSensor>& field : BeamSensor::fields()) {
    const auto length = member_of<double>(field);
    if (length == nullptr || length == &BeamSensor::max_range_m) {
      check_field(sensor, field);
      continue;
    }
    const bool has_step = length == &BeamSensor::step_m && sensor.step_m != 0.0;
    check_in_range(BeamSensor::kSlug, field.name, sensor.*length,
                   has_step ? sensor.max_range_m / kMostStepsToMax : field.low, sensor.max_range_m, field.unit);
  }
}

BeamDensity::BeamDensity(const BeamParameters& p, const BeamSensor& sensor, double expected_m)
    : sensor_(sensor), w_hit_(p.w_hit), w_short_(p.w_short), w_max_(p.w_max), w_rand_(p.w_rand) {
  validate(p);
  validate(sensor);
  if (!(expected_m >= 0.0)) {
    throw InputError(fmt::format("beam.expected_m = {} is not at least 0", number_text(expected_m)));
  }
  top_edge_m_ = top_edge_m(sensor);
  const double limit = sensor.max_range_m;
  const bool missed = reaches(expected_m, limit);
  const double z_star = missed ? limit : std::clamp(expected_m + p.hit_offset_m, sensor.expected_floor_m, limit);
  if (missed && sensor.miss == MissPolicy::kAtom) {
    w_max_ += w_hit_;
    w_hit_ = 0.0;
  }
  hit_ = HitDensity(p.tail, z_star, p.sigma_hit_m, limit);
  short_ = {p.lambda_short_per_m, z_star};
  hit_scale_ = 1.0 / (hit_.scale() * hit_.mass());
  short_scale_ = TruncatedExponential::rise(p.lambda_short_per_m * z_star) / z_star;
}

double BeamDensity::density(double z) const {
  if (z >= sensor_.max_range_m) return w_max_;
  if (z < 0.0) return 0.0;
  double f = w_hit_ * hit_scale_ * hit_.shape(z) + w_rand_ / sensor_.max_range_m;
  if (z <= short_.limit) f += w_short_ * short_scale_ * math::exp(-short_.rate * z);
  return f;
}

double BeamDensity::log_density(double z) const {
  const double f = density(z);
  if (!(f <= 0.0)) return std::log(f);
  if (!(z >= 0.0 && z < sensor_.max_range_m) || !(w_hit_ > 0.0)) return -std::numeric_limits<double>::infinity();
  // The other components are absent and the density of hits underflowed: its logarithm did not.
  return hit_.log_shape(z, w_hit_ * hit_scale_);
}

double BeamDensity::continuous_cdf(double z) const {
  const double clamped = std::clamp(z, 0.0, sensor_.max_range_m);
  const double hit = hit_.mass_between(0.0, clamped) * hit_.scale() * hit_scale_;
  return w_hit_ * hit + w_short_ * short_.cdf(clamped) + w_rand_ * clamped / sensor_.max_range_m;
}

double BeamDensity::cdf(double z) const { return z >= sensor_.max_range_m ? 1.0 : continuous_cdf(z); }

double BeamDensity::quantile(double u) const {
  const double limit = sensor_.max_range_m;
  if (std::isnan(u)) return u;
  if (!(u > 0.0)) return 0.0;
  if (!(u <= continuous_cdf(limit))) return limit;
  double low = 0.0, high = limit;
  // Bisection to neighbouring doubles: F is flat in places, where Newton's steps would fly off.
  for (int i = 0; i < 1100; ++i) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (continuous_cdf(middle) < u ? low : high) = middle;
  }
  return high;
}

double BeamDensity::mean() const {
  const double limit = sensor_.max_range_m;
  return w_hit_ * hit_.mean() + w_short_ * short_.mean() + w_max_ * limit + w_rand_ * limit / 2;
}

double BeamDensity::variance() const {
  const double limit = sensor_.max_range_m, m = mean();
  const auto about = [m](double component_mean) { return (component_mean - m) * (component_mean - m); };
  return w_hit_ * (hit_.variance() + about(hit_.mean())) + w_short_ * (short_.variance() + about(short_.mean())) +
         w_max_ * about(limit) + w_rand_ * (limit * limit / 12 + about(limit / 2));
}

double BeamDensity::sample(double u1, double u2) const {
  const double limit = sensor_.max_range_m;
  if (!(u1 < w_hit_ + w_short_ + w_rand_)) return limit;
  const double z = u1 < w_hit_ ? hit_.quantile(u2) : u1 < w_hit_ + w_short_ ? short_.quantile(u2) : u2 * limit;
  if (!(sensor_.step_m > 0.0)) return z;
  return z < top_edge_m_ ? std::min(sensor_.step_m * std::floor(z / sensor_.step_m + 0.5), limit) : limit;
}

/// Of hits, shorts and random readings, component by component: the cdf's differences would lose the digits of small
/// ones.
double BeamDensity::mass_between(double low, double high) const {
  low = std::max(low, 0.0);
  if (!(low < high)) return 0.0;
  double mass =
      w_hit_ * hit_.mass_between(low, high) * hit_.scale() * hit_scale_ + w_rand_ * (high - low) / sensor_.max_range_m;
  const double length = std::min(high, short_.limit) - low;
  if (length > 0.0) {
    mass += w_short_ * short_scale_ * math::exp(-short_.rate * low) * length /
            TruncatedExponential::rise(short_.rate * length);
  }
  return mass;
}

double BeamDensity::log_cell_mass(double z) const {
  const double low = std::max(0.0, z - sensor_.step_m / 2), high = std::min(z + sensor_.step_m / 2, top_edge_m_);
  const double mass = mass_between(low, high);
  if (mass > 0.0) return std::log(mass);
  if (!(w_hit_ > 0.0)) return -std::numeric_limits<double>::infinity();
  // The other components are absent and the mass of hits underflowed: its logarithm did not.
  return std::log(w_hit_ * hit_.scale() * hit_scale_) + hit_.log_far_mass(low, high);
}

double BeamDensity::log_likelihood(double z) const {
  const double limit = sensor_.max_range_m;
  switch (classify(z, sensor_)) {
    case ReadingKind::kNone:
      return 0.0;
    case ReadingKind::kMax:
      return std::log(w_max_ + mass_between(top_edge_m_, limit));
    case ReadingKind::kRange:
      break;
  }
  return sensor_.step_m > 0.0 ? log_cell_mass(z) : log_density(z);
}

CdfJump BeamDensity::cdf_jump(double z) const {
  switch (classify(z, sensor_)) {
    case ReadingKind::kNone:
      return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    case ReadingKind::kMax:
      return {1.0 - w_max_ - mass_between(top_edge_m_, sensor_.max_range_m), 1.0};
    case ReadingKind::kRange:
      break;
  }
  const double half = sensor_.step_m / 2;
  return {continuous_cdf(z - half), continuous_cdf(std::min(z + half, top_edge_m_))};
}

void sample_scan(const BeamParameters& parameters, const BeamSensor& sensor, const NoiseKey& key,
                 std::span<const float> expected_m, std::span<float> reading_m) {
  validate(parameters);
  validate(sensor);
  if (expected_m.size() != reading_m.size()) {
    throw InputError(fmt::format("{} expected ranges given for {} readings", expected_m.size(), reading_m.size()));
  }
  for (std::size_t i = 0; i < expected_m.size(); ++i) check_expected(i, expected_m[i]);
  for (std::size_t i = 0; i < expected_m.size(); ++i) {
    const BeamDensity density(parameters, sensor, expected_m[i]);
    reading_m[i] = static_cast<float>(sample_reading(density, key, static_cast<std::uint32_t>(i)));
  }
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fathom/beam/model.hpp>
#include <fathom/math/student.hpp>

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
  constexpr double kNothing = 45.0;  // e^-45 of the peak: no double shows what lies beyond
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

}  // namespace fathom

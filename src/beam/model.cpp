// SPDX-License-Identifier: MIT
#include <fathom/beam/model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/field.hpp>

#include "base/text.hpp"

namespace fathom {

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
  for (std::size_t i = 0; i < expected_m.size(); ++i) {
    if (!(expected_m[i] >= 0.0F)) {
      throw InputError(fmt::format("expected range {} = {} is not at least 0", i, expected_m[i]));
    }
  }
  for (std::size_t i = 0; i < expected_m.size(); ++i) {
    const BeamDensity density(parameters, sensor, expected_m[i]);
    reading_m[i] = static_cast<float>(sample_reading(density, key, static_cast<std::uint32_t>(i)));
  }
}

}  // namespace fathom

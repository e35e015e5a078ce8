// SPDX-License-Identifier: MIT
#pragma once
// Data with known parameters.

#include <fathom/fit/beam.hpp>

#include "support/expect.hpp"

namespace fathom::test {

/// The two settings of the published recovery tables.
inline const BeamParameters kLaserTruth = {.70, .15, .05, .10, .10, .40};
inline const BeamParameters kSonarTruth = {.70, .15, .05, .10, 1.0, .40};
inline const BeamSensor kLaser = {.max_range_m = 10, .miss = MissPolicy::kBook};
inline const BeamSensor kSonar = {.max_range_m = 5, .miss = MissPolicy::kBook};

/// z* uniform in [low, high], one reading each, `per_scan` to a scan; every `missed_every`-th beam expects nothing.
inline BeamData simulate(const BeamParameters& p, const BeamSensor& sensor, std::size_t rays, double low, double high,
                         std::uint64_t seed, std::size_t per_scan = 100, std::size_t missed_every = 0) {
  BeamData data;
  const NoiseKey where = {seed, 0, make_stream("where", 0, "test")};
  const NoiseKey key = beam_key(seed, 0);
  for (std::size_t i = 0; i < rays; ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    const PhiloxBlock block = keyed_block(where, index, 0);
    const double u = open_uniform(block.word[0], block.word[1]);
    const bool missed = missed_every > 0 && i % missed_every == 0;
    const auto expected = static_cast<float>(missed ? sensor.max_range_m : low + u * (high - low));
    data.expected_m.push_back(expected);
    data.reading_m.push_back(static_cast<float>(sample_reading(BeamDensity(p, sensor, expected), key, index)));
    data.scan.push_back(static_cast<std::uint32_t>(i / per_scan));
  }
  return data;
}

/// Each parameter but the offset differs from the truth by at most `errors` standard errors.
inline void expect_near_truth(const BeamFit& fit, const BeamParameters& truth, double errors) {
  for (const auto& field : BeamParameters::fields()) {
    if (field.name == "hit_offset_m") continue;
    const auto number = member_of<double>(field);
    EXPECT_NEAR(fit.model.*number, truth.*number, errors * fit[field.name].std_error) << field.name;
  }
}

/// One number of each parameter of a fit, such as its standard error.
inline BeamParameters numbers_of(const BeamFit& fit, double Fit::Parameter::*number) {
  BeamParameters numbers;
  numbers.tail.hit = fit.model.tail.hit;
  for (const auto& field : BeamParameters::fields()) numbers.*member_of<double>(field) = fit[field.name].*number;
  if (!numbers.tail.is_extended()) return numbers;
  const auto field = HitTail::field_of(numbers.tail.hit);
  numbers.tail.*member_of<double>(field) = fit[field.name].*number;
  return numbers;
}

}  // namespace fathom::test

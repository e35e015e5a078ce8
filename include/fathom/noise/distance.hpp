// SPDX-License-Identifier: MIT
#pragma once
// distance: an error of the measured distance, which may grow with the distance.
//
//   sigma(d) = stddev + d stddev_per_m;   e = mean + sigma(d) N,   N ~ normal(0, 1) per return;   d := d + e
//
// d is the range that the ray travelled, as a sensor measures it. The source takes the distance from the sensor origin
// instead, which differs for rays that do not start there. The hit point moves by e along the line from the sensor
// origin through it. Models errors of time-of-flight measurement. Source: Robotec GPU Lidar, "Gaussian noise", section
// "Distance noise".
//
// Nothing is clamped here: the sensor's range policy decides on returns outside its limits. A range at or below 0 is
// lost under each policy.

#include <array>

#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct StudentNoise;

struct DistanceNoise {
  float mean_m = 0.0F;
  float stddev_m = 0.0F;
  float stddev_per_m = 0.0F;

  static constexpr std::string_view kSlug = "distance";
  // Names of parameters.
  static constexpr std::string_view kMean = "mean_m", kStddev = "stddev_m", kStddevPerM = "stddev_per_m";
  static constexpr std::string_view kDoc = "Gaussian error of the range, with a part that grows with the range.";
  static constexpr std::string_view kNote =
      "Differs from its source on purpose: the deviation grows with the range that the ray travelled. The source takes "
      "the distance from the sensor origin, which differs for rays that do not start there.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.normals = 1};

  static constexpr auto fields() {
    return std::array<Field<DistanceNoise>, 3>{{
        {kMean, "m", &DistanceNoise::mean_m, -10, 10, "mean error"},
        {kStddev, "m", &DistanceNoise::stddev_m, 0, 10, "standard deviation at range 0"},
        {kStddevPerM, "m/m", &DistanceNoise::stddev_per_m, 0, 1, "growth of the deviation per metre of range"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const {
    return mean_m == 0.0F && stddev_m == 0.0F && stddev_per_m == 0.0F;
  }

  FATHOM_KERNEL static Return apply(const DistanceNoise& p, Return hit, const Draws<kDraws>& draws) {
    const float sigma_m = p.stddev_m + hit.range_m * p.stddev_per_m;
    return move_radially(hit, p.mean_m + sigma_m * draws.normal[0]);
  }

  static constexpr std::array<LearnedField, 3> kLearned = {
      {{kMean, LearnedRole::kShift, 3}, {kStddev, LearnedRole::kDeviation}, {kStddevPerM, LearnedRole::kGrowth}}};
  static constexpr std::array<Remedy, 1> kRemedies = {Remedy::kRangeError};
  FATHOM_API static StudentNoise with_heavy_tails(const DistanceNoise& p);
  static void act(const DistanceNoise& p, MeasuredRangeLaw& law) {
    law.add_normal(double{p.mean_m}, double{p.stddev_m} + law.mean_m * double{p.stddev_per_m});
  }
};

}  // namespace fathom

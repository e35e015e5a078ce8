// SPDX-License-Identifier: MIT
#pragma once
// uniform: an error of the range that is equally likely anywhere in an interval.
//
//   d := d + e,   e ~ uniform[low, high) per return
//
// Models quantisation and other bounded errors. The hit point moves along the line from the sensor origin through it.
// Variance (high - low)^2 / 12, mean (low + high) / 2.

#include <array>

#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct UniformNoise {
  float low_m = 0.0F;
  float high_m = 0.0F;  ///< when below low_m the two are taken in the other order: the interval is the same

  static constexpr std::string_view kSlug = "uniform";
  static constexpr std::string_view kDoc = "Error of the range, uniform between two bounds.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.uniforms = 1};

  static constexpr auto fields() {
    return std::array<Field<UniformNoise>, 2>{{
        {"low_m", "m", &UniformNoise::low_m, -10, 10, "one end of the interval of the error"},
        {"high_m", "m", &UniformNoise::high_m, -10, 10, "the other end"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return low_m == 0.0F && high_m == 0.0F; }

  FATHOM_KERNEL static Return apply(const UniformNoise& p, Return hit, const Draws<kDraws>& draws) {
    return move_radially(hit, p.low_m + (p.high_m - p.low_m) * draws.uniform[0]);
  }

  static constexpr std::array<LearnedField, 2> kLearned = {
      {{"low_m", LearnedRole::kLowEnd}, {"high_m", LearnedRole::kHighEnd}}};
  static void act(const UniformNoise& p, MeasuredRangeLaw& law) { law.add_uniform(double{p.low_m}, double{p.high_m}); }
};

}  // namespace fathom

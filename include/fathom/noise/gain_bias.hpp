// SPDX-License-Identifier: MIT
#pragma once
// gain_bias: scale and zero of the range have a small error, the same for every return.
//
//   range := (1 + gain) range + bias
//
// The hit point moves along its line from the sensor origin. Typical gain: 1e-4. For an error of each ring of a lidar
// give entries by ring (ChainEntry::by_ring). For errors that differ from unit to unit give gain and bias as ranges,
// drawn once per episode (ParameterRange).
//
// Not modelled: a drift of the error with temperature.

#include <array>

#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct GainBias {
  float gain = 0.0F;
  float bias_m = 0.0F;

  static constexpr std::string_view kSlug = "gain_bias";
  static constexpr std::string_view kGain = "gain", kBias = "bias_m";  ///< names of parameters
  static constexpr std::string_view kDoc = "Constant error of the scale and the zero of the range.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {};

  static constexpr auto fields() {
    return std::array<Field<GainBias>, 2>{{
        {kGain, "m/m", &GainBias::gain, -0.5, 0.5, "error of the scale"},
        {kBias, "m", &GainBias::bias_m, -10, 10, "error of the zero"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return gain == 0.0F && bias_m == 0.0F; }

  FATHOM_KERNEL static Return apply(const GainBias& p, const Return& hit, const Draws<kDraws>& /*draws*/) {
    return move_radially(hit, p.gain * hit.range_m + p.bias_m);
  }

  static constexpr std::array<LearnedField, 2> kLearned = {
      {{kGain, LearnedRole::kStretch}, {kBias, LearnedRole::kShift, 2}}};
  static void act(const GainBias& p, MeasuredRangeLaw& law) { law.stretch(1.0 + double{p.gain}, double{p.bias_m}); }
};

}  // namespace fathom

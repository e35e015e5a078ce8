// SPDX-License-Identifier: MIT
#pragma once
// How the rays of a sensor diverge, ready for casting.

#include <array>
#include <vector>

#include <fathom/sensor/returns.hpp>

#include "sensor/diverging_samples.hpp"

namespace fathom {

struct SamplePlan {
  std::array<SampleDirection, kDivergingSamples> directions;
  std::array<float, kDivergingSamples> weights;  ///< share of the energy
  float separation_m = 0.0F;
  bool coherent = true;    ///< whether the samples of a ray are nearly parallel
  float packet_sr = 0.0F;  ///< solid angle of 16 samples, about
  ReturnChoices choices;
  CoincidingReturn coinciding = CoincidingReturn::kNext;
};

/// Of a divergence and returns that validate() accepts.
SamplePlan make_sample_plan(const Divergence& divergence, const ReturnChoices& returns, CoincidingReturn coinciding);

}  // namespace fathom

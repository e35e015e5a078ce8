// SPDX-License-Identifier: MIT
#include "render/sample_plan.hpp"

#include <algorithm>
#include <numbers>

#include "cast/tile.hpp"

namespace fathom {

SamplePlan make_sample_plan(const Divergence& divergence, const ReturnChoices& returns, CoincidingReturn coinciding) {
  const double across = divergence.horizontal_rad, up = divergence.vertical_rad;
  SamplePlan plan;
  plan.directions = diverging_samples(across, up);
  plan.weights = sample_weights(divergence.profile);
  plan.separation_m = divergence.separation_m;
  plan.coherent = std::max(across, up) <= kCoherentRad;
  plan.packet_sr = static_cast<float>(std::numbers::pi / 4 * across * up * kPacketRays / kDivergingSamples);
  plan.choices = returns;
  plan.coinciding = coinciding;
  return plan;
}

}  // namespace fathom

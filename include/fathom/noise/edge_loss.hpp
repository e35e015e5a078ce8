// SPDX-License-Identifier: MIT
#pragma once
// edge_loss: pixels beside a jump in depth are lost more often.
//
//   Q = hit of the one of the eight neighbouring pixels with the largest increase of range
//   a = angle at the pixel's hit P between the ways to the camera and to Q
//   lost with probability 0 for a < min_angle, rising linearly from low to high up to max_angle, and high above;
//   the reason is edge_loss
//
// 90 degrees is a wall seen head-on, 180 a step straight back. A neighbour that meets nothing counts as infinitely far;
// outside the image there is no neighbour. Angles are taken on the surfaces, before any noise. Parameters for an
// entity count for the pixels that show it, the near side of a step.
//
// Not modelled: losses of the far side of an edge (see stereo_shadow) and windows wider than three pixels.

#include <array>

#include <fathom/noise/model.hpp>

namespace fathom {

struct EdgeLoss {
  float min_angle_rad = 0.5F * math::kPi;
  float max_angle_rad = math::kPi;
  float low_probability = 0.0F;
  float high_probability = 0.0F;

  static constexpr std::string_view kSlug = "edge_loss";
  static constexpr std::string_view kDoc = "Loses pixels beside a jump in depth, more often the steeper it is.";
  static constexpr Stage kStage = Stage::kEdgeLoss;
  static constexpr DrawCount kDraws = {.uniforms = 1};
  static constexpr SurfaceNeeds kNeeds = {.neighbours = true};

  static constexpr auto fields() {
    return std::array<Field<EdgeLoss>, 4>{{
        {"min_angle_rad", "rad", &EdgeLoss::min_angle_rad, 0, math::kPi, "angle below which nothing is lost"},
        {"max_angle_rad", "rad", &EdgeLoss::max_angle_rad, 0, math::kPi,
         "angle from which on the probability stays; taken as min_angle when below it"},
        {"low_probability", "1", &EdgeLoss::low_probability, 0, 1, "probability of loss at min_angle"},
        {"high_probability", "1", &EdgeLoss::high_probability, 0, 1, "probability of loss from max_angle on"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return low_probability == 0.0F && high_probability == 0.0F; }

  FATHOM_KERNEL static Reason apply(const EdgeLoss& p, const Return& /*hit*/, const Surface& surface,
                                    const Draws<kDraws>& draws) {
    const float a = surface.edge_rad;
    const float span = p.max_angle_rad - p.min_angle_rad;
    const float u = (a - p.min_angle_rad) / math::select(span > 0.0F, span, 1.0F);
    const float rising = p.low_probability + (p.high_probability - p.low_probability) * u;
    const float above = math::select(a < p.max_angle_rad, rising, p.high_probability);
    const float probability = math::select(a < p.min_angle_rad, 0.0F, above);
    return draws.uniform[0] < probability ? Reason::kEdgeLoss : Reason::kHit;
  }
};

}  // namespace fathom

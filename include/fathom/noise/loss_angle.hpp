// SPDX-License-Identifier: MIT
#pragma once
// loss_angle: surfaces struck too obliquely return nothing.
//
//   lost when theta > max_incidence,   theta = angle between the reversed ray and the surface normal
//
// The comparison is of cosines, cos(theta) < cos(max_incidence); a surface exactly at the limit is kept, up to the
// rounding of the normal (2e-7 in the cosine). Needs no cameras: it acts on any sensor, with or without a baseline.
// Source: the loss angle of the depth cameras that docs/depth-cameras.md cites.
//
// Not modelled: a soft transition (see stereo_energy) and surfaces that scatter more or less than others.

#include <array>
#include <numbers>

#include <fathom/noise/model.hpp>

namespace fathom {

struct LossAngle {
  float max_incidence_rad = kMaxIncidenceRad;

  /// A quarter turn, the largest possible incidence: nothing is lost.
  static constexpr float kMaxIncidenceRad = 0.5F * std::numbers::pi_v<float>;

  static constexpr std::string_view kSlug = "loss_angle";
  static constexpr std::string_view kDoc = "Loses returns from surfaces that the ray strikes too obliquely.";
  static constexpr Stage kStage = Stage::kAngleLoss;
  static constexpr DrawCount kDraws = {};
  static constexpr SurfaceNeeds kNeeds = {.angles = true};

  static constexpr auto fields() {
    return std::array<Field<LossAngle>, 1>{{
        {"max_incidence_rad", "rad", &LossAngle::max_incidence_rad, 1e-6, kMaxIncidenceRad,
         "largest incidence that returns"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return max_incidence_rad >= kMaxIncidenceRad; }

  FATHOM_KERNEL static Reason apply(const LossAngle& p, const Return& /*hit*/, const Surface& surface,
                                    const Draws<kDraws>& /*draws*/) {
    return surface.cos_emitter < math::sincos(p.max_incidence_rad).cos ? Reason::kLossAngle : Reason::kHit;
  }

  static constexpr std::array<LearnedField, 1> kLearned = {{{"max_incidence_rad", LearnedRole::kThreshold}}};
  static constexpr LossCause kLossCause = LossCause::kIncidence;
  static constexpr std::array<std::string_view, 1> kLossFree = {"max_incidence_rad"};
  FATHOM_API static LossAngle begin_loss(const LossCover& cover);
  FATHOM_KERNEL static double loss_probability(const LossAngle& p, const Return& hit, const Surface& surface) {
    return double{math::select(apply(p, hit, surface, {}) == Reason::kHit, 0.0F, 1.0F)};
  }
};

}  // namespace fathom

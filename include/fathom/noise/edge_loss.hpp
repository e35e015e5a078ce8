// SPDX-License-Identifier: MIT
#pragma once
// edge_loss: pixels beside a jump in depth are lost more often.
//
//   a = angle at the pixel's hit P between the ways to the camera and to Q, the hit of one of the eight neighbouring
//       pixels
//   lost with probability 0 for a < min_angle, rising linearly from low to high up to max_angle, and high above;
//   the reason is edge_loss
//
//   law: plane  Q is the neighbour with the largest r / t: r is its range, t the range at which its ray meets the
//               tangent plane of the surface at P. Nothing is lost unless r / t > 1 + step: a neighbour in the plane of
//               the pixel is no jump, however oblique the plane is.
//        angle  Q is the neighbour with the largest range, and step is not read. So a floor seen at an incidence i has
//               a = 90 degrees + i, and is lost like an edge: the law of a public simulator.
//
// 90 degrees is a wall seen head-on, 180 a step straight back. A neighbour that meets nothing counts as infinitely far;
// one whose ray never meets the tangent plane is no jump. Outside the image there is no neighbour. Angles are taken on
// the surfaces, before any noise. Parameters for an entity count for the pixels that show it, the near side of a step.
//
// Not modelled: losses of the far side of an edge (see stereo_shadow) and windows wider than three pixels (see
// matching_window).

#include <array>
#include <numbers>

#include <fathom/noise/model.hpp>

namespace fathom {

enum class EdgeLaw : std::uint8_t { kAngle, kPlane };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<EdgeLaw> = {"angle", "plane"};

struct EdgeLoss {
  float min_angle_rad = 0.5F * std::numbers::pi_v<float>;
  float max_angle_rad = std::numbers::pi_v<float>;
  float low_probability = 0.0F;
  float high_probability = 0.0F;
  float step = 0.02F;
  EdgeLaw law = EdgeLaw::kPlane;

  static constexpr std::string_view kSlug = "edge_loss";
  static constexpr std::string_view kDoc = "Loses pixels beside a jump in depth, more often the steeper it is.";
  static constexpr Stage kStage = Stage::kEdgeLoss;
  static constexpr DrawCount kDraws = {.uniforms = 1};
  static constexpr SurfaceNeeds kNeeds = {.neighbours = true};

  static constexpr auto fields() {
    return std::array<Field<EdgeLoss>, 6>{{
        {"min_angle_rad", "rad", &EdgeLoss::min_angle_rad, 0, std::numbers::pi_v<float>,
         "angle below which nothing is lost"},
        {"max_angle_rad", "rad", &EdgeLoss::max_angle_rad, 0, std::numbers::pi_v<float>,
         "angle from which the probability is high_probability; at least min_angle"},
        {"low_probability", "1", &EdgeLoss::low_probability, 0, 1, "probability of loss at min_angle"},
        {"high_probability", "1", &EdgeLoss::high_probability, 0, 1, "probability of loss from max_angle on"},
        {"step", "1", &EdgeLoss::step, 0, 1,
         "share of the range by which a neighbour lies behind the pixel's plane; law plane"},
        {"law", "angle|plane", choice<&EdgeLoss::law>, 0, 0,
         "a jump is any farther neighbour, or one behind the plane of the pixel"},
    }};
  }

  [[nodiscard]] constexpr EdgeReads edge_reads() const {
    return {.angles = law == EdgeLaw::kAngle, .jumps = law == EdgeLaw::kPlane};
  }

  [[nodiscard]] constexpr bool is_identity() const { return low_probability == 0.0F && high_probability == 0.0F; }

  FATHOM_KERNEL static Reason apply(const EdgeLoss& p, const Return& /*hit*/, const Surface& surface,
                                    const Draws<kDraws>& draws) {
    return draws.uniform[0] < probability_of(p, surface) ? Reason::kEdgeLoss : Reason::kHit;
  }

  static constexpr std::array<LearnedField, 4> kLearned = {
      {{"min_angle_rad", LearnedRole::kThreshold}, {"max_angle_rad"}, {"low_probability"}, {"high_probability"}}};
  [[nodiscard]] constexpr bool jumps(std::string_view /*field*/) const { return low_probability > 0.0F; }
  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    return field == "step" && law == EdgeLaw::kAngle ? "law = angle does not read it" : "";
  }

  FATHOM_KERNEL static double loss_probability(const EdgeLoss& p, const Return& /*hit*/, const Surface& surface) {
    return double{probability_of(p, surface)};
  }

 private:
  FATHOM_KERNEL static float probability_of(const EdgeLoss& p, const Surface& surface) {
    const bool by_plane = p.law == EdgeLaw::kPlane, is_flat = by_plane & !(surface.jump > p.step);
    const float a = math::select(by_plane, surface.jump_rad, surface.edge_rad);
    const float span = p.max_angle_rad - p.min_angle_rad;
    const float u = (a - p.min_angle_rad) / math::select(span > 0.0F, span, 1.0F);
    const float rising = p.low_probability + (p.high_probability - p.low_probability) * u;
    const float above = math::select(a < p.max_angle_rad, rising, p.high_probability);
    return math::select((a < p.min_angle_rad) | is_flat, 0.0F, above);
  }
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// stereo_shadow: a point that one of the two cameras does not see has no depth.
//
//   a ray goes from each camera to the hit point; lost when it meets a surface before it gets there
//
// The sensor casts the rays, and this model reads their hits. On a wall behind an edge the shadow is
// f B (1 / z_near - 1 / z_far) pixels wide: on one side if the emitter is at one camera, half on each side if it is in
// the middle.
//
// A ray arrives when it meets nothing on the first (1 - tolerance) of its way. Tolerance 0 means the resolution of
// single precision, 8 2^-24 max(1, largest coordinate / distance) / cos(angle to the normal), at most 1e-3, from
// measurement (docs/depth-cameras.md). Any surface within that share of the point is passed over. Within a larger
// tolerance only surfaces of the entity that was struck are passed over, at most 16 of them; a surface of another
// entity there hides the point. With entries by entity, the tolerance is that of the entity struck. With two such
// models in a chain the smaller tolerance decides.
//
// Not modelled: the limits of the cameras' own images (see invalid_band), and cameras that match around thin objects.

#include <array>

#include <fathom/noise/model.hpp>

namespace fathom {

struct StereoShadow {
  float tolerance = 0.0F;

  static constexpr std::string_view kSlug = "stereo_shadow";
  static constexpr std::string_view kDoc = "Loses returns from points that the left or the right camera does not see.";
  static constexpr Stage kStage = Stage::kShadow;
  static constexpr DrawCount kDraws = {};
  static constexpr SurfaceNeeds kNeeds = {.angles = true, .sight = true, .baseline = true};

  static constexpr auto fields() {
    return std::array<Field<StereoShadow>, 1>{{
        {"tolerance", "1", &StereoShadow::tolerance, 0, 0.1,
         "relative distance by which the same entity may be in front of the point; 0: the resolution"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return false; }

  [[nodiscard]] constexpr float sight_tolerance() const { return tolerance; }

  FATHOM_KERNEL static Reason apply(const StereoShadow& /*p*/, const Return& /*hit*/, const Surface& surface,
                                    const Draws<kDraws>& /*draws*/) {
    // kHiddenLeft, kHiddenRight and kHiddenBoth follow each other as the bits do.
    static_assert(kHiddenFromLeft == 1 && kHiddenFromRight == 2);
    const auto lost = static_cast<Reason>(static_cast<std::uint32_t>(Reason::kHiddenLeft) - 1U + surface.hidden);
    return surface.hidden == 0 ? Reason::kHit : lost;
  }
};

}  // namespace fathom

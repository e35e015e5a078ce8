// SPDX-License-Identifier: MIT
#pragma once
// snow: flakes dim surfaces, and the strongest flake in the beam may return more light than the surface behind it.
//
//   n(D) = 7600 R^-0.87 exp(-2.55 R^-0.48 D) per m^3 and mm of diameter D,   R: rate in mm/h of melted water
//
// D is the diameter of the melted flake. The factor 7600 is LISA's; we could not check it with the paper. A flake
// reflects 0.9. noise/detail/weather.hpp has the law of the strongest flake, the extinction and the limit of detection.
// A return from a flake has no entity.
//
// Sources: Gunn and Marshall, "The distribution with size of aggregate snowflakes", Journal of Meteorology 15 (1958);
// the reflectivity: Hahner et al., "LiDAR snowfall simulation for robust 3D object detection", CVPR 2022, arXiv
// 2203.15118. LISA (arXiv 2107.07004) takes Fresnel's reflection of ice, 0.017.
//
// Not modelled: flakes wider than their melted drop, and snow on the ground.

#include <span>
#include <vector>

#include <fathom/noise/detail/weather.hpp>

namespace fathom {

struct Snow {
  float rate_mm_per_h = 0.0F;
  float beam_m = 0.01F;
  float beam_rad = 0.0F;
  float nearest_m = 0.9F;

  static constexpr std::string_view kSlug = "snow";
  static constexpr std::string_view kDoc = "Snow: dims surfaces, and reports flakes that return more light.";
  static constexpr Stage kStage = Stage::kReading;
  static constexpr DrawCount kDraws = {.uniforms = 2};
  static constexpr SurfaceNeeds kNeeds = {.power = true};

  static constexpr auto fields() { return drop_fields<Snow>("rate of snow as water; 0: none"); }
  [[nodiscard]] constexpr bool is_identity() const { return rate_mm_per_h == 0.0F; }

  [[nodiscard]] static Snow on_beam(const Snow& p, float rad) { return widen_drops(p, rad); }
  [[nodiscard]] FATHOM_API DropLaw drops() const;
  [[nodiscard]] std::vector<float> tabulate() const { return DropTable::make(drops()); }

  static constexpr auto kLearned = kDropsLearned;
  [[nodiscard]] static SoftLawPtr soft_law(std::span<const float> table) { return strongest_drop_law(table); }

  static constexpr bool kDropsAlone = true;  ///< for drive.hpp
  FATHOM_KERNEL static PoweredReading apply(const Snow& /*p*/, const Ray& ray, const PoweredReading& in,
                                            const Receiver& receiver, const Draws<kDraws>& draws) {
    return see_through_drops(ray, in, receiver, draws);
  }
};

}  // namespace fathom

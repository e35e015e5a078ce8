// SPDX-License-Identifier: MIT
#pragma once
// rain: drops dim surfaces, and the strongest drop in the beam may return more light than the surface behind it.
//
//   n(D) = 8000 exp(-4.1 R^-0.21 D) per m^3 and mm of diameter D,   R: rate in mm/h
//
// A drop reflects rho = ((n - 1) / (n + 1))^2 with n = 1.328, water at 905 nm met head-on. noise/detail/weather.hpp has
// the law of the strongest drop, the extinction and the limit of detection. A return from a drop has no entity.
//
// Sources: Marshall and Palmer, "The distribution of raindrops with size", Journal of Meteorology 5 (1948); n and the
// choice of the strongest return: Kilic et al., LISA, arXiv 2107.07004 (2021). LISA computes the extinction by Mie's
// theory, samples drops from 0.05 mm on, sees none nearer than 1.5 m, and starts its beam with a width of 0. Here the
// beam has a width at the sensor, and drops from nearest_m on are seen.
//
// Not modelled: splashes, wet surfaces, drops on the window of the sensor.

#include <span>
#include <vector>

#include <fathom/noise/detail/weather.hpp>

namespace fathom {

struct Rain {
  float rate_mm_per_h = 0.0F;
  float beam_m = 0.01F;
  float beam_rad = 0.0F;
  float nearest_m = 0.9F;

  static constexpr std::string_view kSlug = "rain";
  static constexpr std::string_view kDoc = "Rain: dims surfaces, and reports drops that return more light.";
  static constexpr Stage kStage = Stage::kReading;
  static constexpr DrawCount kDraws = {.uniforms = 2};
  static constexpr SurfaceNeeds kNeeds = {.power = true};

  static constexpr auto fields() { return drop_fields<Rain>("rate of rain; 0: dry"); }
  [[nodiscard]] constexpr bool is_identity() const { return rate_mm_per_h == 0.0F; }

  [[nodiscard]] static Rain on_beam(const Rain& p, float rad) { return widen_drops(p, rad); }
  [[nodiscard]] FATHOM_API DropLaw drops() const;
  [[nodiscard]] std::vector<float> tabulate() const { return DropTable::make(drops()); }

  static constexpr auto kLearned = kDropsLearned;
  [[nodiscard]] static SoftLawPtr soft_law(std::span<const float> table) { return strongest_drop_law(table); }

  static constexpr bool kDropsAlone = true;  ///< for drive.hpp
  FATHOM_KERNEL static PoweredReading apply(const Rain& /*p*/, const Ray& ray, const PoweredReading& in,
                                            const Receiver& receiver, const Draws<kDraws>& draws) {
    return see_through_drops(ray, in, receiver, draws);
  }
};

}  // namespace fathom

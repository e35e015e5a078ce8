// SPDX-License-Identifier: MIT
#pragma once
// amplitude: an error of the range that grows as less light comes back, as of time-of-flight cameras.
//
//   P = reflectivity law(incidence) / d^2, of a white surface met head-on at 1 m: 1 (noise/detail/power.hpp)
//   sigma^2 = stddev^2 + shot^2 / P + background^2 / P^2;   d := d + sigma N,   N ~ normal(0, 1) per return
//
// Photons of the camera's own light, of ambient light and dark current have Poisson statistics, so the phase of an
// amplitude A before a background B has the deviation sqrt(A + B) / A. Without background the deviation
// grows with d / sqrt(reflectivity), and in ambient light with d^2 / reflectivity. Source: Lange, Seitz, "Solid-state
// time-of-flight range camera", IEEE Journal of Quantum Electronics 37, 2001, equation 13; Falie, Buzuloiu, "Noise
// characteristics of 3D time-of-flight cameras", ISSCS 2007. The hit point moves as with distance. A P below 1e-9
// counts as 1e-9.
//
// Not modelled: constant errors that depend on the amplitude or the phase (wiggling), and saturation.

#include <array>

#include <fathom/core/f32.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct AmplitudeNoise {
  float stddev_m = 0.0F;
  float shot_m = 0.0F;
  float background_m = 0.0F;

  static constexpr std::string_view kSlug = "amplitude";
  static constexpr std::string_view kDoc = "Gaussian error of the range that grows as less light comes back.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.normals = 1};
  static constexpr SurfaceNeeds kNeeds = {.angles = true, .surface_power = true};

  static constexpr auto fields() {
    return std::array<Field<AmplitudeNoise>, 3>{{
        {"stddev_m", "m", &AmplitudeNoise::stddev_m, 0, 10, "standard deviation in bright light"},
        {"shot_m", "m", &AmplitudeNoise::shot_m, 0, 10, "deviation by shot noise, of a white surface at 1 m"},
        {"background_m", "m", &AmplitudeNoise::background_m, 0, 10,
         "deviation by ambient light and dark current, of a white surface at 1 m"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const {
    return stddev_m == 0.0F && shot_m == 0.0F && background_m == 0.0F;
  }

  FATHOM_KERNEL static Return apply(const AmplitudeNoise& p, const Return& hit, const Surface& surface,
                                    const Draws<kDraws>& draws) {
    const float inverse = 1.0F / math::select(surface.power > 1e-9F, surface.power, 1e-9F);
    const float dark = p.background_m * inverse;
    const float sigma_m = math::sqrt(p.stddev_m * p.stddev_m + p.shot_m * p.shot_m * inverse + dark * dark);
    return move_radially(hit, sigma_m * draws.normal[0]);
  }
};

}  // namespace fathom

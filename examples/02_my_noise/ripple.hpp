// SPDX-License-Identifier: MIT
#pragma once
// ripple: the cyclic error of range finders that measure a phase.
//
//   d := d + amplitude sin(2 pi d / period) + stddev N,   N ~ normal(0, 1) per return
//
// d is the range that the ray travelled, period half the modulation wavelength (10 MHz: 15 m). Ranges up to 1000
// periods are within the domain of fathom's sine. Not modelled: the jump where the phase wraps.

#include <array>

#include <fathom/noise/model.hpp>

struct Ripple {
  float amplitude_m = 0.0F;
  float period_m = 1.0F;
  float stddev_m = 0.0F;

  static constexpr std::string_view kSlug = "ripple";
  static constexpr std::string_view kDoc = "Sinusoidal error of the range, as of a phase measurement.";
  static constexpr fathom::Stage kStage = fathom::Stage::kRange;
  static constexpr fathom::DrawCount kDraws = {.normals = 1};

  static constexpr auto fields() {
    return std::array<fathom::Field<Ripple>, 3>{{
        {"amplitude_m", "m", &Ripple::amplitude_m, 0, 1, "largest error"},
        {"period_m", "m", &Ripple::period_m, 0.01, 1000, "range after which the error repeats"},
        {"stddev_m", "m", &Ripple::stddev_m, 0, 1, "deviation of the random part"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return amplitude_m == 0.0F && stddev_m == 0.0F; }

  FATHOM_KERNEL static fathom::Return apply(const Ripple& p, fathom::Return hit, const fathom::Draws<kDraws>& draws) {
    const float phase_rad = 2.0F * fathom::math::kPi * hit.range_m / p.period_m;
    return fathom::move_radially(hit,
                                 p.amplitude_m * fathom::math::sincos(phase_rad).sin + p.stddev_m * draws.normal[0]);
  }
};

// SPDX-License-Identifier: MIT
#pragma once
// subpixel_ripple: the interpolation between whole disparities is not linear, so depth is wrong in waves.
//
//   d = f B / z;   d' = d + amplitude sin(2 pi (d - phase));   z' = f B / d'
//
// The hit point moves along its line from the sensor origin, as with disparity. The error is the same for equal
// distances: on a wall that moves away, it repeats with each pixel of disparity, z^2 / (f B) apart. Typical amplitude:
// 0.02 to 0.1 px, by eye. List it before disparity, which then rounds the wrong value.
//
// Source: Grunnet-Jepsen, Sweetser, Khuong, Tong, Woodfill, "Subpixel linearity improvement for Intel RealSense depth
// camera D400 series", rev. 1.3: the error between discrete disparities, which the maker's A-factor divides by 3 to 5.
// The sine is its first harmonic, as issue 416 of gz-sensors asks for.
//
// Not modelled: higher harmonics, and the share of texture and slant in the amplitude.

#include <array>
#include <numbers>

#include <fathom/core/f64.hpp>
#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct SubpixelRipple {
  float amplitude_px = 0.0F;
  float phase_px = 0.0F;

  static constexpr std::string_view kSlug = "subpixel_ripple";
  static constexpr std::string_view kDoc = "Error of the disparity that repeats with each pixel of disparity.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {};
  static constexpr SurfaceNeeds kNeeds = {.camera = true, .baseline = true};

  static constexpr auto fields() {
    return std::array<Field<SubpixelRipple>, 2>{{
        {"amplitude_px", "px", &SubpixelRipple::amplitude_px, 0, 0.5, "largest error"},
        {"phase_px", "px", &SubpixelRipple::phase_px, -1, 1, "disparity at which the error is 0 and rises"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return amplitude_px == 0.0F; }
  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    return field == "phase_px" && amplitude_px == 0.0F ? "amplitude_px = 0" : "";
  }

  FATHOM_KERNEL static Reading apply(const SubpixelRipple& p, const Return& hit, const Surface& surface,
                                     const Draws<kDraws>& /*draws*/) {
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer below 2^22
    const float exact = surface.optics.fx_px * surface.optics.baseline_m / hit.x;
    const float from_zero = exact - p.phase_px;
    const bool has_fraction = from_zero < 4194304.0F && from_zero > -4194304.0F;
    const float fraction = math::select(has_fraction, from_zero - ((from_zero + kRound) - kRound), 0.0F);
    const float measured = exact + p.amplitude_px * math::sincos(2.0F * std::numbers::pi_v<float> * fraction).sin;
    const bool same = measured == exact, has_range = same | (measured > 0.0F);
    // z' / z = d / d': exactly 1 when nothing was added.
    const float stretch = math::select(same | !has_range, 1.0F, exact / math::select(has_range, measured, 1.0F));
    return {move_radially(hit, hit.radius_m * (stretch - 1.0F)), has_range ? Reason::kHit : Reason::kAboveMaxRange};
  }

  static void act(const SubpixelRipple& p, MeasuredRangeLaw& law) {
    if (law.from_disparity || law.is_random()) law.unknown = "a random error before the ripple of the disparity";
    const double exact = law.focal_baseline_px_m * law.ray_per_depth / law.mean_m;
    const double phase = 2.0 * std::numbers::pi * (exact - double{p.phase_px});
    const double measured = exact + double{p.amplitude_px} * math::sin(phase);
    if (measured > 0.0) return law.stretch(exact / measured, 0.0);
    law.unknown = "a range so far that the ripple leaves no disparity";
  }
};

}  // namespace fathom

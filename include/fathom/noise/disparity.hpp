// SPDX-License-Identifier: MIT
#pragma once
// disparity: a stereo camera measures disparity, and an error of the disparity becomes an error of the depth.
//
//   d = f B / z;   d' = d + bias + sigma N, rounded to a multiple of 1 / steps_per_px;   z' = f B / d'
//
// z is the distance of the hit point to the image plane, f the camera's focal length in pixels, B its baseline. The hit
// point moves along its line from the sensor origin. On a plane at z this gives a deviation z^2 sigma / (f B) and
// levels z^2 / (steps_per_px f B) apart. Typical: sigma 0.03 to 0.1 px, 8 to 32 steps. A disparity at or below 0 has no
// range: the return is lost as above the maximum range, whatever the range policy.
//
// Errors that neighbours share: noise/correlation.hpp. Not modelled: errors that depend on texture.

#include <array>

#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct Disparity {
  float bias_px = 0.0F;
  float stddev_px = 0.0F;
  float steps_per_px = 0.0F;

  static constexpr std::string_view kSlug = "disparity";
  static constexpr std::string_view kStddevPx = "stddev_px", kStepsPerPx = "steps_per_px";  ///< names of parameters
  static constexpr std::string_view kDoc = "Error and rounding of the disparity that a stereo camera measures.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.normals = 1};
  static constexpr SurfaceNeeds kNeeds = {.camera = true, .baseline = true};

  static constexpr auto fields() {
    return std::array<Field<Disparity>, 3>{{
        {"bias_px", "px", &Disparity::bias_px, -100, 100, "mean error"},
        {kStddevPx, "px", &Disparity::stddev_px, 0, 100, "standard deviation"},
        {kStepsPerPx, "1/px", &Disparity::steps_per_px, 0, 65536, "levels in one pixel of disparity; 0: no rounding"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const {
    return bias_px == 0.0F && stddev_px == 0.0F && steps_per_px == 0.0F;
  }

  FATHOM_KERNEL static Reading apply(const Disparity& p, const Return& hit, const Surface& surface,
                                     const Draws<kDraws>& draws) {
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer below 2^22
    const float fb = surface.optics.fx_px * surface.optics.baseline_m;
    const float exact = fb / hit.x;
    const float d = exact + p.bias_px + p.stddev_px * draws.normal[0];
    const bool rounds = p.steps_per_px > 0.0F;
    const float scaled = d * p.steps_per_px;
    const bool small = scaled < 4194304.0F && scaled > -4194304.0F;
    const float level = math::select(small, (scaled + kRound) - kRound, scaled);
    const float measured = math::select(rounds, level / math::select(rounds, p.steps_per_px, 1.0F), d);
    const bool same = measured == exact, has_range = same | (measured > 0.0F);
    // z' / z = d / d': exactly 1 when nothing was added.
    const float stretch = math::select(same | !has_range, 1.0F, exact / math::select(has_range, measured, 1.0F));
    return {move_radially(hit, hit.radius_m * (stretch - 1.0F)), has_range ? Reason::kHit : Reason::kAboveMaxRange};
  }

  static constexpr std::array<LearnedField, 3> kLearned = {
      {{"bias_px"}, {kStddevPx}, {kStepsPerPx, LearnedRole::kLevels, 1, "a camera has no rings"}}};
  static double level_of(const Optics& optics, double depth_m) {
    return double{optics.fx_px * optics.baseline_m} / depth_m;
  }
  static void act(const Disparity& p, MeasuredRangeLaw& law) {
    law.measure_disparity(double{p.bias_px}, double{p.stddev_px}, double{p.steps_per_px});
  }
};

}  // namespace fathom

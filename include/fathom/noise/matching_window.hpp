// SPDX-License-Identifier: MIT
#pragma once
// matching_window: how the matching of blocks changes the shapes that a stereo camera sees.
//
//   d = f B / z of each valid pixel; W = the (2 radius + 1) x (2 radius + 1) pixels around it that are in the image and
//   valid, n of them
//
//   surfaces    W sorted by d: a step above max_step starts a new surface
//   candidates  the surfaces with at least share n pixels
//   the pixel   takes the candidate of the largest d, with the d' that this surface's plane has at the pixel (least
//               squares of d over its pixels in W); z' = f B / d' along the pixel's own ray, without the noise of
//               angular_ray: a turned ray moves its surface in the image, and so the silhouettes
//   lost        (edge) without a candidate; also when the chosen one has fewer than sure_share n pixels. With flying,
//               such a pixel takes the mean of its d' and that of the next candidate instead, where there is one.
//               Also lost where n is less than valid_share (m + 0.4 o), with m of the window's pixels in the image and
//               o outside, unless n = m: beside a shadow, and at the border of the image beside a small hole. The
//               weight 0.4 is fitted to raw frames of a D435i. With a valid_share, a hidden pixel between two valid
//               ones of its row is matched like a valid one
//   speckle     4-connected regions of the image so made, whose neighbouring pixels differ by less than max_step,
//               are lost (speckle) when they have fewer than min_area pixels
//
// So a near object grows: a half plane by r + 1 - share (2 r + 1) pixels, rounded down. A bar narrower than
// share (2 r + 1) pixels disappears. A plane stays the same except for rounding, whatever its slant; a curved surface
// becomes smoother. A pixel shows the entity, label, triangle, normal, incidence and intensity of the surface taken, as
// the ray of the nearest pixel of that surface met it: along its own ray it might be seen from behind. Clean values and
// energy stay the values of the pixel's own ray.
//
// Valid are the pixels that the models of loss have left. Every other pixel stays lost, with its reason, except the
// hidden one above. radius and min_area are rounded to whole numbers; radius 0 leaves disparities alone. Nothing is
// drawn. A chain has one such model.
//
// Source: the fronto-parallel window of block matching; Hirschmueller, Innocent, Garibaldi, "Real-time
// correlation-based stereo vision with reduced border errors", IJCV 47, 2002, section 1, on how it fattens near
// surfaces, and the speckle filter of stereo matchers. On a plane d is linear in column and row: exact for a
// pinhole camera.
//
// Not modelled: the similarity of the textures of two surfaces, which decides between them in a camera, and fattening
// into regions that a camera does not see: shadows wider than a pixel stay lost.

#include <array>

#include <fathom/noise/detail/window.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct MatchingWindow {
  float radius_px = 3.0F;
  float share = 0.25F;
  float sure_share = 0.0F;
  bool flying = false;
  float min_area_px = 0.0F;
  float max_step_px = 1.0F;
  float valid_share = 0.0F;

  static constexpr std::string_view kSlug = "matching_window";
  static constexpr std::string_view kDoc =
      "Shapes silhouettes as block matching does: near surfaces grow, thin ones disappear.";
  static constexpr std::string_view kNote =
      "The window is a rule of surfaces, not a search over images: it knows which surfaces there are, and not how "
      "alike they look.";
  static constexpr Stage kStage = Stage::kImage;
  static constexpr DrawCount kDraws = {};
  static constexpr SurfaceNeeds kNeeds = {.neighbours = true, .camera = true, .baseline = true};

  static constexpr auto fields() {
    return std::array<Field<MatchingWindow>, 7>{{
        {"radius_px", "px", &MatchingWindow::radius_px, 0, WindowRule::kMostRadius,
         "the window has 2 radius + 1 pixels a side; 0: no window"},
        {"share", "1", &MatchingWindow::share, 0, 1, "share of the window's valid pixels that a surface needs"},
        {"sure_share", "1", &MatchingWindow::sure_share, 0, 1,
         "share below which the chosen surface is unsure; no effect up to share"},
        {"flying", "1", &MatchingWindow::flying, 0, 1,
         "whether an unsure pixel gets the mean of two surfaces instead of being lost"},
        {"min_area_px", "px", &MatchingWindow::min_area_px, 0, 1e6, "smallest region that is kept"},
        {"max_step_px", "px", &MatchingWindow::max_step_px, 1e-3, 1e4, "largest step of disparity within a surface"},
        {"valid_share", "1", &MatchingWindow::valid_share, 0, 1,
         "share of the window's pixels that must be valid; pixels outside the image count as 0.4"},
    }};
  }

  [[nodiscard]] constexpr WindowRule window() const {
    return {.radius_px = static_cast<std::int32_t>(radius_px + 0.5F),  // NOLINT: it is not negative
            .share = share,
            .sure_share = sure_share,
            .valid_share = valid_share,
            .max_step_px = max_step_px,
            .min_area_px = static_cast<std::uint32_t>(min_area_px + 0.5F),  // NOLINT: nor is it
            .flying = flying};
  }

  /// Also when the window is a pixel and so is the least area.
  [[nodiscard]] constexpr bool is_identity() const { return window().radius_px == 0 && window().min_area_px <= 1; }

  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    const bool has_no_use = field == "flying" && flying && !(sure_share > share);
    return has_no_use ? "sure_share is not above share, so every chosen surface is sure" : "";
  }
};

}  // namespace fathom

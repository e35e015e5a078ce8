// SPDX-License-Identifier: MIT
#pragma once
// invalid_band: the part of the left image that the right image does not contain, and points too near to match.
//
//   d = f B / z;   lost, hidden from the right camera, when u - d < margin;   lost as too near when d > max_disparity
//
// u is the pixel's column, z its distance to the image plane. The band at the left edge of an image whose reference is
// the left imager is ceil(f B / z + margin) columns wide on a wall at z. margin is the part of a matching window that
// must lie in the right image. max_disparity is the search range of the matcher, and
// so a smallest depth, f B / max_disparity. Typical: 126 px.
//
// Not modelled: matchers that search to both sides, and images whose reference is not the left imager. So left_band
// needs a left camera at the sensor's origin and a right camera beside it.

#include <array>

#include <fathom/core/error.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct InvalidBand {
  bool left_band = true;
  float max_disparity_px = kNoLimit;
  float margin_px = 0.0F;

  static constexpr float kNoLimit = 1e6F;

  static constexpr std::string_view kSlug = "invalid_band";
  static constexpr std::string_view kDoc = "Loses the band that the right image lacks, and points too near to match.";
  static constexpr Stage kStage = Stage::kShadow;
  static constexpr DrawCount kDraws = {};
  static constexpr SurfaceNeeds kNeeds = {.camera = true, .baseline = true};

  static constexpr auto fields() {
    return std::array<Field<InvalidBand>, 3>{{
        {"left_band", "1", &InvalidBand::left_band, 0, 1, "whether the left band is lost"},
        {"max_disparity_px", "px", &InvalidBand::max_disparity_px, 1, kNoLimit, "largest disparity that is matched"},
        {"margin_px", "px", &InvalidBand::margin_px, 0, 64, "columns at the border of the right image without matches"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return !left_band && max_disparity_px >= kNoLimit; }

  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    return field == "margin_px" && margin_px > 0.0F && !left_band ? "left_band = false" : "";
  }

  /// Throws InputError when left_band is set and the image is not the left camera's: only that image has the band at
  /// its left edge.
  void check_on(const SensorTraits& sensor) const {
    if (!left_band || sensor.left_is_reference) return;
    throw InputError(
        "invalid_band.left_band = true is for the left camera at the sensor's origin and the right one beside it "
        "(reference = left); with other cameras switch it off");
  }

  /// Nearer than f B / max_disparity nothing is matched.
  [[nodiscard]] constexpr double least_depth_m(const Optics& optics) const {
    return max_disparity_px < kNoLimit ? double{optics.fx_px * optics.baseline_m} / double{max_disparity_px} : 0.0;
  }

  FATHOM_KERNEL static Reason apply(const InvalidBand& p, const Return& hit, const Surface& surface,
                                    const Draws<kDraws>& /*draws*/) {
    const Optics& optics = surface.optics;
    const float d = optics.fx_px * optics.baseline_m / hit.x;
    const float u = optics.cx_px - optics.fx_px * (hit.y / hit.x);
    // Columns are whole numbers; the slack keeps a ray's rounding from deciding about a whole column.
    const bool outside = p.left_band & (u - d < p.margin_px - 1e-3F);
    const Reason band = outside ? Reason::kHiddenRight : Reason::kHit;
    return ((p.max_disparity_px < kNoLimit) & (d > p.max_disparity_px)) ? Reason::kBelowMinRange : band;
  }

  static constexpr std::array<LearnedField, 1> kLearned = {{{"max_disparity_px", LearnedRole::kThreshold}}};
  FATHOM_KERNEL static double loss_probability(const InvalidBand& p, const Return& hit, const Surface& surface) {
    return double{math::select(apply(p, hit, surface, {}) == Reason::kHit, 0.0F, 1.0F)};
  }
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// blind_zone: a model that the library does not know. It needs more of the sensor and of the chain than a surface, by
// its own members: adding it touched this header and one line of the list in laws_test.cpp.
//
//   lost with probability `share` when 0 <= x < depth

#include <array>

#include <fathom/core/error.hpp>
#include <fathom/noise/model.hpp>

namespace fathom::test {

struct BlindZone {
  float depth_m = 0.0F;
  float share = 1.0F;

  static constexpr std::string_view kSlug = "blind_zone";
  static constexpr std::string_view kDoc = "Loses returns nearer to the image plane than a depth.";
  static constexpr Stage kStage = Stage::kShadow;
  static constexpr DrawCount kDraws = {.uniforms = 1};
  static constexpr std::array<SameInChain, 1> kSameInChain = {{{"depth_m", "a camera has one blind zone"}}};

  static constexpr auto fields() {
    return std::array<Field<BlindZone>, 2>{{
        {"depth_m", "m", &BlindZone::depth_m, 0, 10, "where the zone ends"},
        {"share", "1", &BlindZone::share, 0, 1, "probability of loss within it"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return depth_m == 0.0F || share == 0.0F; }

  void check_on(const SensorTraits& sensor) const {
    if (!(sensor.optics.fx_px > 0.0F)) throw InputError("blind_zone is that of a camera");
  }

  [[nodiscard]] constexpr double least_depth_m(const Optics& /*optics*/) const {
    return share >= 1.0F ? double{depth_m} : 0.0;
  }

  FATHOM_KERNEL static Reason apply(const BlindZone& p, const Return& hit, const Draws<kDraws>& draws) {
    const bool within = (hit.x >= 0.0F) & (hit.x < p.depth_m);
    return (within & (draws.uniform[0] < p.share)) ? Reason::kBelowMinRange : Reason::kHit;
  }
};

}  // namespace fathom::test

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include <fathom/noise/custom.hpp>

namespace fathom::test {

/// A model of a user's own.
struct HalfRange {
  float share = 0.5F;

  static constexpr std::string_view kSlug = "half_range";
  static constexpr std::string_view kDoc = "Halves every range.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {};
  static constexpr auto fields() {
    return std::array<Field<HalfRange>, 1>{{{"share", "1", &HalfRange::share, 0, 1, "of the range that is left"}}};
  }
  [[nodiscard]] constexpr bool is_identity() const { return share == 1.0F; }
  FATHOM_KERNEL static Return apply(const HalfRange& p, Return hit, const Draws<kDraws>& /*draws*/) {
    return move_radially(hit, (p.share - 1.0F) * hit.range_m);
  }
};

}  // namespace fathom::test

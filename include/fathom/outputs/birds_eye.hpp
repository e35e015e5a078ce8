// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fathom/files/pictures.hpp>
#include <fathom/outputs/kind.hpp>
#include <fathom/outputs/picture_fields.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// The points from above (write_birds_eye_view).
struct BirdsEyeOutput {
  ColorBy color = ColorBy::kRange;
  std::optional<double> max_range_m = {};  ///< the last colour; farther points are left out. Empty: no limit
  std::uint32_t pixels = 1024;             ///< along the longer side
  bool legend = true;                      ///< colour bar or key below, and coordinates

  static constexpr std::string_view kSlug = "birds_eye";
  static constexpr std::string_view kFile = "birds_eye_000000.png";
  static constexpr std::string_view kDoc = "the points from above";
  static constexpr auto fields() {
    return std::array<Field<BirdsEyeOutput>, 4>{{
        color_field<BirdsEyeOutput>(),
        max_range_field<BirdsEyeOutput>("as for range_image; points that are farther are left out, m"),
        {"pixels", "1", &BirdsEyeOutput::pixels, kLeastViewPixels, kMostViewPixels, "along the longer side"},
        legend_field<BirdsEyeOutput>(),
    }};
  }

  [[nodiscard]] FATHOM_API ChannelSet needs(const Sensor& sensor) const;
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom

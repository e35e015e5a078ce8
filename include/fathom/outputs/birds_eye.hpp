// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fathom/files/pictures.hpp>
#include <fathom/outputs/kind.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// The points from above (write_birds_eye_view).
struct BirdsEyeOutput {
  ColorBy color = ColorBy::kRange;
  std::optional<double> max_range_m = {};  ///< also, points that are farther are left out; nothing: none is
  std::uint32_t pixels = 1024;             ///< along the longer side
  bool legend = true;                      ///< colour bar or key below, and coordinates

  static constexpr std::string_view kSlug = "birds_eye";
  static constexpr std::string_view kFile = "birds_eye_000000.png";
  static constexpr std::string_view kDoc = "the points from above";
  static constexpr auto fields() {
    return std::array<Field<BirdsEyeOutput>, 4>{{
        {"color", "range|entity|reason", choice<&BirdsEyeOutput::color>, 0, 0, "coloured by range, entity or reason"},
        {.name = "max_range_m",
         .unit = "m",
         .member = &BirdsEyeOutput::max_range_m,
         .low = 1e-3,
         .high = 1e6,
         .doc = "as for range_image; points that are farther are left out, m",
         .default_text = ""},
        {"pixels", "1", &BirdsEyeOutput::pixels, kLeastViewPixels, kMostViewPixels, "along the longer side"},
        {"legend", "1", &BirdsEyeOutput::legend, 0, 0, "whether a bar or key of the colours stands below"},
    }};
  }

  [[nodiscard]] FATHOM_API ChannelSet needs(const Sensor& sensor) const;
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom

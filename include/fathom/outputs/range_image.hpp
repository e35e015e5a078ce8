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

/// A picture of a pixel per ray (write_range_image), or, of a sensor whose rays are no grid, of dots where they point
/// (write_angle_image).
struct RangeImageOutput {
  ColorBy color = ColorBy::kRange;
  std::optional<double> max_range_m = {};  ///< the range that gets the last colour; nothing: chosen for each picture
  bool destagger = false;           ///< columns are directions, not times; for a SpinningLidar that turns once round
  bool legend = true;               ///< colour bar or key below
  std::uint32_t return_number = 0;  ///< which return of each ray, from 0

  static constexpr std::string_view kSlug = "range_image";
  static constexpr std::string_view kFile = "range_image_000000.png";
  static constexpr std::string_view kDoc = "the frame as a picture, a pixel per ray";
  static constexpr auto fields() {
    return std::array<Field<RangeImageOutput>, 5>{{
        color_field<RangeImageOutput>(),
        max_range_field<RangeImageOutput>(),
        {"destagger", "1", &RangeImageOutput::destagger, 0, 0,
         "whether columns of a spinning lidar are directions, not times"},
        return_field<RangeImageOutput>(),
        legend_field<RangeImageOutput>(),
    }};
  }

  [[nodiscard]] FATHOM_API ChannelSet needs(const Sensor& sensor) const;
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fathom/outputs/kind.hpp>
#include <fathom/outputs/picture_fields.hpp>

namespace fathom {

enum class LabelValues : std::uint8_t { kColor, kId };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<LabelValues> = {"color", "id"};

/// The class of what each pixel shows: colours with a legend (write_label_picture), or ids in 16 bits
/// (write_label_ids), which have no legend.
struct LabelPictureOutput {
  LabelValues values = LabelValues::kColor;
  bool legend = true;               ///< the key of the labels below a picture of colours
  std::uint32_t return_number = 0;  ///< which return of each ray, from 0

  static constexpr std::string_view kSlug = "label_picture";
  static constexpr std::string_view kFile = "label_000000.png";
  static constexpr std::string_view kDoc = "the label of what each pixel shows";
  static constexpr auto fields() {
    return std::array<Field<LabelPictureOutput>, 3>{{
        {"values", "color|id", choice<&LabelPictureOutput::values>, 0, 0, "colours, or ids in 16 bits"},
        return_field<LabelPictureOutput>(),
        legend_field<LabelPictureOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kLabel, Channel::kEntityId}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom

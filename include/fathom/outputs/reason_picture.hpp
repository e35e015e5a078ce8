// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fathom/outputs/kind.hpp>
#include <fathom/outputs/picture_fields.hpp>

namespace fathom {

/// Why each pixel is there or missing (write_reason_picture).
struct ReasonPictureOutput {
  bool legend = true;               ///< the key of the reasons below
  std::uint32_t return_number = 0;  ///< which return of each ray, from 0

  static constexpr std::string_view kSlug = "reason_picture";
  static constexpr std::string_view kFile = "reason_000000.png";
  static constexpr std::string_view kDoc = "why each pixel is there or missing";
  static constexpr auto fields() {
    return std::array<Field<ReasonPictureOutput>, 2>{{
        return_field<ReasonPictureOutput>(),
        legend_field<ReasonPictureOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kReason}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom

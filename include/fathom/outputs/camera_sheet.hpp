// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fathom/outputs/kind.hpp>
#include <fathom/outputs/picture_fields.hpp>

namespace fathom {

/// Clean depth, noisy depth, reasons and energy on one sheet (write_camera_sheet).
struct CameraSheetOutput {
  std::optional<double> max_range_m = {};  ///< the depth that gets the last colour; nothing: chosen for each picture
  std::uint32_t return_number = 0;         ///< which return of each ray, from 0

  static constexpr std::string_view kSlug = "camera_sheet";
  static constexpr std::string_view kFile = "sheet_000000.png";
  static constexpr std::string_view kDoc = "clean depth, noisy depth, reasons and energy";
  static constexpr auto fields() {
    return std::array<Field<CameraSheetOutput>, 2>{{
        max_range_field<CameraSheetOutput>(),
        return_field<CameraSheetOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const {
    return {Channel::kCleanDepth, Channel::kDepth, Channel::kReason, Channel::kEnergy};
  }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom

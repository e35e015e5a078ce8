// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fathom/files/depth.hpp>
#include <fathom/frame/lost_value.hpp>
#include <fathom/outputs/kind.hpp>
#include <fathom/outputs/picture_fields.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// Only what 16 bits can hold may stand for a lost pixel.
inline constexpr std::array<LostValue, 3> kLostLevels = {LostValue::kZero, LostValue::kInf, LostValue::kMax};

/// Depths or ranges as 16-bit pictures. The sensor's farthest range must fit; what noise or a far surface carries
/// beyond counts as lost.
struct DepthPngOutput {
  Channel channel = Channel::kDepth;  ///< of kLengthChannels
  double per_m = 1000.0;              ///< levels per metre
  LostValue lost = LostValue::kZero;  ///< of kLostLevels; kMax: the sensor's farthest range
  std::uint32_t return_number = 0;    ///< which return of each ray, from 0

  static constexpr std::string_view kSlug = "depth_png";
  static constexpr std::string_view kFile = "depth_000000.png";
  static constexpr std::string_view kDoc = "depths or ranges in 16 bits, per_m levels a metre";
  static constexpr auto fields() {
    return std::array<Field<DepthPngOutput>, 4>{{
        {"channel", "", choice_among<&DepthPngOutput::channel, kLengthChannels>, 0, 0, "what the picture holds"},
        {"per_m", "1/m", &DepthPngOutput::per_m, kLeastLevelsPerM, kMostLevelsPerM, "levels per metre"},
        {"lost", "", choice_among<&DepthPngOutput::lost, kLostLevels>, 0, 0, "level of lost pixels"},
        return_field<DepthPngOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {channel}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom

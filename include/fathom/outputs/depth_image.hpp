// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fathom/outputs/kind.hpp>
#include <fathom/outputs/picture_fields.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// How pixels of a depth image hold their depth: float32 in metres, NaN where lost, or uint16 in millimetres, 0 where
/// lost (REP 118).
enum class DepthEncoding : std::uint8_t { k32FC1, k16UC1 };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<DepthEncoding> = {"32FC1", "16UC1"};

/// Depths of a camera as serialised messages sensor_msgs/msg/Image, in the frame NAME_optical. Its encoding is also
/// that of the sensor's images in bags and topics. Millimetres reach to 65.535 m; what noise carries beyond counts as
/// lost.
struct DepthImageOutput {
  DepthEncoding encoding = DepthEncoding::k32FC1;
  std::uint32_t return_number = 0;  ///< which return of each ray, from 0

  static constexpr std::string_view kSlug = "depth_image";
  static constexpr std::string_view kFile = "depth_000000.cdr";
  static constexpr std::string_view kDoc = "depths, a serialised Image (ROS 2)";
  static constexpr auto fields() {
    return std::array<Field<DepthImageOutput>, 2>{{
        {"encoding", "", choice<&DepthImageOutput::encoding>, 0, 0, "32FC1: metres; 16UC1: millimetres, 0 where lost"},
        return_field<DepthImageOutput>(),
    }};
  }

  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kDepth}; }
  [[nodiscard]] FATHOM_API std::vector<OutputFile> files(const Sensor& sensor) const;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The channels that a frame can hold, as a table for help and reference pages.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

enum class ElementType : std::uint8_t { kUint8, kUint16, kUint32, kFloat32 };
inline constexpr std::array<std::string_view, 4> kElementTypeNames = {"uint8", "uint16", "uint32", "float32"};
constexpr std::string_view to_string(ElementType type) { return kElementTypeNames[static_cast<std::size_t>(type)]; }
constexpr unsigned size_of(ElementType type) {
  return type == ElementType::kUint8 ? 1 : type == ElementType::kUint16 ? 2 : 4;
}

/// An array of a frame: the elements of its NPY file.
struct ChannelInfo {
  Channel channel;
  ElementType type;
  unsigned planes;        ///< values per ray: 1, or 3 of a point
  std::string_view unit;  ///< "m", "rad", "s", or empty
  std::string_view doc;

  [[nodiscard]] constexpr std::string_view name() const { return to_string(channel); }
  /// Of the values of one ray.
  [[nodiscard]] constexpr unsigned bytes() const { return size_of(type) * planes; }
};

/// All channels, in the order of Channel.
FATHOM_API std::span<const ChannelInfo> channel_list();
/// One of them.
FATHOM_API const ChannelInfo& channel_info(Channel channel);

}  // namespace fathom

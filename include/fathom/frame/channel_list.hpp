// SPDX-License-Identifier: MIT
#pragma once
// The channels that a frame can hold, as a table for help and reference pages.

#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

/// An array of a frame: the elements of its NPY file.
struct ChannelInfo {
  Channel channel;
  std::string_view type;  ///< "float32", "uint32", "uint16", "uint8"
  unsigned planes;        ///< values per ray: 1, or 3 of a point
  std::string_view unit;  ///< "m", "rad", "s", or empty
  std::string_view doc;

  [[nodiscard]] constexpr std::string_view name() const { return to_string(channel); }
  /// Of the values of one ray.
  [[nodiscard]] constexpr unsigned bytes() const {
    return (type == "uint8" ? 1U : type == "uint16" ? 2U : 4U) * planes;
  }
};

/// All channels, in the order of Channel.
FATHOM_API std::span<const ChannelInfo> channel_list();

}  // namespace fathom

#pragma once
// What a scene file can ask a sensor to write, as tables: for help and for reference pages.

#include <span>
#include <string_view>

#include <fathom/export.hpp>
#include <fathom/frame.hpp>
#include <fathom/output.hpp>

namespace fathom {

/// A key of an output.
struct OutputOptionInfo {
  std::string_view name;
  std::string_view default_value;  ///< as scene files write it; empty: chosen for each picture, or nothing
  std::string_view doc;
};

/// A kind of output, by the word that scene files use.
struct OutputInfo {
  OutputKind kind;
  std::string_view word;
  std::string_view file;  ///< of the first frame, in the sensor's folder
  std::string_view doc;
  std::span<const OutputOptionInfo> options = {};
};

/// All kinds, in the order of OutputKind.
FATHOM_API std::span<const OutputInfo> output_list();

/// An array of a frame: the elements of its NPY file.
struct ChannelInfo {
  Channel channel;
  std::string_view type;  ///< "float32", "uint32", "uint16", "uint8"
  unsigned planes;        ///< values per ray: 1, or 3 of a point
  std::string_view unit;  ///< "m", "rad", "s", or empty
  std::string_view doc;

  [[nodiscard]] constexpr std::string_view name() const { return to_string(channel); }
};

/// All channels, in the order of Channel.
FATHOM_API std::span<const ChannelInfo> channel_list();

/// Bytes of one value of a channel.
FATHOM_API unsigned bytes_of(const ChannelInfo& channel);

}  // namespace fathom

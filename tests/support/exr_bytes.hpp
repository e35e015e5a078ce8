// SPDX-License-Identifier: MIT
#pragma once
// Files of OpenEXR by hand, as "OpenEXR File Layout" describes them: lines of pixels without compression.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::test {

struct ExrChannel {
  std::string name;
  std::int32_t type = 2;  ///< 0: whole numbers; 1: half; 2: float
  std::int32_t step = 1;  ///< between the pixels that it has
};

/// An image of cols x rows pixels. `line`: the bytes of each line, the channels in the order of their names.
struct ExrBytes {
  std::int32_t cols = 0, rows = 0;
  std::vector<ExrChannel> channels;
  std::string line;
  std::int32_t left = 0;  ///< of the data window; the display window begins at 0
  std::uint32_t version = 2;
  std::string bytes = {};

  template <class T>
  void put(const T& value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  void put_text(std::string_view text) { bytes += std::string(text) + '\0'; }
  template <class... Values>
  void attribute(std::string_view name, std::string_view type, Values... values) {
    put_text(name), put_text(type);
    put(static_cast<std::int32_t>((sizeof(Values) + ... + 0)));
    (put(values), ...);
  }
  void put_channels() {
    std::size_t size = 1;
    for (const ExrChannel& c : channels) size += c.name.size() + 17;
    put_text("channels"), put_text("chlist");
    put(static_cast<std::int32_t>(size));
    for (const ExrChannel& c : channels) {
      put_text(c.name);
      put(c.type), put(std::int32_t{0}), put(c.step), put(c.step);
    }
    bytes += '\0';
  }
  std::string made() {
    put(std::uint32_t{20000630}), put(version);
    put_channels();
    attribute("compression", "compression", std::uint8_t{0});
    attribute("dataWindow", "box2i", left, std::int32_t{0}, left + cols - 1, rows - 1);
    attribute("displayWindow", "box2i", std::int32_t{0}, std::int32_t{0}, cols - 1, rows - 1);
    attribute("lineOrder", "lineOrder", std::uint8_t{0});
    attribute("pixelAspectRatio", "float", 1.0F);
    attribute("screenWindowCenter", "v2f", 0.0F, 0.0F);
    attribute("screenWindowWidth", "float", 1.0F);
    bytes += '\0';
    const std::size_t first = bytes.size() + static_cast<std::size_t>(rows) * 8;
    for (std::int32_t y = 0; y < rows; ++y) put(std::uint64_t{first + static_cast<std::size_t>(y) * (line.size() + 8)});
    for (std::int32_t y = 0; y < rows; ++y) {
      put(y), put(static_cast<std::int32_t>(line.size()));
      bytes += line;
    }
    return bytes;
  }
};

template <class T>
std::string bytes_of_line(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace fathom::test

// SPDX-License-Identifier: MIT
#pragma once
// sensor_msgs/msg/Image.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "message/header.hpp"

namespace fathom::msg {

/// Rows of pixels: 32FC1 is float32 in metres, NaN where lost; 16UC1 and mono16 are uint16 in
/// millimetres, 0 where lost.
struct Image {
  Header header;  ///< an optical frame: z forward, x right, y down
  std::uint32_t height = 0, width = 0;
  std::string encoding;
  std::uint8_t is_bigendian = 0;
  std::uint32_t step = 0;           ///< bytes of a row
  std::span<const std::byte> data;  ///< [height, step]

  static constexpr std::array kParts = {&Header::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/Image",
                                        "std_msgs/Header header\n"
                                        "uint32 height\n"
                                        "uint32 width\n"
                                        "string encoding\n"
                                        "uint8 is_bigendian\n"
                                        "uint32 step\n"
                                        "uint8[] data\n",
                                        "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.height, m.width, m.encoding, m.is_bigendian, m.step, m.data);
  }
  /// Throws InputError when rows reach beyond the bytes.
  void check() const;
};

}  // namespace fathom::msg

// SPDX-License-Identifier: MIT
#pragma once
// sensor_msgs/msg/CompressedImage.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "message/header.hpp"

namespace fathom::msg {

/// The depths that compressed_depth_image_transport put into a CompressedImage: a grey PNG of 16 bits. A level q is
/// millimetres, or, where `is_inverse`, the depth a / (q - b) in metres. Level 0 is a hole.
struct CompressedDepth {
  bool is_inverse = false;
  float a = 0.0F, b = 0.0F;
  std::uint32_t rows = 0, cols = 0;
  std::span<const std::byte> png;
};

/// A picture in a compressed format: JPEG, PNG, or compressed depths.
struct CompressedImage {
  Header header;                    ///< an optical frame: z forward, x right, y down
  std::string format;               ///< "16UC1; compressedDepth png", "rgb8; jpeg compressed bgr8"
  std::span<const std::byte> data;  ///< of depths: 12 bytes of configuration, then the PNG

  static constexpr std::array kParts = {&Header::kType};
  static constexpr MessageType kType = {"sensor_msgs/msg/CompressedImage",
                                        "std_msgs/Header header\n"
                                        "string format\n"
                                        "uint8[] data\n",
                                        "RIHS01_15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a",
                                        kParts};
  template <class Self, class Cdr>
  static void fields(Self& m, Cdr& cdr) {
    cdr(m.header, m.format, m.data);
  }
  /// The depths; nothing where the format names another kind of picture. Throws InputError for a damaged head, and for
  /// compressions and encodings that are not read.
  [[nodiscard]] std::optional<CompressedDepth> depth() const;
};

}  // namespace fathom::msg

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace fathom {

/// Grey values [rows, cols], row 0 at the top.
struct GreyImage {
  std::uint32_t rows = 0, cols = 0;
  std::uint16_t white = 1;           ///< the value that stands for white; 0 is black
  std::vector<std::uint16_t> value;  ///< up to `white`
  std::vector<std::uint8_t> alpha;   ///< 255: opaque; empty where the image has none
};

/// Reads PGM (P2, P5, 8 or 16 bits; nothing may follow the pixels) or PNG (colours averaged), recognised by content; at
/// most 32768 pixels a side. Throws InputError.
GreyImage read_grey_image(const std::filesystem::path& file);

}  // namespace fathom

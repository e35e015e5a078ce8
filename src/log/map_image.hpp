// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fathom {

/// Grey values [rows, cols], row 0 at the top.
struct GreyImage {
  std::uint32_t rows = 0, cols = 0;
  std::uint16_t white = 1;              ///< the value that stands for white; 0 is black
  std::vector<std::uint16_t> value;     ///< up to `white`
  std::vector<std::uint8_t> alpha;      ///< 255: opaque; empty: the image has no alpha channel
  std::vector<std::string> notes = {};  ///< what the file holds beside the image, a line each
};

/// Most pixels a side.
inline constexpr std::uint32_t kMostMapSide = 32768;

/// Throws InputError "file: what".
[[noreturn]] void fail_image(const std::filesystem::path& file, const std::string& what);

/// Throws InputError unless each side has 1 to kMostMapSide pixels.
void check_image_sides(const std::filesystem::path& file, std::uint64_t cols, std::uint64_t rows);

/// Reads PGM (P2, P5, 8 or 16 bits) or PNG (colours averaged), recognised by content; at
/// most kMostMapSide pixels a side. Throws InputError.
GreyImage read_grey_image(const std::filesystem::path& file);

}  // namespace fathom

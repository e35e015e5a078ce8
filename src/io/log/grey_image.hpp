// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// Grey values [rows, cols], with row 0 at the top.
struct GreyImage {
  std::uint32_t rows = 0, cols = 0;
  std::uint16_t white = 1;              ///< the value of white; black is 0
  std::vector<std::uint16_t> value;     ///< in [0, white]
  std::vector<std::uint8_t> alpha;      ///< 255: opaque; empty without an alpha channel
  std::vector<std::string> notes = {};  ///< on surplus bytes in the file, a line each
};

/// The most pixels of a side.
inline constexpr std::uint32_t kMostMapSide = 32768;

/// Throws InputError "file: what".
[[noreturn]] void fail_image(const std::filesystem::path& file, const std::string& what);

/// Throws InputError unless each side has 1 to kMostMapSide pixels.
void check_image_sides(const std::filesystem::path& file, std::uint64_t cols, std::uint64_t rows);

/// Reads PGM (P2, P5, 8 or 16 bits) or PNG (colours are averaged), recognised by content. Throws InputError.
GreyImage read_grey_image(const std::filesystem::path& file);

using PngReader = GreyImage (*)(const std::filesystem::path& file, std::string_view bytes);
/// The same with another reader of PNG.
GreyImage read_image(const std::filesystem::path& file, PngReader read_png);

/// Reads the stored levels of a grey PNG of 8 or 16 bits (`white`: 255 or 65535) and ignores gamma and colour profiles.
/// `wanted` ends the message that refuses colours: "heights are a grey picture of 8 or 16 bits". Throws InputError
/// naming the file, also if it is cut short.
GreyImage read_png_levels(const std::filesystem::path& file, std::string_view bytes, std::string_view wanted);

}  // namespace fathom

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace fathom {

/// Grey values [rows, cols], row 0 at the top, scaled to [0, 1].
struct GreyImage {
  std::uint32_t rows = 0, cols = 0;
  std::vector<float> value;
  std::vector<float> alpha;  ///< likewise, 1: opaque; empty where the image has none
};

/// Reads PGM (P2, P5, 8 or 16 bits; nothing may follow the pixels) or PNG (colours averaged), told apart by content.
/// Throws InputError.
GreyImage read_grey_image(const std::filesystem::path& file);

}  // namespace fathom

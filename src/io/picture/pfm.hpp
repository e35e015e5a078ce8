// SPDX-License-Identifier: MIT
#pragma once
// Portable float maps of one channel: https://www.pauldebevec.com/Research/HDR/PFM/. Rows run from the bottom up.

#include <cstdint>
#include <filesystem>
#include <vector>

namespace fathom {

/// Values [rows, cols], row 0 at the top.
struct FloatImage {
  std::uint32_t rows = 0, cols = 0;
  bool big_endian = false;
  std::vector<float> value;
};

/// Throws InputError naming the file for colours, a damaged header, a side above kMostMapSide, and missing bytes.
FloatImage read_pfm(const std::filesystem::path& file);

}  // namespace fathom

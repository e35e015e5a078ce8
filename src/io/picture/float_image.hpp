// SPDX-License-Identifier: MIT
#pragma once
// Images of floats, one channel each: portable float maps (https://www.pauldebevec.com/Research/HDR/PFM/), whose rows
// run from the bottom up, and OpenEXR, whose library a module (core/text/module.hpp) calls.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fathom {

/// Values [rows, cols], row 0 at the top.
struct FloatImage {
  std::uint32_t rows = 0, cols = 0;
  bool big_endian = false;   ///< of a PFM
  std::string channel = {};  ///< of an EXR
  std::vector<float> value;
};

/// Throws InputError naming the file for colours, a damaged header, a side above kMostMapSide, and missing bytes.
FloatImage read_pfm(const std::filesystem::path& file);

/// Reads Z, Y or R: the first channel that the file has. Throws InputError naming the file also for whole numbers, a
/// cropped image, and in a build without OpenEXR.
FloatImage read_exr(const std::filesystem::path& file);

/// What the module for OpenEXR does in memory. Both throw InputError.
struct ExrFunctions {
  void (*read)(const std::string& bytes, FloatImage& image) = nullptr;
  void (*write)(const FloatImage& image, std::string& bytes) = nullptr;
};
/// The function of the module: void(ExrFunctions&).
inline constexpr const char* kExrFunctions = "fathom_exr_functions";

}  // namespace fathom

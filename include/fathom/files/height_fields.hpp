// SPDX-License-Identifier: MIT
#pragma once
// Height fields read from pictures and arrays.

#include <filesystem>

#include <fathom/base/export.hpp>
#include <fathom/scene/height_field.hpp>

namespace fathom {

/// What a picture of heights does not say itself.
struct HeightImageOptions {
  double size_x_m = 1.0, size_y_m = 1.0;  ///< in (0, kMostPrimitiveM]: width and height of the picture
  double elevation_m = 1.0;               ///< in (0, kMostPrimitiveM]: height of white; black is 0 m
  bool stretch = false;  ///< the lowest pixel is 0 m and the highest elevation_m, as MuJoCo reads pictures
  double base_m = 0.0;   ///< as in HeightField
};

/// Reads a grey picture, PNG or PGM of 8 or 16 bits, by its stored levels (gamma is ignored): a pixel is a height, the
/// top row has the greatest y. Throws InputError naming the file, also for a picture that has colours or transparency.
FATHOM_API HeightField read_height_image(const std::filesystem::path& file, const HeightImageOptions& options);

/// Reads an array of NumPy [rows, cols], of any type that docs/output-formats.md lists, in metres; the first row has
/// the least y. Sizes and base of the result are as HeightField has them at first. Throws InputError naming the file.
FATHOM_API HeightField read_height_array(const std::filesystem::path& file);

}  // namespace fathom

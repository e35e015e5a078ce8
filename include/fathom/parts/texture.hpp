// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <fathom/base/export.hpp>

namespace fathom {

/// One byte a texel, row-major [height, width].
struct Texture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> texels;

  /// The nearest texel, 0 to 255; coordinates wrap around.
  [[nodiscard]] FATHOM_API float at(double u, double v) const;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include "parts/surface.hpp"

#include <cmath>

#include <fathom/parts/texture.hpp>

namespace fathom {

float Texture::at(double u, double v) const {
  const auto texel = [](double share, std::uint32_t size) -> std::size_t {
    const double inside = share - std::floor(share);
    if (!(inside >= 0.0)) return 0;  // coordinates that are not finite
    const auto index = static_cast<std::size_t>(inside * size);
    return index < size ? index : size - 1;
  };
  return texels.empty() ? 0.0F : static_cast<float>(texels[texel(v, height) * width + texel(u, width)]);
}

}  // namespace fathom

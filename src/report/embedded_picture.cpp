// SPDX-License-Identifier: MIT
#include "report/embedded_picture.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/base64.hpp"

namespace fathom {

namespace {

constexpr Rgb kZero = {247, 247, 247};

}  // namespace

std::string css(Rgb c) { return fmt::format("rgb({},{},{})", c[0], c[1], c[2]); }

std::string embedded_picture(const Image& image, std::string_view title) {
  return fmt::format("<img class=\"pixels\" width=\"{}\" height=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\">\n",
                     image.width, image.height, title, base64(png_bytes(image)));
}

Rgb signed_color(double u) {
  const double part = std::min(1.0, std::abs(u));
  const Rgb end = u < 0.0 ? kLowColor : kHighColor;
  Rgb color{};
  for (std::size_t i = 0; i < 3; ++i) {
    color[i] = static_cast<std::uint8_t>(std::lround(kZero[i] + part * (end[i] - kZero[i])));
  }
  return color;
}

double residual_scale(std::span<const float> residual) {
  std::vector<float> sizes;
  for (const float value : residual) {
    if (!std::isnan(value)) sizes.push_back(std::abs(value));
  }
  if (sizes.empty()) return 0.0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return 3.0 * 1.4826 * double{*middle};  // a normal's deviation by the median of its sizes
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Pictures of errors as PNG within HTML.

#include <span>
#include <string>
#include <string_view>

#include "picture/image.hpp"

namespace fathom {

inline constexpr Rgb kLowColor = {33, 102, 172}, kHighColor = {178, 24, 43};  ///< of signed_color()

/// A colour as CSS has it.
std::string css(Rgb c);

/// Of class "pixels". `title` is read out where the picture cannot be seen.
std::string embedded_picture(const Image& image, std::string_view title);

/// u in [-1, 1]: blue, white, red.
Rgb signed_color(double u);

/// Three deviations of most values, whatever single patches do; 0 where there is none. NaN are passed over.
double residual_scale(std::span<const float> residual);

}  // namespace fathom

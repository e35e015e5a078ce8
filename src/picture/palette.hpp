// SPDX-License-Identifier: MIT
#pragma once
// Colours of pictures; docs/output-formats.md lists them.

#include <cstdint>

#include <fathom/frame/reason.hpp>

#include "picture/image.hpp"

namespace fathom {

inline constexpr Rgb kBackground = {14, 16, 22};
inline constexpr Rgb kInk = {235, 238, 245}, kSoftInk = {160, 168, 184}, kFaintInk = {92, 98, 112};  ///< of letters
inline constexpr Rgb kLostColor = {34, 36, 46};        ///< a ray without a return
inline constexpr Rgb kUnknownColor = {150, 150, 150};  ///< a return that belongs to no entity

/// u in [0, 1], near to far: dark red, yellow, green, blue. Values outside are clamped; NaN is the lost colour.
Rgb range_color(double u);
/// Neighbouring ids get far-apart hues; the same id always the same colour.
Rgb entity_color(std::uint32_t entity);
Rgb reason_color(Reason reason);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The energy of a return: how much of the light that leaves a surface reaches the worse of the two cameras. The array
// Channel::kEnergy holds it, and models of loss read it.
//
//   E = min(cos theta_1, cos theta_2)
//
//   cosine       theta_i = angle between the normal and the way to camera i
//   half_vector  theta_i = angle between the normal and the bisector of the ways to camera i and to the emitter: the
//                          specular reading

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/math/f32.hpp>
#include <fathom/noise/surface.hpp>

namespace fathom {

enum class EnergyAngle : std::uint8_t { kCosine, kHalfVector };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<EnergyAngle> = {"cosine", "half_vector"};

/// E of one return.
FATHOM_KERNEL float return_energy(EnergyAngle angle, const Surface& s) {
  // |l + e|^2 = 2 + 2 l . e; the bisector of opposite directions is nowhere, and E then 0.
  const float left_square = 2.0F + 2.0F * s.left_to_emitter, right_square = 2.0F + 2.0F * s.right_to_emitter;
  constexpr float kTiny = 1e-12F;
  const float left = (s.cos_left + s.cos_emitter) / math::sqrt(math::select(left_square > kTiny, left_square, kTiny));
  const float right =
      (s.cos_right + s.cos_emitter) / math::sqrt(math::select(right_square > kTiny, right_square, kTiny));
  const bool half = angle == EnergyAngle::kHalfVector;
  const float a = math::select(half, left, s.cos_left), b = math::select(half, right, s.cos_right);
  return math::select(a < b, a, b);
}

}  // namespace fathom

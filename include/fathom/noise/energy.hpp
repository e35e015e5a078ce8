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
//
// On request it is scaled by what else the light depends on,
//
//   E' = E rho^a (r / 1 m)^-k / (1 + ambient / half_ambient)
//
// rho is the reflectivity of the entity that was struck, r the range; a, k and ambient are 0 by default, and E' = E.

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

/// What scales the energies of a chain.
struct EnergyGain {
  float reflectivity_exponent = 0.0F;  ///< a
  float range_exponent = 0.0F;         ///< k
  float light = 1.0F;                  ///< 1 / (1 + ambient / half_ambient)

  friend constexpr bool operator==(const EnergyGain&, const EnergyGain&) = default;
};

/// E' / E of a surface of that reflectivity, in [0, 1], at that range. An exponent of 0 gives a factor of exactly 1.
FATHOM_KERNEL float energy_gain_of(const EnergyGain& g, float reflectivity, float range_m) {
  const float least = math::select(range_m > 1e-6F, range_m, 1e-6F), far = math::select(least < 1e9F, least, 1e9F);
  const bool by_reflectivity = g.reflectivity_exponent > 0.0F, by_range = g.range_exponent > 0.0F;
  const float of_surface =
      math::power_of_fraction(reflectivity, math::select(by_reflectivity, g.reflectivity_exponent, 1.0F));
  const float of_range = math::exp(-g.range_exponent * math::log(far));
  return math::select(by_reflectivity, of_surface, 1.0F) * math::select(by_range, of_range, 1.0F) * g.light;
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The intensity of a return.
//
//   intensity = reflectivity * law(incidence) * falloff(range)
//
// Reflectivity and law are those of the surface: of its material (scene/material.hpp), or else reflectivity * cos.
// The falloff is the sensor's. `none`: 1, what a sensor reports that corrects its intensity for range, as most lidars
// of robots do. `inverse_square`: (reference / range)^2 beyond the reference and 1 before it, the raw power of a
// surface larger than the cone (Hoefle, Pfeifer: Correction of laser scanning intensity data, ISPRS Journal 62, 2007),
// and a receiver whose near end is full. The range is that of the surface struck, without noise.
//
// Not modelled: the atmosphere, and surfaces smaller than the cone, unless the ray diverges (sensor/returns.hpp).

#include <array>
#include <cstdint>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

enum class FalloffLaw : std::uint8_t { kNone, kInverseSquare };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<FalloffLaw> = {"none", "inverse_square"};

/// How intensities of a sensor fall with range.
struct Falloff {
  FalloffLaw law = FalloffLaw::kNone;
  float reference_m = 1.0F;  ///< range up to which nothing is lost

  static constexpr std::string_view kSlug = "falloff";
  static constexpr std::string_view kDoc = "How the intensity of a return falls with its range.";
  static constexpr auto fields() {
    return std::array<Field<Falloff>, 2>{{
        {"law", "none|inverse_square", choice<&Falloff::law>, 0, 0, "how the intensity falls with range"},
        {"reference_m", "m", &Falloff::reference_m, 0.01, 1e4, "range up to which it does not fall"},
    }};
  }
};

}  // namespace fathom

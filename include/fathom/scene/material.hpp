// SPDX-License-Identifier: MIT
#pragma once
// What a surface sends back, by the angle a at which it is struck.
//
//   lambert   reflectivity * cos(a): matt surfaces (Lambert, Photometria 1760), and entities without a material
//   table     reflectivity * (value at a, linear between the entries), measured: [[0, 1], [60, 0.4], [90, 0]] in
//             degrees. Before the first entry and after the last one their values hold
//   retro     reflectivity * (cos(a) + gain * exp(-(a / width)^2)): signs, number plates and tape, a lobe back to the
//             emitter on a matt surface. The form is fathom's own; sheeting keeps most of its coefficient of
//             retroreflection at an entrance angle of -4 degrees and less of it at +30 (the two angles of ASTM D4956)
//
// An intensity of 1 is that of a white matt surface struck head-on; one above 1, by a gain or a value above 1, is
// brighter. docs/intensity.md has figures for surfaces, with their sources.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>

namespace fathom {

enum class IncidenceLaw : std::uint8_t { kLambert, kTable, kRetro };
inline constexpr std::array<std::string_view, 3> kIncidenceLawNames = {"lambert", "table", "retro"};

/// An entry of Material::table.
struct IncidenceValue {
  float angle_rad = 0.0F;  ///< [0, pi/2]
  float value = 0.0F;      ///< [0, 1000]
};

struct Material {
  std::string name;           ///< not empty, unique in the scene
  float reflectivity = 1.0F;  ///< [0, 1]
  IncidenceLaw law = IncidenceLaw::kLambert;
  std::vector<IncidenceValue> table = {};  ///< of kTable: 2 to 64 entries, angles ascending; else empty
  float gain = 0.0F;                       ///< of kRetro: (0, 1000]; else 0
  float width_rad = 0.0F;                  ///< of kRetro: (0, pi/2]; else 0
};

/// Throws InputError for an empty name, a value outside its limits, or one that belongs to another law.
FATHOM_API void validate(const Material& material);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The intensity of one return (sensor/intensity.hpp, scene/material.hpp), as ray_math.hpp.

#include <cstdint>

#include <fathom/math/f32.hpp>
#include <fathom/math/f64.hpp>

#include "render/ray_math.hpp"

namespace fathom {

/// How the surface of an entity sends light back.
struct SurfaceLaw {
  enum class Kind : std::uint32_t { kCosine, kTable, kRetro };
  Kind kind = Kind::kCosine;
  std::uint32_t first = 0, count = 0;  ///< entries of the tables
  float gain = 0.0F, width_rad = 1.0F;
};

/// An entry of a table.
struct LawEntry {
  float angle_rad, value;
};

/// The surfaces of a scene.
struct SurfaceView {
  const float* reflectivity;  ///< [entities]
  const SurfaceLaw* laws;     ///< [entities]; null: the cosine for all
  const LawEntry* tables;     ///< those of all laws, one after the other
};

/// Linear between the entries, and constant outside them; `count`: at least 2.
FATHOM_KERNEL float table_value(const LawEntry* table, std::uint32_t count, float angle) {
  if (!(angle > table[0].angle_rad)) return table[0].value;
  for (std::uint32_t i = 1; i < count; ++i) {
    const LawEntry a = table[i - 1], b = table[i];
    if (angle < b.angle_rad) {
      return a.value + (b.value - a.value) * ((angle - a.angle_rad) / (b.angle_rad - a.angle_rad));
    }
  }
  return table[count - 1].value;
}

/// The law of a surface struck along d; n: its normal, turned against d.
FATHOM_KERNEL float law_value(const SurfaceLaw& law, const LawEntry* tables, const Triple& d, const Triple& n) {
  const Incidence found = incidence_of(d, n);
  if (law.kind == SurfaceLaw::Kind::kTable) return table_value(tables + law.first, law.count, found.angle);
  if (law.kind == SurfaceLaw::Kind::kCosine) return found.cosine;
  const double ratio = double{found.angle} / double{law.width_rad};
  return found.cosine + law.gain * static_cast<float>(math::exp(-ratio * ratio));
}

/// Of a sensor whose reference is above 0.
FATHOM_KERNEL float falloff_at(float range_m, float reference_m) {
  const float ratio = reference_m / range_m;
  return math::select(range_m > reference_m, ratio * ratio, 1.0F);
}

/// `reference_m`: of the sensor's falloff, 0 without. Of the surface of `entity`, which the ray along d met at this
/// range.
FATHOM_KERNEL float intensity_of(const SurfaceView& surfaces, float reference_m, std::uint32_t entity, const Triple& d,
                                 const Triple& n, float range_m) {
  const float back = surfaces.laws == nullptr ? -(d.x * n.x + d.y * n.y + d.z * n.z)
                                              : law_value(surfaces.laws[entity], surfaces.tables, d, n);
  const float intensity = back * surfaces.reflectivity[entity];
  return reference_m > 0.0F ? intensity * falloff_at(range_m, reference_m) : intensity;
}

}  // namespace fathom

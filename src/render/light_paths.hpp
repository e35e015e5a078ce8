// SPDX-License-Identifier: MIT
#pragma once
// Light that passes glass or is mirrored (fathom/scene/scene.hpp, SurfaceOptics), after the cast of a block: rays that
// met such a surface go on by ordinary casts. A mirrored ray is unfolded: it starts at the mirror image of its origin,
// so that its hits have the length of the whole way, and a return lies on the emitted ray at this length.

#include <cstdint>

#include <fathom/core/f32.hpp>
#include <fathom/scene/scene.hpp>

#include "render/frame_parts.hpp"
#include "render/lanes.hpp"
#include "render/render.hpp"

namespace fathom {

/// Bits of Channel::kPath.
inline constexpr std::uint32_t kThroughGlass = 1, kMirrored = 2;

/// Shares of the light that meets a surface. The rest is scattered or absorbed.
struct LightShares {
  float passed, mirrored;
};

/// `cosine`: of the angle of incidence, above 0.
inline float fresnel(float index, float cosine) {
  const float sine = (1.0F - cosine * cosine) / (index * index);
  const float inside = math::sqrt(math::select(sine < 1.0F, 1.0F - sine, 0.0F));
  const float s = (cosine - index * inside) / (cosine + index * inside);
  const float p = (index * cosine - inside) / (index * cosine + inside);
  return 0.5F * (s * s + p * p);
}

/// The share of a matt surface that a film of water covers.
inline float film_cover(const SurfaceOptics& surface) {
  constexpr float kFullMm = 1.2F;
  return surface.water_film_mm < kFullMm ? surface.water_film_mm / kFullMm : 1.0F;
}
constexpr float kWaterIndex = 1.328F;

/// The factor of the reflectivity of a surface under its film.
inline float film_factor(const SurfaceOptics& surface, float reflectivity, float cosine) {
  const float cover = film_cover(surface), face = fresnel(kWaterIndex, cosine), entered = 1.0F - face;
  const float kept = 1.0F - reflectivity * face;
  return 1.0F - cover + cover * entered * entered / math::select(kept > 1e-6F, kept, 1e-6F);
}

inline LightShares shares_of(const SurfaceOptics& surface, float cosine) {
  if (surface.mirror > 0.0F) return {0.0F, surface.mirror};
  if (surface.water_film_mm > 0.0F) return {0.0F, film_cover(surface) * fresnel(kWaterIndex, cosine)};
  const float left = 1.0F - surface.diffuse, face = fresnel(surface.refractive_index, cosine);
  if (surface.opaque) return {0.0F, left * face};
  const float pane = 2.0F * face / (1.0F + face);
  return {left * (1.0F - pane), left * pane};
}

/// The way through a pane beyond the straight way.
inline float pane_delay_m(const SurfaceOptics& surface, float cosine) {
  const float index = surface.refractive_index;
  return surface.thickness_m * (math::sqrt(index * index - (1.0F - cosine * cosine)) - cosine);
}

/// Mirrored light that comes straight back from a surface with normal n, struck along d, as the intensity of a surface.
/// Light within the half angle w = half_angle_rad + roughness spreads over a cone of 2 w, and a matt surface over pi:
/// the gain is pi / (pi (2 w)^2).
inline float mirrored_back(const SurfaceOptics& surface, const Triple& d, const Triple& n, float half_angle_rad) {
  constexpr float kLeastRad = 1e-3F, kMost = 1000.0F;  // a laser is no line, and receivers saturate
  const float given = half_angle_rad + surface.roughness_rad, w = math::select(given > kLeastRad, given, kLeastRad);
  const float cosine = -(d.x * n.x + d.y * n.y + d.z * n.z);
  if (1.0F - cosine > w * w || incidence_of(d, n).angle > w) return 0.0F;  // cos(w) > 1 - w^2 is fast
  const float gain = 0.25F / (w * w);
  return shares_of(surface, cosine).mirrored * math::select(gain < kMost, gain, kMost);
}

/// How light reached the surfaces that a block's rays return from.
struct LanePaths {
  std::uint32_t followed[kBlockRays];  ///< 0 if the ray met no such surface: the other values are not set
  std::uint32_t path[kBlockRays];      ///< Channel::kPath
  std::uint32_t lost[kBlockRays];      ///< not 0 if all light left
  float light[kBlockRays];             ///< share of the light there and back, beside a matt surface; always set
  float intensity[kBlockRays];         ///< without falloff
};

/// Whether a ray met a surface that light passes or that mirrors it.
inline bool meets_optics(const RenderJob& job, float range_m, std::uint32_t entity) {
  return range_m < math::kInfinity && job.optics()[entity].leads_on();
}

/// Follows the rays of a block that are lines, and replaces the hits in `cast` by the surfaces that they return from,
/// with normals as the mirrors show them. Where all light left, the hit stays. The job has optics(); `cast` has
/// entities and normals. `begin`: the first lane of the block in the plan.
void follow_light(const RenderJob& job, std::uint32_t begin, std::uint32_t count, bool has_triangles, CastBlock& cast,
                  LanePaths& paths);

/// Follows the samples of ray i of such a block, which are the lanes of `cast` from `lane` on, and fills hits[k] at i
/// for each return k.
void follow_samples(const RenderJob& job, std::uint32_t begin, std::uint32_t i, const CastBlock& cast,
                    std::uint32_t lane, ReturnHits* hits);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Compares a caster with the brute-force oracle. A hit is disputed when the two choose different triangles; that is
// right only where the ray passes within rounding of an edge, or of a second surface at the same range.

#include "scene/mesh.hpp"
#include "trace/shoot.hpp"

namespace fathom::test {

/// One unit of rounding of single precision.
inline constexpr double kEpsilon = 0x1p-24;

/// The largest coordinate that a ray meets on its way to each entity, relative to `origin`: the place of the entity's
/// mesh and its scaled vertices about it. [entities]
inline std::vector<double> coordinates_of(const Scene& scene, double stamp_s, Vec3 origin) {
  std::vector<double> largest;
  for (std::uint32_t e = 0; e < scene.entities().size(); ++e) {
    const Entity& entity = scene.entities()[e];
    double radius = 0;
    if (entity.mesh == kNoMesh) continue;
    for (const auto& v : scene.meshes()[index(entity.mesh)].vertices_m) {
      radius = std::max(radius, norm({v[0] * entity.scale.x, v[1] * entity.scale.y, v[2] * entity.scale.z}));
    }
    const Pose place = world_from_vertices(scene, entity, scene.world_from_entity(EntityId{e}, stamp_s));
    largest.push_back(norm(place.translation_m - origin) + radius);
  }
  return largest;
}

/// How far single precision may be off along a ray at a hit, stretched by the obliquity.
struct Slack {
  double usual_m;  ///< four roundings of the largest of three lengths: to the origin, to the surface, of the entity
  double worst_m;  ///< of their sum, since their errors add: one hit in some hundred thousand needs it
};

inline Slack range_slack(const WorldRay& ray, Vec3 origin, double range, Vec3 normal, double entity_m) {
  const double start = norm(ray.origin - origin), cosine = std::abs(dot(ray.direction, normal));
  const double unit = 4 * kEpsilon / std::max(cosine, 1e-9);
  return {unit * std::max({start, range, entity_m}), unit * (start + range + entity_m)};
}

struct Comparison {
  int hits = 0, misses = 0, disputed = 0;
  int unusual = 0;         ///< hits off by more than Slack::usual_m
  double worst = 0;        ///< the largest error of a range, as a share of Slack::worst_m
  double off_grazing = 0;  ///< the largest relative error of a range where the cosine of incidence is above 0.1
  std::string wrong;       ///< the first hit that no rounding explains
};

/// Asks the oracle whether a bundle of rays a few roundings around this one can see what the caster saw.
inline bool near_an_edge(const BruteCaster& brute, const WorldRay& ray, const Shot& shot, double offset) {
  const Vec3 d = ray.direction;
  const Vec3 helper = std::abs(d.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  Vec3 u = cross(d, helper);
  u = (1 / norm(u)) * u;
  const Vec3 v = cross(d, u);
  for (const double scale : {1.0, 4.0}) {
    for (int k = 0; k < 16; ++k) {
      const double angle = k * 0.39269908169872414;
      const Vec3 side = scale * offset * (std::cos(angle) * u + std::sin(angle) * v);
      const auto hit = brute.cast(ray.origin + side, d);
      if (std::isinf(shot.range_m) && std::isinf(hit.range_m)) return true;
      if (hit.entity == shot.entity && hit.triangle == shot.triangle) return true;
    }
  }
  return false;
}

inline std::string describe(const WorldRay& ray, const Shot& shot, const BruteCaster::Hit& hit, double slack) {
  std::ostringstream out;
  out.precision(9);
  out << "ray from (" << ray.origin.x << ", " << ray.origin.y << ", " << ray.origin.z << ") along (" << ray.direction.x
      << ", " << ray.direction.y << ", " << ray.direction.z << "): caster " << shot.range_m << " m, entity "
      << shot.entity << ", triangle " << shot.triangle << ", normal (" << shot.normal.x << ", " << shot.normal.y << ", "
      << shot.normal.z << "); oracle " << hit.range_m << " m, entity " << hit.entity << ", triangle " << hit.triangle
      << ", normal (" << hit.normal.x << ", " << hit.normal.y << ", " << hit.normal.z << "); slack " << slack << " m";
  return out.str();
}

inline std::vector<BruteCaster::Hit> cast_all(const BruteCaster& brute, std::span<const WorldRay> rays) {
  std::vector<BruteCaster::Hit> hits;
  for (const WorldRay& ray : rays) hits.push_back(brute.cast(ray.origin, ray.direction));
  return hits;
}

/// `known`: what the oracle finds for the first of rounded(caster, asked); those behind are asked for.
inline Comparison compare(const Caster& caster, const Scene& scene, double stamp_s, std::span<const WorldRay> asked,
                          std::span<const BruteCaster::Hit> known = {}) {
  const BruteCaster brute(scene, stamp_s);
  const std::vector<double> coordinates = coordinates_of(scene, stamp_s, caster.origin());
  const double largest_m = *std::max_element(coordinates.begin(), coordinates.end());
  const std::vector<WorldRay> rays = rounded(caster, asked);
  const std::vector<Shot> shots = shoot(caster, rays);
  Comparison result;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const Shot& shot = shots[i];
    const auto hit = i < known.size() ? known[i] : brute.cast(rays[i].origin, rays[i].direction);
    const bool missed = std::isinf(hit.range_m);
    const Slack limit =
        missed ? Slack{0, 0} : range_slack(rays[i], caster.origin(), hit.range_m, hit.normal, coordinates[hit.entity]);
    const double slack = limit.worst_m;
    ++(missed ? result.misses : result.hits);
    if (hit.entity == shot.entity && hit.triangle == shot.triangle) {
      const bool same = missed
                            ? std::isinf(shot.range_m) && shot.range_m > 0
                            : std::abs(shot.range_m - hit.range_m) <= slack && norm(shot.normal - hit.normal) <= 1e-4;
      if (!missed) {
        const double error = std::abs(shot.range_m - hit.range_m);
        const bool grazing = std::abs(dot(rays[i].direction, hit.normal)) <= 0.1;
        result.worst = std::max(result.worst, error / slack);
        if (!grazing) result.off_grazing = std::max(result.off_grazing, error / hit.range_m);
      }
      result.unusual += !missed && !(std::abs(shot.range_m - hit.range_m) <= limit.usual_m);
      if (!same && result.wrong.empty()) result.wrong = describe(rays[i], shot, hit, slack);
      continue;
    }
    ++result.disputed;
    const bool tie = std::abs(shot.range_m - hit.range_m) <= 2 * slack;
    if (!tie && !near_an_edge(brute, rays[i], shot, 8 * kEpsilon * largest_m) && result.wrong.empty()) {
      result.wrong = describe(rays[i], shot, hit, slack);
    }
  }
  return result;
}

}  // namespace fathom::test

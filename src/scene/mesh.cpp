// SPDX-License-Identifier: MIT
#include <fathom/scene/mesh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "scene/checks.hpp"
#include "scene/mesh.hpp"

namespace fathom {

namespace {

bool has_area(const Mesh& mesh, const std::array<std::uint32_t, 3>& t) {
  const Vec3 n = area_normal(mesh, t);
  return n.x != 0.0 || n.y != 0.0 || n.z != 0.0;
}

void check_origin(const Vec3& origin_m) {
  if (const auto c = coordinate_beyond_limits(origin_m)) {
    throw InputError(fmt::format("the origin of the mesh, {} m, is not in {}", number_text(*c), kCoordinateLimits));
  }
}

/// Single precision resolves 0.06 mm at this distance, less than other errors of a range.
constexpr double kNearM = 1024.0;
/// Origins lie on a wide grid, so that meshes of one site share one.
constexpr double kOriginStepM = 64.0;

}  // namespace

Vec3 origin_for(std::span<const MeshPlace> places_m, std::span<const std::array<std::uint32_t, 3>> triangles) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  MeshPlace low = {kInfinity, kInfinity, kInfinity}, high = {-kInfinity, -kInfinity, -kInfinity};
  for (const auto& triangle : triangles) {
    for (const std::uint32_t corner : triangle) {
      if (corner >= places_m.size()) continue;  // refused later
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], places_m[corner][k]), high[k] = std::max(high[k], places_m[corner][k]);
      }
    }
  }
  const Vec3 middle = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
  const Vec3 half = {0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * (high[2] - low[2])};
  const double distance_m = norm(middle);
  if (coordinate_beyond_limits(middle) || !(distance_m > kNearM && norm(half) < 0.5 * distance_m)) return {};
  const auto snap = [](double c) { return kOriginStepM * std::round(c / kOriginStepM) + 0.0; };  // 0, and not -0
  return {snap(middle.x), snap(middle.y), snap(middle.z)};
}

Mesh mesh_of_places(std::span<const MeshPlace> places_m, std::vector<std::array<std::uint32_t, 3>> triangles) {
  Mesh mesh;
  mesh.origin_m = origin_for(places_m, triangles);
  mesh.triangles = std::move(triangles);
  mesh.vertices_m.reserve(places_m.size());
  for (const MeshPlace& place : places_m) mesh.vertices_m.push_back(vertex_at(place, mesh.origin_m));
  return mesh;
}

void check_vertices(std::span<const std::array<float, 3>> vertices_m, const Vec3& origin_m) {
  const double origin[3] = {origin_m.x, origin_m.y, origin_m.z};
  for (std::size_t i = 0; i < vertices_m.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const float c = vertices_m[i][k];
      if (!std::isfinite(c)) throw InputError(fmt::format("vertex {} = {} is not finite", i, c));
      const double place = origin[k] + double{c};
      if (std::abs(place) <= kMaxCoordinateM) continue;
      throw InputError(fmt::format("vertex {} = {} is not in {}", i, static_cast<float>(place), kCoordinateLimits));
    }
  }
}

void validate(const Mesh& mesh) {
  const std::size_t vertices = mesh.vertices_m.size();
  if (vertices == 0 || mesh.triangles.empty()) {
    throw InputError(fmt::format("mesh is empty: {} vertices, {} triangles", vertices, mesh.triangles.size()));
  }
  if (vertices > 0xffffffffULL || mesh.triangles.size() > 0xffffffffULL) {
    throw InputError("mesh has more than 4294967295 vertices or triangles");
  }
  check_origin(mesh.origin_m);
  check_vertices(mesh.vertices_m, mesh.origin_m);
  bool solid = false;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const std::uint32_t index : mesh.triangles[i]) {
      if (index >= vertices) {
        throw InputError(fmt::format("triangle {}: vertex index {} is not in [0, {}]", i, index, vertices - 1));
      }
    }
    solid = solid || has_area(mesh, mesh.triangles[i]);
  }
  if (!solid) {
    throw InputError(fmt::format("mesh is degenerate: none of its {} triangles has an area", mesh.triangles.size()));
  }
}

std::vector<std::array<float, 3>> skin_vertices(std::span<const std::array<float, 3>> rest_m,
                                                std::span<const BoneWeights> weights,
                                                std::span<const Affine> bone_from_rest,
                                                std::span<const Affine> world_from_bone) {
  if (weights.size() != rest_m.size()) {
    throw InputError(fmt::format("{} bone weights for {} vertices", weights.size(), rest_m.size()));
  }
  if (bone_from_rest.size() != world_from_bone.size()) {
    throw InputError(fmt::format("{} poses for {} bones", world_from_bone.size(), bone_from_rest.size()));
  }
  std::vector<Affine> world_from_rest;
  for (std::size_t b = 0; b < bone_from_rest.size(); ++b)
    world_from_rest.push_back(world_from_bone[b] * bone_from_rest[b]);
  std::vector<std::array<float, 3>> posed(rest_m.size());
  for (std::size_t i = 0; i < rest_m.size(); ++i) {
    const Vec3 rest = {rest_m[i][0], rest_m[i][1], rest_m[i][2]};
    Vec3 sum;
    for (std::size_t k = 0; k < 4; ++k) {
      const float weight = weights[i].weight[k];
      const std::int32_t bone = weights[i].bone[k];
      if (weight == 0.0F) continue;
      if (bone < 0 || static_cast<std::size_t>(bone) >= world_from_rest.size()) {
        throw InputError(fmt::format("vertex {}: bone {} is not in [0, {})", i, bone, world_from_rest.size()));
      }
      sum = sum + double{weight} * transform_point(world_from_rest[static_cast<std::size_t>(bone)], rest);
    }
    posed[i] = {static_cast<float>(sum.x), static_cast<float>(sum.y), static_cast<float>(sum.z)};
  }
  return posed;
}

}  // namespace fathom

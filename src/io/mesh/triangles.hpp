// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fathom/core/geometry.hpp>

#include "scene/mesh.hpp"

namespace fathom {

/// Cutting a concave polygon takes time that grows with the square of its corners.
inline constexpr std::size_t kMaxConcaveCorners = 1024;

/// Cuts a polygon into corners - 2 triangles of indices into `corners`, with the same winding. A convex polygon becomes
/// a fan around its first corner. Others are cut ear by ear in the plane that they face most. A polygon that crosses
/// itself or has no area becomes a fan. Throws InputError for a concave polygon of more than kMaxConcaveCorners.
std::vector<std::array<std::uint32_t, 3>> triangulate(std::span<const Vec3> corners);

/// Numbers vertices in the order in which they first appear. Vertices of equal bits share a number.
template <class Number>
class UniqueVertices {
 public:
  using Vertex = std::array<Number, 3>;

  std::uint32_t id_of(const Vertex& vertex) {
    if (2 * (vertices_.size() + 1) > ids_.size()) grow();
    std::uint32_t& id = ids_[place_of(vertex)];
    if (id == kFree) {
      id = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back(vertex);
    }
    return id;
  }
  std::vector<Vertex> take() {
    ids_ = {};
    return std::move(vertices_);
  }

 private:
  using Bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
  static constexpr std::uint32_t kFree = 0xffffffffU;

  /// The slot of the vertex in `ids_`, or the free slot where it belongs.
  [[nodiscard]] std::size_t place_of(const Vertex& v) const {
    std::uint64_t hash = key_;
    for (const Number c : v) {
      hash = (hash ^ std::bit_cast<Bits>(c)) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32U;
    }
    std::size_t at = hash & (ids_.size() - 1);
    while (ids_[at] != kFree && std::memcmp(&vertices_[ids_[at]], &v, sizeof(v)) != 0) {
      at = (at + 1) & (ids_.size() - 1);
    }
    return at;
  }

  void grow() {
    const std::size_t size = std::max<std::size_t>(64, 2 * ids_.size());
    ids_ = {};  // free the old table first
    ids_.assign(size, kFree);
    for (std::uint32_t id = 0; id < vertices_.size(); ++id) ids_[place_of(vertices_[id])] = id;
  }

  std::vector<Vertex> vertices_;
  std::vector<std::uint32_t> ids_;  // size: a power of two, at most half full
  // Random, so that no file can make all its vertices hash to one slot. It changes no mesh.
  std::uint64_t key_ = std::random_device()() * 0x100000001ULL;
};

/// Collects triangles and merges the vertices that a format repeats for each corner.
class VertexJoiner {
 public:
  std::uint32_t id_of(const Vec3& vertex) { return places_.id_of({vertex.x, vertex.y, vertex.z}); }
  void add(const std::array<std::uint32_t, 3>& ids) { triangles_.push_back(ids); }
  [[nodiscard]] std::size_t triangles() const { return triangles_.size(); }

  /// The mesh. Vertices that are equal in single precision are merged.
  Mesh take() {
    const std::vector<MeshPlace> places = places_.take();
    Mesh mesh = mesh_of_places(places, std::move(triangles_));
    // Places that single precision keeps exactly remain different.
    const auto is_kept = [&](std::size_t i) {
      const auto& v = mesh.vertices_m[i];
      return places[i] == MeshPlace{v[0], v[1], v[2]};
    };
    bool are_kept = mesh.origin_m == Vec3{};
    for (std::size_t i = 0; i < places.size() && are_kept; ++i) are_kept = is_kept(i);
    if (!are_kept) join(mesh);
    return mesh;
  }

 private:
  static void join(Mesh& mesh) {
    UniqueVertices<float> vertices;
    std::vector<std::uint32_t> ids;
    ids.reserve(mesh.vertices_m.size());
    for (const auto& vertex : mesh.vertices_m) ids.push_back(vertices.id_of(vertex));
    for (auto& triangle : mesh.triangles) {
      for (std::uint32_t& corner : triangle) corner = ids[corner];
    }
    mesh.vertices_m = vertices.take();
  }

  UniqueVertices<double> places_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
};

}  // namespace fathom

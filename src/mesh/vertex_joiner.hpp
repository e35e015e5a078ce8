// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <fathom/scene/mesh.hpp>

namespace fathom {

/// Collects triangles; formats that repeat a vertex for every corner give it once, at its first place.
class VertexJoiner {
 public:
  using Vertex = std::array<float, 3>;

  std::uint32_t id_of(const Vertex& vertex) {
    if (2 * (mesh_.vertices_m.size() + 1) > ids_.size()) grow();
    std::uint32_t& id = ids_[place_of(vertex)];
    if (id == kFree) {
      id = static_cast<std::uint32_t>(mesh_.vertices_m.size());
      mesh_.vertices_m.push_back(vertex);
    }
    return id;
  }
  void add(const std::array<std::uint32_t, 3>& ids) { mesh_.triangles.push_back(ids); }
  [[nodiscard]] std::size_t triangles() const { return mesh_.triangles.size(); }
  Mesh take() { return std::move(mesh_); }

 private:
  static constexpr std::uint32_t kFree = 0xffffffffU;

  /// The place of the vertex in `ids_`, or the free one where it belongs.
  [[nodiscard]] std::size_t place_of(const Vertex& v) const {
    std::uint64_t hash = key_;
    for (const float c : v) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(c)) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32U;
    }
    std::size_t at = hash & (ids_.size() - 1);
    while (ids_[at] != kFree && std::memcmp(&mesh_.vertices_m[ids_[at]], &v, sizeof(v)) != 0) {
      at = (at + 1) & (ids_.size() - 1);
    }
    return at;
  }

  void grow() {
    const std::size_t size = std::max<std::size_t>(64, 2 * ids_.size());
    ids_ = {};  // frees it first
    ids_.assign(size, kFree);
    for (std::uint32_t id = 0; id < mesh_.vertices_m.size(); ++id) ids_[place_of(mesh_.vertices_m[id])] = id;
  }

  Mesh mesh_;
  std::vector<std::uint32_t> ids_;  // a power of two, at most half of it taken
  // So that no file can be written whose vertices all hash to one place. It changes no mesh.
  std::uint64_t key_ = std::random_device()() * 0x100000001ULL;
};

}  // namespace fathom

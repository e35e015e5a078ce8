#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <fathom/mesh.hpp>

namespace fathom {

/// Collects triangles; formats that repeat a vertex for every corner give it once, at its first place.
class VertexJoiner {
 public:
  using Vertex = std::array<float, 3>;

  std::uint32_t id_of(const Vertex& vertex) {
    const auto next = static_cast<std::uint32_t>(mesh_.vertices_m.size());
    const auto [entry, is_new] = ids_.try_emplace(vertex, next);
    if (is_new) mesh_.vertices_m.push_back(vertex);
    return entry->second;
  }
  void add(const std::array<std::uint32_t, 3>& ids) { mesh_.triangles.push_back(ids); }
  [[nodiscard]] std::size_t triangles() const { return mesh_.triangles.size(); }
  Mesh take() { return std::move(mesh_); }

 private:
  struct Hash {
    std::size_t operator()(const Vertex& v) const {
      std::uint64_t hash = 0;
      for (const float c : v) hash = (hash ^ std::bit_cast<std::uint32_t>(c)) * 0x9e3779b97f4a7c15ULL;
      return hash ^ (hash >> 32U);
    }
  };
  struct SameBits {
    bool operator()(const Vertex& a, const Vertex& b) const { return std::memcmp(&a, &b, sizeof(a)) == 0; }
  };

  Mesh mesh_;
  std::unordered_map<Vertex, std::uint32_t, Hash, SameBits> ids_;
};

}  // namespace fathom

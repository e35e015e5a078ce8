// SPDX-License-Identifier: MIT
#include "mesh/mesh_parts.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "scene/triangle.hpp"

namespace fathom {

namespace {

using Corners = std::array<std::uint32_t, 3>;

/// Picks triangles out of a mesh, each mesh with the vertices that it needs.
class Picker {
 public:
  explicit Picker(const Mesh& joined) : joined_(joined), id_(joined.vertices_m.size(), kNone) {}

  Mesh pick(const std::vector<std::uint32_t>& triangles) {
    Mesh part;
    for (const std::uint32_t t : triangles) {
      Corners corners{};
      for (std::size_t k = 0; k < 3; ++k) corners[k] = id_of(joined_.triangles[t][k], part);
      part.triangles.push_back(corners);
    }
    for (const std::uint32_t vertex : used_) id_[vertex] = kNone;
    used_.clear();
    return part;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t id_of(std::uint32_t vertex, Mesh& part) {
    if (id_[vertex] == kNone) {
      id_[vertex] = static_cast<std::uint32_t>(part.vertices_m.size());
      part.vertices_m.push_back(joined_.vertices_m[vertex]);
      used_.push_back(vertex);
    }
    return id_[vertex];
  }

  const Mesh& joined_;
  std::vector<std::uint32_t> id_;    // [vertices of the joined mesh], in the part at work
  std::vector<std::uint32_t> used_;  // those that have one
};

bool has_area(const Mesh& mesh) {
  return std::any_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const Corners& corners) {
    const Vec3 n = area_normal(mesh, corners);
    return n.x != 0.0 || n.y != 0.0 || n.z != 0.0;
  });
}

/// Names that differ, each as near as can be to what the file has.
class UniqueNames {
 public:
  std::string add(const std::string& name) {
    std::string unique = name;
    for (std::uint32_t& number = last_[name]; !taken_.insert(unique).second;) {
      number = std::max(number, 1U) + 1;
      unique = name + "_" + std::to_string(number);
    }
    return unique;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::uint32_t> last_;  // the number last tried for a name
};

}  // namespace

void PartList::begin(std::size_t first, std::string_view key, std::string_view name) {
  const auto next = static_cast<std::uint32_t>(names_.size());
  const auto [entry, is_new] = part_of_key_.try_emplace(std::string(key), next);
  if (is_new) names_.emplace_back(name);
  if (!runs_.empty() && runs_.back().part == entry->second) return;
  runs_.push_back({first, entry->second});
}

std::vector<MeshPart> PartList::cut(const Mesh& joined) const {
  std::vector<std::vector<std::uint32_t>> triangles(names_.size());
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const std::size_t end = r + 1 < runs_.size() ? runs_[r + 1].first : joined.triangles.size();
    for (std::size_t t = runs_[r].first; t < end; ++t) {
      triangles[runs_[r].part].push_back(static_cast<std::uint32_t>(t));
    }
  }
  std::vector<MeshPart> parts;
  Picker picker(joined);
  UniqueNames names;
  for (std::size_t p = 0; p < names_.size(); ++p) {
    Mesh mesh = picker.pick(triangles[p]);
    mesh.origin_m = joined.origin_m;
    if (has_area(mesh)) parts.push_back({names.add(names_[p]), std::move(mesh)});
  }
  return parts;
}

}  // namespace fathom

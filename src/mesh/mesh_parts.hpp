// SPDX-License-Identifier: MIT
#pragma once
// Which triangles of a file belong to which of its nodes or materials. Readers join everything into one mesh as ever,
// and say here, triangle by triangle, whose it is; the mesh is cut afterwards.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fathom/files/meshes.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

/// The part of triangles without a material, or outside of every node.
inline constexpr std::string_view kDefaultPart = "default";

class PartList {
 public:
  explicit PartList(MeshSplit by) : by_(by) {}

  [[nodiscard]] bool by_nodes() const { return by_ == MeshSplit::kNodes; }
  /// Triangles from number `first` on belong to the part that `key` stands for. `name`: of it, as the file has it.
  void begin(std::size_t first, std::string_view key, std::string_view name);
  /// The parts of the joined mesh, in the order in which they begin; those without a triangle that has an area are left
  /// out. A name that another has already gets a number: wheel, wheel_2.
  [[nodiscard]] std::vector<MeshPart> cut(const Mesh& joined) const;

 private:
  struct Run {
    std::size_t first;
    std::uint32_t part;
  };

  MeshSplit by_;
  std::vector<Run> runs_;
  std::vector<std::string> names_;  // [parts]
  std::unordered_map<std::string, std::uint32_t> part_of_key_;
};

}  // namespace fathom

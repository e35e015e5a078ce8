// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/geometry.hpp>

#include "core/text.hpp"
#include "io/mesh/gltf_document.hpp"
#include "io/mesh/read_mesh.hpp"
#include "io/mesh/triangles.hpp"

namespace fathom {

namespace {

// Nodes may place one mesh, and meshes one accessor, without limit: a page of text can ask for more triangles than fit
// in memory. So work is counted. Its limit is about the number of bytes in the buffers.
constexpr std::size_t kMinWork = std::size_t{1} << 24U;
constexpr std::size_t kMaxWork = std::size_t{1} << 26U;  // triangles of 0.8 GB

/// A primitive with the numbers that pose it.
struct Shape {
  const GltfPrimitive* primitive = nullptr;
  const GltfNumbers* positions = nullptr;
  const GltfNumbers* indices = nullptr;
  std::vector<std::pair<double, const GltfNumbers*>> morphs;             ///< weights and offsets
  std::vector<std::pair<const GltfNumbers*, const GltfNumbers*>> bones;  ///< joints and weights
  std::size_t corners = 0, triangles = 0;
};

double determinant(const Affine& a) {
  return dot(Vec3{a.m[0][0], a.m[1][0], a.m[2][0]},
             cross(Vec3{a.m[0][1], a.m[1][1], a.m[2][1]}, Vec3{a.m[0][2], a.m[1][2], a.m[2][2]}));
}

class Placer {
 public:
  Placer(const GltfDocument& document, GltfBuffers& buffers, PartList* parts)
      : document_(document),
        parts_(parts),
        buffers_(buffers),
        accessors_(document, buffers),
        scene_from_node_(document.nodes.size()),
        scene_from_rest_(document.skins.size()) {}

  Mesh run() {
    for (const std::size_t i : document_.parents_first) {
      const GltfNode& node = document_.nodes[i];
      scene_from_node_[i] =
          node.parent ? scene_from_node_[*node.parent] * node.parent_from_node : node.parent_from_node;
    }
    std::vector<bool> is_done(document_.nodes.size(), false);
    std::vector<std::size_t> waiting(document_.scene.rbegin(), document_.scene.rend());
    while (!waiting.empty()) {  // each node before its children, children in their order
      const std::size_t i = waiting.back();
      waiting.pop_back();
      if (is_done[i]) continue;
      is_done[i] = true;
      const GltfNode& node = document_.nodes[i];
      if (node.mesh) place(i);
      waiting.insert(waiting.end(), node.children.rbegin(), node.children.rend());
    }
    return joiner_.take();
  }

 private:
  void place(std::size_t i) {
    const GltfNode& node = document_.nodes[i];
    const GltfMesh& mesh = document_.meshes[*node.mesh];
    const std::vector<double>& weights = node.weights.empty() ? mesh.weights : node.weights;
    for (const GltfPrimitive& primitive : mesh.primitives) {
      if (parts_ != nullptr) begin_part(i, primitive);
      // A primitive without triangles takes time too: shape_of() reads all weights and sets of joints.
      count_work(primitive.place, 1 + weights.size() + (node.skin ? 4 * primitive.joints.size() : 0));
      const Shape shape = shape_of(primitive, weights, node.skin);
      count_work(primitive.place, shape.triangles * (1 + shape.morphs.size() + shape.bones.size()));
      // A skin's joints place its vertices, not the node that shows it.
      const std::vector<Affine>* joints = node.skin ? &rest_poses(*node.skin) : nullptr;
      add(shape, scene_from_node_[i], joints);
    }
  }

  void begin_part(std::size_t i, const GltfPrimitive& primitive) {
    const GltfNode& node = document_.nodes[i];
    std::string key, name(kDefaultPart);
    if (parts_->by_nodes()) {
      key = std::to_string(i);
      name = node.name.empty() ? document_.meshes[*node.mesh].name : node.name;
      if (name.empty()) name = "node_" + key;
    } else if (primitive.material) {
      key = std::to_string(*primitive.material);
      name = document_.materials[*primitive.material];
      if (name.empty()) name = "material_" + key;
    }
    parts_->begin(joiner_.triangles(), key, name);
  }

  void count_work(std::string_view place, std::size_t work) {
    const std::size_t limit = std::clamp(buffers_.bytes_read(), kMinWork, kMaxWork);
    if (work > limit - std::min(work_, limit)) {
      document_.fail(place, fmt::format("brings the file above {} triangles as they are placed, the limit for {} bytes "
                                        "of buffers; a triangle counts again for every morph target and set of joints",
                                        limit, buffers_.bytes_read()));
    }
    work_ += work;
  }

  /// An accessor with one element for each vertex.
  const GltfNumbers& attribute(const Shape& shape, std::size_t i, std::string_view type, bool is_index = false) {
    const GltfNumbers& found = is_index ? accessors_.get_indices(i, type) : accessors_.get(i, type);
    if (found.count != shape.positions->count) {
      accessors_.fail(i, fmt::format("has {} elements, {} has {} vertices", found.count, shape.primitive->place,
                                     shape.positions->count));
    }
    return found;
  }

  Shape shape_of(const GltfPrimitive& primitive, const std::vector<double>& weights, const GltfIndex& skin) {
    Shape shape;
    shape.primitive = &primitive;
    shape.positions = &accessors_.get(primitive.positions, "VEC3");
    if (primitive.indices) shape.indices = &accessors_.get_indices(*primitive.indices, "SCALAR");
    shape.corners = shape.indices != nullptr ? shape.indices->count : shape.positions->count;
    if (primitive.mode == 4 && shape.corners % 3 != 0) {
      document_.fail(primitive.place, fmt::format("has {} corners: no whole triangles", shape.corners));
    }
    shape.triangles = primitive.mode == 4 ? shape.corners / 3 : std::max<std::size_t>(shape.corners, 2) - 2;
    if (!weights.empty() && weights.size() != primitive.targets.size()) {
      document_.fail(primitive.place, fmt::format("has {} morph targets, but {} weights are given",
                                                  primitive.targets.size(), weights.size()));
    }
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const GltfIndex target = primitive.targets[k];
      if (weights[k] != 0.0 && target) shape.morphs.emplace_back(weights[k], &attribute(shape, *target, "VEC3"));
    }
    if (skin) add_bones(shape, *skin);
    return shape;
  }

  void add_bones(Shape& shape, std::size_t skin) {
    const GltfPrimitive& primitive = *shape.primitive;
    if (primitive.joints.empty()) {
      document_.fail(primitive.place, fmt::format("attributes has no 'JOINTS_0', which skins[{}] needs", skin));
    }
    for (std::size_t set = 0; set < primitive.joints.size(); ++set) {
      const GltfNumbers& joints = attribute(shape, primitive.joints[set], "VEC4", true);
      shape.bones.emplace_back(&joints, &attribute(shape, primitive.weights[set], "VEC4"));
    }
  }

  /// The transforms of a skin's joints, from the modelled shape to the posed scene.
  const std::vector<Affine>& rest_poses(std::size_t skin) {
    std::optional<std::vector<Affine>>& poses = scene_from_rest_[skin];
    if (poses) return *poses;
    const GltfSkin& found = document_.skins[skin];
    poses.emplace();
    for (const std::size_t joint : found.joints) poses->push_back(scene_from_node_[joint]);
    if (!found.inverse_bind_matrices) return *poses;
    const std::size_t i = *found.inverse_bind_matrices;
    const GltfNumbers& matrices = accessors_.get(i, "MAT4");
    if (matrices.count < poses->size()) {
      accessors_.fail(i, fmt::format("has {} matrices, skins[{}] has {} joints", matrices.count, skin, poses->size()));
    }
    for (std::size_t k = 0; k < poses->size(); ++k) {
      Affine joint_from_rest;
      for (std::size_t row = 0; row < 4; ++row) {
        for (std::size_t column = 0; column < 4; ++column) {
          const double value = matrices(k, column * 4 + row);
          if (row < 3) joint_from_rest.m[row][column] = value;
          if (row == 3 && !(std::abs(value - (column == 3 ? 1.0 : 0.0)) <= 1e-6)) {
            accessors_.fail(i, fmt::format("matrix {} has a last row that is not 0 0 0 1", k));
          }
        }
      }
      (*poses)[k] = (*poses)[k] * joint_from_rest;
    }
    return *poses;
  }

  /// The mean of the poses of a vertex's joints.
  Affine blended(const Shape& shape, std::size_t vertex, const std::vector<Affine>& poses) const {
    Affine sum = {{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}};
    double total = 0.0;
    for (std::size_t set = 0; set < shape.bones.size(); ++set) {
      for (std::size_t k = 0; k < 4; ++k) {
        const double weight = (*shape.bones[set].second)(vertex, k);
        const auto joint = static_cast<std::size_t>((*shape.bones[set].first)(vertex, k));
        if (!(weight >= 0.0 && std::isfinite(weight))) {
          accessors_.fail(shape.primitive->weights[set],
                          fmt::format("element {}: the weight {} is not at or above 0", vertex, number_text(weight)));
        }
        if (weight == 0.0) continue;
        if (joint >= poses.size()) {
          accessors_.fail(shape.primitive->joints[set],
                          fmt::format("element {}: joint {} is not in [0, {})", vertex, joint, poses.size()));
        }
        total += weight;
        for (int row = 0; row < 3; ++row) {
          for (int column = 0; column < 4; ++column) sum.m[row][column] += weight * poses[joint].m[row][column];
        }
      }
    }
    if (total == 0.0) {
      accessors_.fail(shape.primitive->weights[0], fmt::format("element {}: has no weight above 0", vertex));
    }
    for (auto& row : sum.m) {
      for (double& value : row) value /= total;
    }
    return sum;
  }

  /// Adds the posed vertex and returns its number in the joined mesh.
  std::uint32_t add_vertex(const Shape& shape, std::size_t vertex, const Affine& scene_from_node,
                           const std::vector<Affine>* poses) {
    const GltfNumbers& at = *shape.positions;
    Vec3 p = {at(vertex, 0), at(vertex, 1), at(vertex, 2)};
    for (const auto& [weight, by] : shape.morphs) {
      p = p + weight * Vec3{(*by)(vertex, 0), (*by)(vertex, 1), (*by)(vertex, 2)};
    }
    return joiner_.id_of(transform_point(poses != nullptr ? blended(shape, vertex, *poses) : scene_from_node, p));
  }

  std::size_t vertex_at(const Shape& shape, std::size_t corner) const {
    if (shape.indices == nullptr) return corner;
    const auto vertex = static_cast<std::size_t>((*shape.indices)(corner, 0));
    if (vertex >= shape.positions->count) {
      accessors_.fail(*shape.primitive->indices, fmt::format("number {}: vertex index {} is not in [0, {})", corner,
                                                             vertex, shape.positions->count));
    }
    return vertex;
  }

  void add(const Shape& shape, const Affine& scene_from_node, const std::vector<Affine>* poses) {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    // A cache for corners that share vertices. It stays empty if few corners pick from many vertices.
    std::vector<std::uint32_t> ids(shape.positions->count <= shape.corners ? shape.positions->count : 0, kNone);
    const auto id_at = [&](std::size_t corner) {
      const std::size_t vertex = vertex_at(shape, corner);
      if (ids.empty()) return add_vertex(shape, vertex, scene_from_node, poses);
      if (ids[vertex] == kNone) ids[vertex] = add_vertex(shape, vertex, scene_from_node, poses);
      return ids[vertex];
    };
    const bool is_mirrored = poses == nullptr && determinant(scene_from_node) < 0.0;
    for (std::size_t k = 0; k < shape.triangles; ++k) {
      std::array<std::size_t, 3> corners = {3 * k, 3 * k + 1, 3 * k + 2};
      // Every second triangle of a strip is wound the other way round.
      if (shape.primitive->mode == 5) corners = {k, k + 1 + k % 2, k + 2 - k % 2};
      if (shape.primitive->mode == 6) corners = {0, k + 1, k + 2};
      std::array<std::uint32_t, 3> triangle{};
      for (std::size_t c = 0; c < 3; ++c) triangle[c] = id_at(corners[c]);
      if (is_mirrored) std::swap(triangle[1], triangle[2]);  // fronts stay fronts
      joiner_.add(triangle);
    }
  }

  const GltfDocument& document_;
  PartList* parts_;
  GltfBuffers& buffers_;
  GltfAccessors accessors_;
  std::vector<Affine> scene_from_node_;
  std::vector<std::optional<std::vector<Affine>>> scene_from_rest_;  // [skins]
  std::size_t work_ = 0;
  VertexJoiner joiner_;
};

}  // namespace

Mesh parse_gltf_mesh(std::string_view bytes, const std::filesystem::path& file, MeshReading& reading) {
  GlbChunks chunks{bytes, std::nullopt};
  if (is_glb(bytes)) chunks = split_glb(bytes, file.string());
  const GltfDocument document = parse_gltf_document(chunks.json, file.string());
  GltfBuffers buffers(document, file, chunks.binary);
  Mesh mesh = Placer(document, buffers, reading.parts).run();
  buffers.list_files(reading.opened);
  return mesh;
}

}  // namespace fathom

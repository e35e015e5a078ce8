// SPDX-License-Identifier: MIT
#pragma once
// glTF documents in the making: accessors over one buffer, meshes, nodes.

#include <nlohmann/json.hpp>

#include "io/mesh/mesh_files.hpp"

namespace fathom::test {

using Json = nlohmann::json;

template <class T>
std::string raw_list(const std::vector<T>& values) {
  std::string bytes;
  for (const T value : values) bytes += raw(value);
  return bytes;
}

struct GltfText {
  Json json = {{"asset", {{"version", "2.0"}}}, {"scenes", {{{"nodes", {0}}}}}, {"scene", 0}};
  std::string buffer;

  std::size_t view(const std::string& bytes, std::size_t stride = 0) {
    Json view = {{"buffer", 0}, {"byteOffset", buffer.size()}, {"byteLength", bytes.size()}};
    if (stride != 0) view["byteStride"] = stride;
    json["bufferViews"].push_back(view);
    buffer += bytes + std::string((4 - bytes.size() % 4) % 4, '\0');
    return json["bufferViews"].size() - 1;
  }
  std::size_t accessor(const std::string& bytes, unsigned component, const char* type, std::size_t count,
                       std::size_t stride = 0) {
    const std::size_t at = view(bytes, stride);
    json["accessors"].push_back({{"bufferView", at}, {"componentType", component}, {"type", type}, {"count", count}});
    return json["accessors"].size() - 1;
  }
  std::size_t vectors(const std::vector<float>& v) { return accessor(raw_list(v), 5126, "VEC3", v.size() / 3); }
  std::size_t indices(const std::vector<std::uint16_t>& v) { return accessor(raw_list(v), 5123, "SCALAR", v.size()); }
  /// A mesh of one primitive.
  std::size_t mesh(const Json& primitive) {
    json["meshes"].push_back({{"primitives", {primitive}}});
    return json["meshes"].size() - 1;
  }

  [[nodiscard]] std::string text(const std::string& uri) const {
    Json whole = json;
    whole["buffers"] = {{{"byteLength", buffer.size()}, {"uri", uri}}};
    return whole.dump();
  }
  [[nodiscard]] std::string text() const { return text("data:application/octet-stream;base64," + base64(buffer)); }
};

inline std::vector<float> square_vectors() {
  std::vector<float> all;
  for (const auto& v : square().vertices_m) all.insert(all.end(), v.begin(), v.end());
  return all;
}

/// accessors[0] and [1]: the square's vertices and indices; meshes[0] in nodes[0] shows it.
inline GltfText square_gltf() {
  GltfText made;
  made.vectors(square_vectors());
  made.indices({0, 1, 2, 0, 2, 3});
  made.mesh({{"attributes", {{"POSITION", 0}}}, {"indices", 1}});
  made.json["nodes"] = {{{"mesh", 0}}};
  return made;
}

/// The square in a skin of two joints, nodes[1] and nodes[2]: accessors[2] and [3] are joints and weights.
inline GltfText skinned_gltf() {
  GltfText made = square_gltf();
  made.accessor(raw_list<std::uint8_t>({0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}), 5121, "VEC4", 4);
  made.accessor(raw_list<float>({1, 0, 0, 0, 1, 0, 0, 0, 0.5F, 0.5F, 0, 0, 0, 2, 0, 0}), 5126, "VEC4", 4);
  Json& attributes = made.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_0"] = 2, attributes["WEIGHTS_0"] = 3;
  made.json["skins"] = {{{"joints", {1, 2}}}};
  made.json["nodes"] = {{{"mesh", 0}, {"skin", 0}, {"translation", {100, 100, 100}}},
                        {{"translation", {0, 0, 5}}, {"children", {2}}},
                        {{"translation", {0, 8, 0}}}};
  made.json["scenes"][0]["nodes"] = {0, 1};
  return made;
}

}  // namespace fathom::test

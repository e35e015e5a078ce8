// SPDX-License-Identifier: MIT
#pragma once
// The same two triangles in every format, written by hand from the formats' descriptions.

#include <fathom/scene/mesh.hpp>

#include "core/text.hpp"
#include "support/expect.hpp"

namespace fathom::test {

template <class T>
std::string raw(T value, bool swap = false) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return swap ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

using Corners = std::vector<std::array<float, 3>>;  // three a triangle

/// Of each triangle, whatever the vertices are numbered.
inline Corners corners(const Mesh& mesh) {
  Corners all;
  for (const auto& t : mesh.triangles) {
    for (const std::uint32_t i : t) all.push_back(mesh.vertices_m[i]);
  }
  return all;
}

/// The text with the first `from` replaced, which must be there.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A unit square with a raised corner: four vertices, two triangles.
inline Mesh square() { return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5F}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}}; }

inline std::string ascii_ply() {
  return "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\n"
         "property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
         "0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n3 0 1 2\n3 0 2 3\n";
}

/// With superfluous parts: doubles, colours before and after, an extra list, a third element.
inline std::string binary_ply(bool big_endian) {
  std::string out = std::string("ply\r\nformat ") + (big_endian ? "binary_big_endian" : "binary_little_endian") +
                    " 1.0\nelement vertex 4\nproperty uchar red\nproperty double x\nproperty float32 y\n"
                    "property float z\nelement edge 2\nproperty list ushort short ends\nelement face 1\n"
                    "property list uint8 uint vertex_index\nproperty int16 group\nend_header\n";
  const Mesh mesh = square();
  for (const auto& v : mesh.vertices_m) {
    out += raw(std::uint8_t{200}) + raw(double{v[0]}, big_endian) + raw(v[1], big_endian) + raw(v[2], big_endian);
  }
  for (int i = 0; i < 2; ++i) {
    out += raw(std::uint16_t{2}, big_endian) + raw(std::int16_t{-1}, big_endian) + raw(std::int16_t{7}, big_endian);
  }
  out += raw(std::uint8_t{4});
  for (std::uint32_t i = 0; i < 4; ++i) out += raw(i, big_endian);
  return out + raw(std::int16_t{-5}, big_endian);
}

inline std::string binary_stl() {
  const Mesh mesh = square();
  std::string out = "solid but binary" + std::string(64, ' ') + raw(std::uint32_t{2});
  for (const auto& t : mesh.triangles) {
    out += raw(0.0F) + raw(0.0F) + raw(1.0F);
    for (const std::uint32_t i : t) {
      for (const float c : mesh.vertices_m[i]) out += raw(c);
    }
    out += std::string(2, '\0');
  }
  return out;
}

inline std::string ascii_stl() {
  std::string out = "solid square\n";
  const Mesh mesh = square();
  for (const auto& t : mesh.triangles) {
    out += "facet normal 0 0 1\nouter loop\n";
    for (const std::uint32_t i : t) {
      const auto& v = mesh.vertices_m[i];
      out += "vertex " + std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) + "\n";
    }
    out += "endloop\nendfacet\n";
  }
  return out + "endsolid square\n";
}

inline std::string obj() {
  return "# by hand\no square\nv 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nvn 0 0 1\nl 1 2\nf 1//1 2//1 3//1\nf 1 3 -1\n";
}

inline std::string square_buffer() {
  std::string buffer;
  const Mesh mesh = square();
  for (const auto& v : mesh.vertices_m) buffer += raw(v[0]) + raw(v[1]) + raw(v[2]);
  for (const auto& t : mesh.triangles) buffer += raw(t[0]) + raw(t[1]) + raw(t[2]);
  return buffer;
}

/// `uri`: ", \"uri\": ..." of the buffer, empty for GLB. `node`: more keys of the node.
inline std::string gltf_json(const std::string& uri, const std::string& node = "") {
  return R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":72)" + uri +
         R"(}],"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],)"
         R"("accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},)"
         R"({"bufferView":1,"componentType":5125,"count":6,"type":"SCALAR"}],)"
         R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],)"
         R"("nodes":[{"mesh":0)" +
         node + R"(}],"scenes":[{"nodes":[0]}],"scene":0})";
}

inline std::string gltf(const std::string& node = "") {
  return gltf_json(R"(,"uri":"data:application/octet-stream;base64,)" + base64(square_buffer()) + "\"", node);
}

inline std::string glb() {
  std::string json = gltf_json("");
  json.append((4 - json.size() % 4) % 4, ' ');
  const std::string buffer = square_buffer();
  const auto size = static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + buffer.size());
  return "glTF" + raw(std::uint32_t{2}) + raw(size) + raw(static_cast<std::uint32_t>(json.size())) + "JSON" + json +
         raw(static_cast<std::uint32_t>(buffer.size())) + std::string("BIN\0", 4) + buffer;
}

inline std::string dae(const std::string& asset, const std::string& node = "") {
  return R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">)" +
         asset +
         R"(<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="12">)"
         R"(0 0 0 1 0 0 1 1 0.5 0 1 0</float_array><technique_common><accessor source="#pa" count="4" stride="3">)"
         R"(<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>)"
         R"(</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>)"
         R"(<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>)"
         R"(</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node>)" +
         node +
         R"(<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>)"
         R"(<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

}  // namespace fathom::test

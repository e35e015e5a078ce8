// SPDX-License-Identifier: MIT
#pragma once
// Shared by the tests of the C interface: statuses with messages, cubes, rays, chains of nodes, exported names.

#include <initializer_list>

#include "rgl/tests/layout_checks.h"
#include "support/expect.hpp"

namespace fathom::test {

inline std::string last_error() {
  const char* text = nullptr;
  rgl_get_last_error_string(&text);
  return text == nullptr ? "" : text;
}

#define RGL_OK(call) ASSERT_EQ(call, RGL_SUCCESS) << fathom::test::last_error()
#define RGL_STATUS(call, status, text)                       \
  do {                                                       \
    EXPECT_EQ(call, status) << fathom::test::last_error();   \
    EXPECT_TRUE(contains(fathom::test::last_error(), text)); \
  } while (false)

inline constexpr rgl_mat3x4f kIdentity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

inline rgl_mat3x4f translation(float x, float y, float z) { return {{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}}}; }

/// Turned about y by yaw, then about its own x by pitch: a ray along (sin yaw cos pitch, -sin pitch, cos yaw cos
/// pitch).
inline rgl_mat3x4f turned(double yaw, double pitch, float x = 0, float y = 0, float z = 0) {
  const float cy = float(std::cos(yaw)), sy = float(std::sin(yaw)), cp = float(std::cos(pitch)),
              sp = float(std::sin(pitch));
  return {{{cy, sy * sp, sy * cp, x}, {0, cp, -sp, y}, {-sy, cy * sp, cy * cp, z}}};
}

/// A cube from -1 to 1 with outward faces.
inline rgl_mesh_t make_cube() {
  const rgl_vec3f corners[8] = {{{-1, -1, -1}}, {{1, -1, -1}}, {{-1, 1, -1}}, {{1, 1, -1}},
                                {{-1, -1, 1}},  {{1, -1, 1}},  {{-1, 1, 1}},  {{1, 1, 1}}};
  const rgl_vec3i faces[12] = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                               {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
  rgl_mesh_t mesh = nullptr;
  EXPECT_EQ(rgl_mesh_create(&mesh, corners, 8, faces, 12), RGL_SUCCESS) << last_error();
  return mesh;
}

inline rgl_entity_t place(rgl_mesh_t mesh, const rgl_mat3x4f& world_from_entity) {
  rgl_entity_t entity = nullptr;
  EXPECT_EQ(rgl_entity_create(&entity, nullptr, mesh), RGL_SUCCESS) << last_error();
  EXPECT_EQ(rgl_entity_set_transform(entity, &world_from_entity), RGL_SUCCESS) << last_error();
  return entity;
}

inline rgl_node_t make_rays(const std::vector<rgl_mat3x4f>& rays) {
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl_node_rays_from_mat3x4f(&node, rays.data(), int32_t(rays.size())), RGL_SUCCESS) << last_error();
  return node;
}

inline rgl_node_t make_raytrace() {
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl_node_raytrace(&node, nullptr), RGL_SUCCESS) << last_error();
  return node;
}

inline rgl_node_t make_yield(const std::vector<rgl_field_t>& fields) {
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl_node_points_yield(&node, fields.data(), int32_t(fields.size())), RGL_SUCCESS) << last_error();
  return node;
}

inline void chain(std::initializer_list<rgl_node_t> nodes) {
  for (const auto* n = nodes.begin(); n + 1 < nodes.end(); ++n) {
    EXPECT_EQ(rgl_graph_node_add_child(n[0], n[1]), RGL_SUCCESS) << last_error();
  }
}

/// The values of a field, waiting for them.
template <class T>
std::vector<T> result(rgl_node_t node, rgl_field_t field) {
  int32_t count = 0, size = 0;
  EXPECT_EQ(rgl_graph_get_result_size(node, field, &count, &size), RGL_SUCCESS) << last_error();
  std::vector<T> values(std::size_t(count) * std::size_t(size) / sizeof(T));
  std::vector<T> room(values.size() + 1);
  EXPECT_EQ(rgl_graph_get_result_data(node, field, room.data()), RGL_SUCCESS) << last_error();
  values.assign(room.begin(), room.end() - 1);
  return values;
}

/// Every test starts and ends with an empty library.
class Rgl : public ::testing::Test {
 protected:
  void SetUp() override { RGL_OK(rgl_cleanup()); }
  void TearDown() override { RGL_OK(rgl_cleanup()); }
};

/// The words that a format of sscanf finds in a command's output.
inline std::set<std::string> words_of(const std::string& command, const char* format) {
  std::set<std::string> words;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 1024> line;
  while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    char word[512] = "";
    if (std::sscanf(line.data(), format, word) == 1) words.insert(word);
  }
  return words;
}

/// The exported names of the built library, by nm.
inline std::set<std::string> exported_names() {
  return words_of("nm -D --defined-only '" RGL_LIBRARY "'", "%*x %*c %511s");
}

}  // namespace fathom::test

// SPDX-License-Identifier: MIT
#pragma once
// How the recorded arguments of each function become a call: a table for each group of functions.

#include <cstdint>
#include <span>
#include <string_view>

#include "tape/player.hpp"

namespace rgl {

struct TapeEntry {
  std::string_view function;
  TapeHandler handler;
};

/// Meshes, entities, textures and the scene.
std::span<const TapeEntry> scene_handlers();
/// Nodes that make rays, change them and trace them.
std::span<const TapeEntry> ray_handlers();
/// Nodes of points, those of radars among them.
std::span<const TapeEntry> point_handlers();
/// Running, joining and reading graphs.
std::span<const TapeEntry> graph_handlers();

using A = const TapeArguments&;  // for the many lines of the tables

/// A call that makes or changes the node in argument 0.
template <class Call>
rgl_status_t with_node(A a, Call call) {
  rgl_node_t node = a.node(0);
  const rgl_status_t status = call(&node);
  if (node != nullptr) a.state().nodes[a.number(0)] = node;
  return status;
}

/// The same for a node made of an array and its length.
template <class T, rgl_status_t (*F)(rgl_node_t*, const T*, std::int32_t)>
rgl_status_t node_of_array(A a) {
  return with_node(a, [&](rgl_node_t* n) {
    const auto count = a.value<std::int32_t>(2);
    return F(n, a.array<T>(1, count), count);
  });
}

template <rgl_status_t (*F)(rgl_node_t*, const rgl_mat3x4f*)>
rgl_status_t node_of_matrix(A a) {
  return with_node(a, [&](rgl_node_t* n) { return F(n, a.array<rgl_mat3x4f>(1)); });
}

}  // namespace rgl

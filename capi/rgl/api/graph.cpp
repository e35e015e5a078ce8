// SPDX-License-Identifier: MIT
#include <limits>

#include "api/make_node.hpp"

using namespace rgl;

namespace {

/// Bytes of one value. Throws INVALID_ARGUMENT for what is no field, or no field of this node.
std::size_t size_of(const PointsNode& node, rgl_field_t field) {
  if (field != RGL_FIELD_DYNAMIC_FORMAT) return info_of(field).size;
  if (node.packed_size() == 0)
    fail(RGL_INVALID_ARGUMENT, "Invalid argument: RGL_FIELD_DYNAMIC_FORMAT is of format nodes only");
  return node.packed_size();
}

}  // namespace

rgl_status_t rgl_node_is_alive(rgl_node_t node, bool* out_alive) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_alive != nullptr);
    *out_alive = lib.nodes.has(node);
    lib.tape.record("rgl_node_is_alive", node, *out_alive);
  });
}

rgl_status_t rgl_graph_run(rgl_node_t node) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    const auto start = lib.nodes.get(node);
    lib.log.write(RGL_LOG_LEVEL_TRACE, "rgl_graph_run");
    lib.run(*start);
    lib.tape.record("rgl_graph_run", node);
  });
}

rgl_status_t rgl_graph_destroy(rgl_node_t node) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    const auto any = lib.nodes.get(node);
    lib.destroy_component(*any);
    lib.tape.record("rgl_graph_destroy", node);
  });
}

rgl_status_t rgl_graph_get_result_size(rgl_node_t node, rgl_field_t field, int32_t* out_count, int32_t* out_size_of) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    const auto points = node_as<PointsNode>(lib, node, "IPointsNode");
    lib.wait_for_result(*points);
    const std::size_t size = size_of(*points, field), count = points->count();
    if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      fail(RGL_INVALID_PIPELINE, "the result has more than 2147483647 points");
    }
    if (out_count != nullptr) *out_count = static_cast<std::int32_t>(count);
    if (out_size_of != nullptr) *out_size_of = static_cast<std::int32_t>(size);
    lib.tape.record("rgl_graph_get_result_size", node, field, static_cast<std::int32_t>(count),
                    static_cast<std::int32_t>(size));
  });
}

rgl_status_t rgl_graph_get_result_data(rgl_node_t node, rgl_field_t field, void* dst) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(dst != nullptr);
    const auto points = node_as<PointsNode>(lib, node, "IPointsNode");
    lib.wait_for_result(*points);
    if (is_padding(field) || !points->has(field)) {
      const FieldInfo* info = find_field(field);
      fail(RGL_INVALID_PIPELINE,
           fmt::format("{} does not provide field {}", points->name(), info == nullptr ? "?" : info->name));
    }
    const std::size_t bytes = points->count() * size_of(*points, field);
    points->copy(field, static_cast<std::byte*>(dst));
    lib.tape.record("rgl_graph_get_result_data", node, field, TapeArray{dst, bytes});
  });
}

rgl_status_t rgl_graph_node_add_child(rgl_node_t parent, rgl_node_t child) {
  return guarded([&](Library& lib) {
    RGL_CHECK(parent != nullptr);
    RGL_CHECK(child != nullptr);
    RGL_CHECK(parent != child);
    const auto above = lib.nodes.get(parent), below = lib.nodes.get(child);
    lib.settle(*above, *below);
    link(*above, *below);
    lib.tape.record("rgl_graph_node_add_child", parent, child);
  });
}

rgl_status_t rgl_graph_node_remove_child(rgl_node_t parent, rgl_node_t child) {
  return guarded([&](Library& lib) {
    RGL_CHECK(parent != nullptr);
    RGL_CHECK(child != nullptr);
    const auto above = lib.nodes.get(parent), below = lib.nodes.get(child);
    lib.settle(*above, *below);
    unlink(*above, *below);
    lib.tape.record("rgl_graph_node_remove_child", parent, child);
  });
}

rgl_status_t rgl_graph_node_set_priority(rgl_node_t node, int32_t priority) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    const auto changed = lib.nodes.get(node);
    lib.settle(*changed);
    set_priority(*changed, priority);
    lib.tape.record("rgl_graph_node_set_priority", node, priority);
  });
}

rgl_status_t rgl_graph_node_get_priority(rgl_node_t node, int32_t* out_priority) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(out_priority != nullptr);
    *out_priority = lib.nodes.get(node)->priority;
    lib.tape.record("rgl_graph_node_get_priority", node, *out_priority);
  });
}

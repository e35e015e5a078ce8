// SPDX-License-Identifier: MIT
#include <rgl/api/extensions/pcl.h>

#include "tape/handlers.hpp"

namespace rgl {

namespace {

rgl_status_t get_data(A a) {
  std::int32_t count = 0, size = 0;
  const auto field = a.value<rgl_field_t>(1);
  const rgl_status_t status = rgl_graph_get_result_size(a.node(0), field, &count, &size);
  if (status != RGL_SUCCESS) return status;
  std::vector<std::byte> out(static_cast<std::size_t>(count) * static_cast<std::size_t>(size) + 1);
  return rgl_graph_get_result_data(a.node(0), field, out.data());
}

constexpr TapeEntry kGraphHandlers[] = {
    {"rgl_graph_run", [](A a) { return rgl_graph_run(a.node(0)); }},
    {"rgl_graph_destroy", [](A a) { return rgl_graph_destroy(a.node(0)); }},
    {"rgl_graph_get_result_size",
     [](A a) { return rgl_graph_get_result_size(a.node(0), a.value<rgl_field_t>(1), nullptr, nullptr); }},
    {"rgl_graph_get_result_data", get_data},
    {"rgl_graph_node_add_child", [](A a) { return rgl_graph_node_add_child(a.node(0), a.node(1)); }},
    {"rgl_graph_node_remove_child", [](A a) { return rgl_graph_node_remove_child(a.node(0), a.node(1)); }},
    {"rgl_graph_node_set_priority",
     [](A a) { return rgl_graph_node_set_priority(a.node(0), a.value<std::int32_t>(1)); }},
    {"rgl_graph_write_pcd_file", [](A a) { return rgl_graph_write_pcd_file(a.node(0), a.text(1).c_str()); }},
};

}  // namespace

std::span<const TapeEntry> graph_handlers() { return kGraphHandlers; }

}  // namespace rgl

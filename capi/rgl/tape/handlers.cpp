// SPDX-License-Identifier: MIT
#include "tape/handlers.hpp"

#include <unordered_map>

namespace rgl {

namespace {

rgl_status_t nothing(A) { return RGL_SUCCESS; }

/// Functions that leave everything as it is.
constexpr TapeEntry kSilentHandlers[] = {
    {"rgl_get_version_info", nothing},  // these only ask
    {"rgl_get_extension_info", nothing},
    {"rgl_mesh_is_alive", nothing},
    {"rgl_entity_is_alive", nothing},
    {"rgl_texture_is_alive", nothing},
    {"rgl_node_is_alive", nothing},
    {"rgl_configure_logging", nothing},  // the log belongs to whoever plays the tape
    // Nodes of extensions that are not there: what else the tape says is played.
    {"rgl_node_points_ros2_publish", nothing},
    {"rgl_node_points_ros2_publish_with_qos", nothing},
    {"rgl_node_publish_ros2_radarscan", nothing},
    {"rgl_node_publish_ros2_radartracks", nothing},
    {"rgl_node_configure_agnocast", nothing},
    {"rgl_node_points_udp_publish", nothing},
    {"rgl_node_publish_udp_objectlist", nothing},
    {"rgl_node_points_simulate_snow", nothing},
    {"rgl_node_points_simulate_snow_configure_defaults", nothing},
    {"rgl_node_points_simulate_rain", nothing},
    {"rgl_node_points_simulate_rain_configure_defaults", nothing},
    {"rgl_node_points_simulate_fog", nothing},
    {"rgl_node_points_simulate_fog_configure_defaults", nothing},
    {"rgl_node_points_visualize", nothing},
    {"rgl_node_points_remove_ground", nothing},
    {"rgl_graph_node_get_priority", nothing},
};

const std::unordered_map<std::string_view, TapeHandler>& handlers() {
  static const auto all = [] {
    std::unordered_map<std::string_view, TapeHandler> map;
    for (const std::span<const TapeEntry> group : {std::span<const TapeEntry>(kSilentHandlers), scene_handlers(),
                                                   ray_handlers(), point_handlers(), graph_handlers()}) {
      for (const TapeEntry& entry : group) map.emplace(entry.function, entry.handler);
    }
    return map;
  }();
  return all;
}

}  // namespace

TapeHandler find_tape_handler(const std::string& function) {
  const auto found = handlers().find(function);
  return found == handlers().end() ? nullptr : found->second;
}

}  // namespace rgl

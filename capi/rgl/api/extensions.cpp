// SPDX-License-Identifier: MIT
// Functions of RGL's extensions that are not implemented: programs that name them link and load, and a call returns an
// error that says why.

#include <rgl/api/extensions/pcl.h>
#include <rgl/api/extensions/ros2.h>
#include <rgl/api/extensions/udp.h>
#include <rgl/api/extensions/weather.h>

#include "library.hpp"

using namespace rgl;

namespace {

rgl_status_t not_implemented(const char* function, const char* extension) {
  return guarded([&](Library&) {
    fail(RGL_NOT_IMPLEMENTED, fmt::format("Not implemented: {} belongs to the {} extension of RGL, which is not there "
                                          "(see rgl_get_extension_info)",
                                          function, extension));
  });
}

}  // namespace

rgl_status_t rgl_node_publish_ros2_radarscan(rgl_node_t*, const char*, const char*, rgl_qos_policy_reliability_t,
                                             rgl_qos_policy_durability_t, rgl_qos_policy_history_t, int32_t) {
  return not_implemented("rgl_node_publish_ros2_radarscan", "ROS 2");
}

rgl_status_t rgl_node_configure_agnocast(rgl_node_t, bool) {
  return not_implemented("rgl_node_configure_agnocast", "ROS 2");
}

/// Exported for programs that name it. The public headers do not declare it: its parameters are in no public source.
RGL_API rgl_status_t rgl_node_publish_ros2_radartracks() {
  return not_implemented("rgl_node_publish_ros2_radartracks", "ROS 2");
}

rgl_status_t rgl_node_points_udp_publish(rgl_node_t*, rgl_lidar_model_t, rgl_udp_options_t, const char*, const char*,
                                         int32_t) {
  return not_implemented("rgl_node_points_udp_publish", "UDP");
}

rgl_status_t rgl_node_publish_udp_objectlist(rgl_node_t*, const char*, const char*, int32_t) {
  return not_implemented("rgl_node_publish_udp_objectlist", "UDP");
}

rgl_status_t rgl_node_points_simulate_snow(rgl_node_t*, float, float, float, float, float, float, int32_t, float, bool,
                                           float) {
  return not_implemented("rgl_node_points_simulate_snow", "weather");
}

rgl_status_t rgl_node_points_simulate_snow_configure_defaults(rgl_node_t, int32_t, float, float) {
  return not_implemented("rgl_node_points_simulate_snow_configure_defaults", "weather");
}

rgl_status_t rgl_node_points_simulate_rain(rgl_node_t*, float, float, float, int32_t, float, bool, int32_t) {
  return not_implemented("rgl_node_points_simulate_rain", "weather");
}

rgl_status_t rgl_node_points_simulate_rain_configure_defaults(rgl_node_t, int32_t, float, float) {
  return not_implemented("rgl_node_points_simulate_rain_configure_defaults", "weather");
}

rgl_status_t rgl_node_points_simulate_fog(rgl_node_t*, float, float, float) {
  return not_implemented("rgl_node_points_simulate_fog", "weather");
}

rgl_status_t rgl_node_points_simulate_fog_configure_defaults(rgl_node_t, int32_t, float) {
  return not_implemented("rgl_node_points_simulate_fog_configure_defaults", "weather");
}

rgl_status_t rgl_node_points_visualize(rgl_node_t*, const char*, int32_t, int32_t, bool) {
  return not_implemented("rgl_node_points_visualize", "PCL");
}

rgl_status_t rgl_node_points_remove_ground(rgl_node_t*, rgl_axis_t, float, float, float) {
  return not_implemented("rgl_node_points_remove_ground", "PCL");
}

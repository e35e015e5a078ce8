// SPDX-License-Identifier: MIT
// Functions of RGL's extensions that are not there (section 12): they say so, whatever they are given.

#include <rgl/api/extensions/ros2.h>
#include <rgl/api/extensions/udp.h>
#include <rgl/api/extensions/weather.h>

#include "rgl/functions.hpp"

extern "C" rgl_status_t rgl_node_publish_ros2_radartracks();

namespace fathom::test {

namespace {

/// A function that needs the module for topics, which the build tree has elsewhere: the answer names its file.
Function without_module(const char* name, rgl_status_t (*call)(rgl_node_t*)) {
  return Function(name,
                  [=](Objects&) {
                    rgl_node_t node = nullptr;
                    EXPECT_EQ(call(&node), RGL_NOT_IMPLEMENTED);
                    EXPECT_EQ(node, nullptr);
                    const rgl_status_t status = call(nullptr);
                    const std::string text = last_error();
                    EXPECT_EQ(text.find(std::string("Not implemented: ") + name +
                                        " belongs to the ROS 2 extension of "
                                        "RGL, which is not there"),
                              0U)
                        << text;
                    EXPECT_NE(text.find("/libfathom-rgl-topics-"), std::string::npos) << text;
                    EXPECT_NE(text.find(".so is missing"), std::string::npos) << text;
                    return status;
                  })
      .answers(RGL_NOT_IMPLEMENTED);
}

/// A function that answers NOT_IMPLEMENTED, with its name and that of its extension, and makes no node.
Function missing(const char* name, const char* extension, rgl_status_t (*call)(rgl_node_t*)) {
  return Function(name,
                  [=](Objects&) {
                    rgl_node_t node = nullptr;
                    EXPECT_EQ(call(&node), RGL_NOT_IMPLEMENTED);
                    EXPECT_EQ(node, nullptr);
                    const rgl_status_t status = call(nullptr);
                    EXPECT_EQ(last_error(), std::string("Not implemented: ") + name + " belongs to the " + extension +
                                                " extension of RGL, which is not there (see rgl_get_extension_info)");
                    return status;
                  })
      .answers(RGL_NOT_IMPLEMENTED);
}

}  // namespace

std::vector<Function> extension_functions() {
  return {
      without_module("rgl_node_points_ros2_publish",
                     [](rgl_node_t* n) { return rgl_node_points_ros2_publish(n, "topic", "frame"); }),
      without_module("rgl_node_points_ros2_publish_with_qos",
                     [](rgl_node_t* n) {
                       return rgl_node_points_ros2_publish_with_qos(
                           n, nullptr, nullptr, QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
                           QOS_POLICY_DURABILITY_SYSTEM_DEFAULT, QOS_POLICY_HISTORY_SYSTEM_DEFAULT, -1);
                     }),
      missing("rgl_node_publish_ros2_radarscan", "ROS 2",
              [](rgl_node_t* n) {
                return rgl_node_publish_ros2_radarscan(n, "topic", "frame", QOS_POLICY_RELIABILITY_RELIABLE,
                                                       QOS_POLICY_DURABILITY_VOLATILE, QOS_POLICY_HISTORY_KEEP_ALL, 0);
              }),
      missing("rgl_node_publish_ros2_radartracks", "ROS 2",
              [](rgl_node_t*) { return rgl_node_publish_ros2_radartracks(); }),
      missing("rgl_node_configure_agnocast", "ROS 2",
              [](rgl_node_t* n) { return rgl_node_configure_agnocast(n == nullptr ? nullptr : *n, true); }),
      missing("rgl_node_points_udp_publish", "UDP",
              [](rgl_node_t* n) {
                return rgl_node_points_udp_publish(n, RGL_HESAI_PANDAR_XT32, RGL_UDP_HIGH_RESOLUTION_MODE, "", "", 0);
              }),
      missing("rgl_node_points_simulate_snow", "weather",
              [](rgl_node_t* n) { return rgl_node_points_simulate_snow(n, 0, 0, 0, 0, 0, 0, 0, 0, false, 0); }),
      missing("rgl_node_publish_udp_objectlist", "UDP",
              [](rgl_node_t* n) { return rgl_node_publish_udp_objectlist(n, "", "", 0); }),
      missing("rgl_node_points_simulate_snow_configure_defaults", "weather",
              [](rgl_node_t*) { return rgl_node_points_simulate_snow_configure_defaults(nullptr, 0, 0, 0); }),
      missing("rgl_node_points_simulate_rain", "weather",
              [](rgl_node_t* n) { return rgl_node_points_simulate_rain(n, 0, 0, 0, 0, 0, false, 0); }),
      missing("rgl_node_points_simulate_rain_configure_defaults", "weather",
              [](rgl_node_t*) { return rgl_node_points_simulate_rain_configure_defaults(nullptr, 0, 0, 0); }),
      missing("rgl_node_points_simulate_fog", "weather",
              [](rgl_node_t* n) { return rgl_node_points_simulate_fog(n, 0, 0, 0); }),
      missing("rgl_node_points_simulate_fog_configure_defaults", "weather",
              [](rgl_node_t*) { return rgl_node_points_simulate_fog_configure_defaults(nullptr, 0, 0); }),
      missing("rgl_node_points_visualize", "PCL", [](rgl_node_t* n) { return rgl_node_points_visualize(n, "window"); }),
      missing("rgl_node_points_remove_ground", "PCL",
              [](rgl_node_t* n) { return rgl_node_points_remove_ground(n, RGL_AXIS_Z, 0, 0, 0); }),
  };
}

}  // namespace fathom::test

// SPDX-License-Identifier: MIT
/* A module that names every function of RGL's extensions, as clients built for ROS 2 do: it loads with RTLD_NOW only if
 * the library exports them all. */
#include <rgl/api/extensions/pcl.h>
#include <rgl/api/extensions/ros2.h>
#include <rgl/api/extensions/tape.h>
#include <rgl/api/extensions/udp.h>
#include <rgl/api/extensions/weather.h>

RGL_API rgl_status_t rgl_node_publish_ros2_radartracks(); /* in no public header */

/* Calls those that are not implemented as their clients do. How many answered so, or -1 when one made a node. */
__attribute__((visibility("default"))) int call_extensions(void) {
  rgl_node_t node = 0;
  const rgl_status_t answers[] = {
      rgl_node_points_ros2_publish(&node, "points", "map"),
      rgl_node_points_ros2_publish_with_qos(&node, "points", "map", QOS_POLICY_RELIABILITY_BEST_EFFORT,
                                            QOS_POLICY_DURABILITY_VOLATILE, QOS_POLICY_HISTORY_KEEP_LAST, 5),
      rgl_node_publish_ros2_radarscan(&node, "radar", "map", QOS_POLICY_RELIABILITY_RELIABLE,
                                      QOS_POLICY_DURABILITY_TRANSIENT_LOCAL, QOS_POLICY_HISTORY_KEEP_ALL, 0),
      rgl_node_publish_ros2_radartracks(&node, "tracks", "map"),
      rgl_node_configure_agnocast(node, true),
      rgl_node_points_udp_publish(&node, RGL_VELODYNE_VLP16, RGL_UDP_NO_ADDITIONAL_OPTIONS, "127.0.0.1", "127.0.0.1",
                                  2368),
      rgl_node_publish_udp_objectlist(&node, "127.0.0.1", "127.0.0.1", 2368),
      rgl_node_points_simulate_snow_configure_defaults(node, 1, 1, 1),
      rgl_node_points_simulate_rain(&node, 0, 100, 1, 16, 0.1F, true, 1),
      rgl_node_points_simulate_rain_configure_defaults(node, 1, 1, 1),
      rgl_node_points_simulate_fog(&node, 0.03F, 0.01F, 2),
      rgl_node_points_simulate_fog_configure_defaults(node, 1, 1),
      rgl_node_points_visualize(&node, "points", 640, 480, false),
      rgl_node_points_remove_ground(&node, RGL_AXIS_Z, 0.1F, 0.1F, 0.1F)};
  int refused = 0;
  for (unsigned i = 0; i < sizeof(answers) / sizeof(answers[0]); ++i) refused += answers[i] == RGL_NOT_IMPLEMENTED;
  return node == 0 ? refused : -1;
}

/* Of the extensions that are there. */
__attribute__((visibility("default")))
rgl_status_t (*const kImplemented[])(const char*) = {rgl_tape_record_begin, rgl_tape_play};
__attribute__((visibility("default"))) rgl_status_t (*const kWrite)(rgl_node_t, const char*) = rgl_graph_write_pcd_file;
__attribute__((visibility("default")))
rgl_status_t (*const kDownsample)(rgl_node_t*, float, float, float) = rgl_node_points_downsample;
__attribute__((visibility("default")))
rgl_status_t (*const kSnow)(rgl_node_t*, float, float, float, float, float, float, int32_t, float, bool,
                            float) = rgl_node_points_simulate_snow;

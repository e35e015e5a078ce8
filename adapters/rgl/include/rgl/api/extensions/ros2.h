// SPDX-License-Identifier: MIT
/* The functions of RGL's ROS 2 extension. rgl_node_points_ros2_publish and ..._with_qos publish where the module
 * libfathom-rgl-topics lies beside this library: rgl_get_extension_info then gives 1 for RGL_EXTENSION_ROS2. Without
 * it, and always for the other functions, the answer is RGL_NOT_IMPLEMENTED, and no node is made. */
#ifndef RGL_API_EXTENSIONS_ROS2_H
#define RGL_API_EXTENSIONS_ROS2_H

#include <rgl/api/core.h>

/* The numbers of rmw's policies. */
typedef enum rgl_qos_policy_reliability_t {
  QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT = 0,
  QOS_POLICY_RELIABILITY_RELIABLE = 1,
  QOS_POLICY_RELIABILITY_BEST_EFFORT = 2
} rgl_qos_policy_reliability_t;

typedef enum rgl_qos_policy_durability_t {
  QOS_POLICY_DURABILITY_SYSTEM_DEFAULT = 0,
  QOS_POLICY_DURABILITY_TRANSIENT_LOCAL = 1,
  QOS_POLICY_DURABILITY_VOLATILE = 2
} rgl_qos_policy_durability_t;

typedef enum rgl_qos_policy_history_t {
  QOS_POLICY_HISTORY_SYSTEM_DEFAULT = 0,
  QOS_POLICY_HISTORY_KEEP_LAST = 1,
  QOS_POLICY_HISTORY_KEEP_ALL = 2
} rgl_qos_policy_history_t;

/* The points of a format node as PointCloud2, stamped with the scene's time, else with the system's. Names are not
 * empty, qos_history_depth is 0 (the default of ROS 2, 10) or above. KEEP_ALL keeps the last 1000 messages. An error of
 * DDS is RGL_ROS2_ERROR. */
RGL_API rgl_status_t rgl_node_points_ros2_publish(rgl_node_t* node, const char* topic_name, const char* frame_id);
RGL_API rgl_status_t rgl_node_points_ros2_publish_with_qos(
    rgl_node_t* node, const char* topic_name, const char* frame_id, rgl_qos_policy_reliability_t qos_reliability,
    rgl_qos_policy_durability_t qos_durability, rgl_qos_policy_history_t qos_history, int32_t qos_history_depth);
/* Detections of a radar as RadarScan. */
RGL_API rgl_status_t rgl_node_publish_ros2_radarscan(rgl_node_t* node, const char* topic_name, const char* frame_id,
                                                     rgl_qos_policy_reliability_t qos_reliability,
                                                     rgl_qos_policy_durability_t qos_durability,
                                                     rgl_qos_policy_history_t qos_history, int32_t qos_history_depth);
/* Whether a publishing node hands its messages over in shared memory; 0.21. */
RGL_API rgl_status_t rgl_node_configure_agnocast(rgl_node_t node, bool enable);

#endif

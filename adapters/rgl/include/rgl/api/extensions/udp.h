// SPDX-License-Identifier: MIT
/* The functions of RGL's UDP extension, which is not public; declared as their users declare them. They are there so
 * that programs which name them link and load; they send nothing, answer RGL_NOT_IMPLEMENTED and make no node.
 * rgl_get_extension_info says 0 for RGL_EXTENSION_UDP. Up to 0.18 the third parameter of the first was a return mode.
 */
#ifndef RGL_API_EXTENSIONS_UDP_H
#define RGL_API_EXTENSIONS_UDP_H

#include <rgl/api/core.h>

typedef enum rgl_lidar_model_t {
  RGL_VELODYNE_VLP16 = 1,
  RGL_VELODYNE_VLP32C = 2,
  RGL_VELODYNE_VLS128 = 3,
  RGL_HESAI_PANDAR_40P = 4,
  RGL_HESAI_PANDAR_QT64 = 5,
  RGL_HESAI_QT128C2X = 6,
  RGL_HESAI_PANDAR_128E4X = 7,
  RGL_HESAI_PANDAR_XT32 = 8
} rgl_lidar_model_t;

/* To be added up. */
typedef enum rgl_udp_options_t {
  RGL_UDP_NO_ADDITIONAL_OPTIONS = 0,
  RGL_UDP_ENABLE_HESAI_UDP_SEQUENCE = 1,
  RGL_UDP_HIGH_RESOLUTION_MODE = 2,
  RGL_UDP_UP_CLOSE_BLOCKAGE_DETECTION = 4,
  RGL_UDP_FIT_QT64_TO_HESAI_PANDAR_DRIVER = 8
} rgl_udp_options_t;

/* Points as the packets of a lidar. */
RGL_API rgl_status_t rgl_node_points_udp_publish(rgl_node_t* node, rgl_lidar_model_t lidar_model,
                                                 rgl_udp_options_t udp_options, const char* device_ip,
                                                 const char* dest_ip, int32_t dest_port);
/* The objects that a radar follows. */
RGL_API rgl_status_t rgl_node_publish_udp_objectlist(rgl_node_t* node, const char* device_ip, const char* dest_ip,
                                                     int32_t dest_port);

#endif

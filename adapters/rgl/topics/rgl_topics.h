/* SPDX-License-Identifier: MIT */
/* The functions of libfathom-rgl-topics-VERSION.so, which libRobotecGPULidar.so loads to publish clouds as topics of
 * ROS 2. Both come from one build. Functions return 0, or write a text of at most `size` bytes to `error`. */
#ifndef FATHOM_RGL_TOPICS_H
#define FATHOM_RGL_TOPICS_H

#include <stddef.h>
#include <stdint.h>

typedef struct fathom_topic_field {
  const char* name;
  uint32_t offset;  /* bytes from the start of the point */
  uint8_t datatype; /* as in sensor_msgs/msg/PointField */
} fathom_topic_field;

typedef struct fathom_topic_cloud {
  const char* frame_id;
  int32_t sec;
  uint32_t nanosec;
  uint32_t points, point_step;
  const fathom_topic_field* fields;
  size_t field_count;
  const void* data; /* [points, point_step] */
  int is_dense;
} fathom_topic_cloud;

typedef struct fathom_topic_quality {
  int is_reliable, is_latched;
  int32_t depth;
} fathom_topic_quality;

/* Finds or makes the writer of a topic in a domain of DDS, which stays until the process ends. interface: a name or an
 * address; "": this computer alone. */
typedef int fathom_topic_open_t(uint32_t domain, const char* interface, const char* topic, fathom_topic_quality quality,
                                void** writer, char* error, size_t size);
typedef int fathom_topic_publish_t(void* writer, const fathom_topic_cloud* cloud, char* error, size_t size);

#endif

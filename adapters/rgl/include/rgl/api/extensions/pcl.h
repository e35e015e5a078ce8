// SPDX-License-Identifier: MIT
/* The functions of RGL's PCL extension. Two need no PCL and work. The two that do answer RGL_NOT_IMPLEMENTED and make
 * no node; they are there so that programs which name them link and load. rgl_get_extension_info says 0 for
 * RGL_EXTENSION_PCL. */
#ifndef RGL_API_EXTENSIONS_PCL_H
#define RGL_API_EXTENSIONS_PCL_H

#include <rgl/api/core.h>

#ifdef __cplusplus
#define RGL_DEFAULT(value) = value
#else
#define RGL_DEFAULT(value)
#endif

/* Writes the points of the last run as a binary PCD file. */
RGL_API rgl_status_t rgl_graph_write_pcd_file(rgl_node_t node, const char* file_path);
/* One point per cube of a grid. */
RGL_API rgl_status_t rgl_node_points_downsample(rgl_node_t* node, float leaf_size_x, float leaf_size_y,
                                                float leaf_size_z);

/* Not implemented: points in a window. */
RGL_API rgl_status_t rgl_node_points_visualize(rgl_node_t* node, const char* window_name,
                                               int32_t window_width RGL_DEFAULT(1280),
                                               int32_t window_height RGL_DEFAULT(1024),
                                               bool fullscreen RGL_DEFAULT(false));
/* Not implemented: points without those of a plane fitted by RANSAC. rgl_node_points_filter_ground finds the ground by
 * the slope of surfaces. */
RGL_API rgl_status_t rgl_node_points_remove_ground(rgl_node_t* node, rgl_axis_t sensor_up_axis,
                                                   float ground_angle_threshold, float ground_distance_threshold,
                                                   float ground_filter_distance);

#undef RGL_DEFAULT

#endif

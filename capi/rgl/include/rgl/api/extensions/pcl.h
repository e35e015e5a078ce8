/* The two functions of RGL's PCL extension that need no PCL. rgl_get_extension_info says 0 for RGL_EXTENSION_PCL, because
 * the others (a window, RANSAC) are not there. */
#ifndef RGL_API_EXTENSIONS_PCL_H
#define RGL_API_EXTENSIONS_PCL_H

#include <rgl/api/core.h>

/* Writes the points of the last run as a binary PCD file. */
RGL_API rgl_status_t rgl_graph_write_pcd_file(rgl_node_t node, const char* file_path);
/* One point per cube of a grid. */
RGL_API rgl_status_t rgl_node_points_downsample(rgl_node_t* node, float leaf_size_x, float leaf_size_y,
                                                float leaf_size_z);

#endif

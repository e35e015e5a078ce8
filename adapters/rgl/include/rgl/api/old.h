// SPDX-License-Identifier: MIT
/* Names that later versions of RGL dropped, for programs that still use them. */
#ifndef RGL_API_OLD_H
#define RGL_API_OLD_H

#include <rgl/api/core.h>

/* ---- up to 0.18 ---- */

RGL_API rgl_status_t rgl_entity_set_pose(rgl_entity_t entity, const rgl_mat3x4f* pose);
/* Changes the mesh of all its entities. */
RGL_API rgl_status_t rgl_mesh_update_vertices(rgl_mesh_t mesh, const rgl_vec3f* vertices, int32_t vertex_count);
/* The same, up to 0.9. */
RGL_API rgl_status_t rgl_mesh_set_vertices(rgl_mesh_t mesh, const rgl_vec3f* vertices, int32_t vertex_count);
/* 0.18: passes on the points of one return type. */
RGL_API rgl_status_t rgl_node_multi_return_switch(rgl_node_t* node, rgl_return_type_t return_type);
/* Up to 0.17: rgl_node_points_compact_by_field of IS_HIT. */
RGL_API rgl_status_t rgl_node_points_compact(rgl_node_t* node);
/* 0.15 and 0.16. */
RGL_API rgl_status_t rgl_node_raytrace_with_distortion(rgl_node_t* node, rgl_scene_t scene,
                                                       const rgl_vec3f* linear_velocity,
                                                       const rgl_vec3f* angular_velocity);

/* Between 0.16 and 0.17. After these two, rgl_node_raytrace on the same node ends the motion. */
RGL_API rgl_status_t rgl_node_raytrace_in_motion(rgl_node_t* node, rgl_scene_t scene, const rgl_vec3f* linear_velocity,
                                                 const rgl_vec3f* angular_velocity, bool apply_ray_distortion);
/* 0.11 and 0.12: keeps the points of all runs; writes them, x y z, as a binary PCD file when the node is destroyed. No
 * points: no file. A file that cannot be written: the call that destroys the node gives INVALID_FILE_PATH, and destroys
 * it. */
RGL_API rgl_status_t rgl_node_points_write_pcd_file(rgl_node_t* node, const char* file_path);

/* ---- 0.6 to 0.10: lidars instead of graphs ---- */

typedef struct Lidar* rgl_lidar_t;

RGL_ENUM(rgl_format_t){
    RGL_FORMAT_INVALID = 0,     RGL_FORMAT_XYZ = 1,       /* 12 bytes: x y z in the world */
    RGL_FORMAT_E2E_INVALID = 2, RGL_FORMAT_E2E_PCL12 = 3, /* x y z after the post-raycast transform */
    RGL_FORMAT_E2E_PCL24 = 4,                             /* and 4 bytes, f32 intensity, u16 ring, 2 bytes */
    RGL_FORMAT_E2E_PCL48 = 5, /* and f32 azimuth, f32 distance, u8 return type, 7 bytes, f64 time stamp */
    RGL_FORMAT_E2E_COUNT = 6} rgl_format_t;

RGL_ENUM(rgl_angular_noise_type_t){RGL_ANGULAR_NOISE_TYPE_RAY_BASED = 0,
                                   RGL_ANGULAR_NOISE_TYPE_HITPOINT_BASED = 1} rgl_angular_noise_type_t;

RGL_API rgl_status_t rgl_lidar_create(rgl_lidar_t* out_lidar, const rgl_mat3x4f* ray_transforms,
                                      int32_t ray_transforms_count);
RGL_API rgl_status_t rgl_lidar_destroy(rgl_lidar_t lidar);
RGL_API rgl_status_t rgl_lidar_set_range(rgl_lidar_t lidar, float range);
RGL_API rgl_status_t rgl_lidar_set_pose(rgl_lidar_t lidar, const rgl_mat3x4f* pose);
RGL_API rgl_status_t rgl_lidar_set_ring_indices(rgl_lidar_t lidar, const int32_t* ring_ids, int32_t ring_ids_count);
RGL_API rgl_status_t rgl_lidar_set_post_raycast_transform(rgl_lidar_t lidar, const rgl_mat3x4f* transform);
/* One angular noise, about -Y; then noise of the distance. */
RGL_API rgl_status_t rgl_lidar_set_gaussian_noise_params(rgl_lidar_t lidar, rgl_angular_noise_type_t angular_noise_type,
                                                         float angular_noise_stddev, float angular_noise_mean,
                                                         float distance_noise_stddev_base,
                                                         float distance_noise_stddev_rise_per_meter,
                                                         float distance_noise_mean);
RGL_API rgl_status_t rgl_lidar_raytrace_async(rgl_scene_t scene, rgl_lidar_t lidar);
/* How many rays hit something; waits. */
RGL_API rgl_status_t rgl_lidar_get_output_size(rgl_lidar_t lidar, int32_t* out_size);
RGL_API rgl_status_t rgl_lidar_get_output_data(rgl_lidar_t lidar, rgl_format_t format, void* out_data);

#endif

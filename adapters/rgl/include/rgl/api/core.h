// SPDX-License-Identifier: MIT
/* The C interface of Robotec GPU Lidar, version 0.21, implemented by fathom (docs/rgl.md). Programs written for RGL's
 * own library link to this one unchanged; names, values and layouts are RGL's. Compiles as C11 and as C++.
 *
 * Conventions: every function but rgl_get_last_error_string returns a status. Handles are opaque and never reused; one
 * that is not alive, or of another kind, gives RGL_INVALID_API_OBJECT. Matrices are row-major 3 x 4, columns 0 to 2 the
 * linear part, column 3 the translation. A ray starts at the translation of its matrix and points along its z axis.
 * Lengths in metres, angles in radians. `scene` is always NULL. */
#ifndef RGL_API_CORE_H
#define RGL_API_CORE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#define RGL_EXTERN extern "C"
#else
#define RGL_EXTERN
#endif

#if defined(_WIN32)
#define RGL_API RGL_EXTERN __declspec(dllexport)
#else
#define RGL_API RGL_EXTERN __attribute__((visibility("default")))
#endif

/* ---- values ---- */

#define RGL_VERSION_MAJOR 0
#define RGL_VERSION_MINOR 19
#define RGL_VERSION_PATCH 0

#define RGL_ENTITY_INVALID_ID 0
#define RGL_DEFAULT_ENTITY_ID 268435455 /* 2^28 - 1 */

#define RGL_SENSOR_ID_DEFAULT 0
#define RGL_SENSOR_ID_NONE (-2147483647 - 1)

#define RGL_RETURN_TYPE_BIT_SHIFT 8
#define RGL_RETURN_MODE_BIT_SHIFT 24
#define RGL_RETURN_MODE_SINGLE 0x01000000
#define RGL_RETURN_MODE_DUAL 0x02000000

typedef struct rgl_vec2f {
  float value[2];
} rgl_vec2f;

typedef struct rgl_vec3f {
  float value[3];
} rgl_vec3f;

typedef struct rgl_vec3i {
  int32_t value[3];
} rgl_vec3i;

typedef struct rgl_mat3x4f {
  float value[3][4];
} rgl_mat3x4f;

/* The separation of a radar between two distances. */
typedef struct rgl_radar_scope_t {
  float begin_distance;
  float end_distance;
  float distance_separation_threshold;
  float radial_speed_separation_threshold;
  float azimuth_separation_threshold;
} rgl_radar_scope_t;

/* The bones that move a vertex. */
typedef struct rgl_bone_weights_t {
  float weights[4];
  int32_t bone_indexes[4];
} rgl_bone_weights_t;

typedef struct Mesh* rgl_mesh_t;
typedef struct Entity* rgl_entity_t;
typedef struct Texture* rgl_texture_t;
typedef struct Node* rgl_node_t;
typedef struct Scene* rgl_scene_t;

#ifdef __cplusplus
#define RGL_ENUM(name) typedef enum name : int32_t
#else
#define RGL_ENUM(name) typedef enum name
#endif

RGL_ENUM(rgl_status_t){
    RGL_SUCCESS = 0,
    RGL_INVALID_ARGUMENT = 1,
    RGL_INVALID_STATE = 2, /* after a fatal error, for ever */
    RGL_LOGGING_ERROR = 3, /* fatal */
    RGL_INVALID_API_OBJECT = 4,
    RGL_INVALID_FILE_PATH = 5,
    RGL_TAPE_ERROR = 6,
    RGL_UDP_ERROR = 7,
    RGL_ROS2_ERROR = 8,
    RGL_INVALID_PIPELINE = 9,
    RGL_INITIALIZATION_ERROR = 10, /* fatal */
    RGL_NOT_IMPLEMENTED = 404,
    RGL_INTERNAL_EXCEPTION = 500 /* fatal */
} rgl_status_t;

RGL_ENUM(rgl_log_level_t){RGL_LOG_LEVEL_ALL = 0,      RGL_LOG_LEVEL_TRACE = 0, RGL_LOG_LEVEL_DEBUG = 1,
                          RGL_LOG_LEVEL_INFO = 2,     RGL_LOG_LEVEL_WARN = 3,  RGL_LOG_LEVEL_ERROR = 4,
                          RGL_LOG_LEVEL_CRITICAL = 5, RGL_LOG_LEVEL_OFF = 6,   RGL_LOG_LEVEL_COUNT = 7} rgl_log_level_t;

RGL_ENUM(rgl_extension_t){RGL_EXTENSION_PCL = 0, RGL_EXTENSION_ROS2 = 1, RGL_EXTENSION_UDP = 2,
                          RGL_EXTENSION_WEATHER = 3, RGL_EXTENSION_COUNT = 4} rgl_extension_t;

RGL_ENUM(rgl_radar_object_class_t){
    RGL_RADAR_CLASS_CAR = 0,     RGL_RADAR_CLASS_TRUCK = 1,      RGL_RADAR_CLASS_MOTORCYCLE = 2,
    RGL_RADAR_CLASS_BICYCLE = 3, RGL_RADAR_CLASS_PEDESTRIAN = 4, RGL_RADAR_CLASS_ANIMAL = 5,
    RGL_RADAR_CLASS_HAZARD = 6,  RGL_RADAR_CLASS_UNKNOWN = 7,    RGL_RADAR_CLASS_COUNT = 8} rgl_radar_object_class_t;

RGL_ENUM(rgl_axis_t){RGL_AXIS_X = 1, RGL_AXIS_Y = 2, RGL_AXIS_Z = 3} rgl_axis_t;

/* One byte wide, as stored for each point. */
#ifdef __cplusplus
typedef enum rgl_return_type_t : uint8_t {
#else
typedef uint8_t rgl_return_type_t;
enum {
#endif
  RGL_RETURN_TYPE_UNKNOWN = 0,
  RGL_RETURN_TYPE_STRONGEST = 1,
  RGL_RETURN_TYPE_LAST = 2,
  RGL_RETURN_TYPE_SECOND = 3,
  RGL_RETURN_TYPE_FIRST = 4,
  RGL_RETURN_TYPE_SECOND_STRONGEST = 5
#ifdef __cplusplus
} rgl_return_type_t;
#else
};
#endif

/* Byte 3: the number of returns; byte i: the type of return i. */
RGL_ENUM(rgl_return_mode_t){RGL_RETURN_UNKNOWN = 0,
                            RGL_RETURN_FIRST = 0x01000004,
                            RGL_RETURN_SECOND = 0x01000003,
                            RGL_RETURN_LAST = 0x01000002,
                            RGL_RETURN_STRONGEST = 0x01000001,
                            RGL_RETURN_LAST_STRONGEST = 0x02000102,
                            RGL_RETURN_FIRST_LAST = 0x02000204,
                            RGL_RETURN_FIRST_STRONGEST = 0x02000104,
                            RGL_RETURN_STRONGEST_SECOND_STRONGEST = 0x02000501,
                            RGL_RETURN_FIRST_SECOND = 0x02000304} rgl_return_mode_t;

/* The values of a point. The suffix is the type in memory. */
RGL_ENUM(rgl_field_t){
    RGL_FIELD_XYZ_VEC3_F32 = 1,
    RGL_FIELD_INTENSITY_F32 = 2,
    RGL_FIELD_INTENSITY_U8 = 3,
    RGL_FIELD_IS_HIT_I32 = 4,
    RGL_FIELD_IS_GROUND_I32 = 5, /* 1: NOT ground */
    RGL_FIELD_RAY_IDX_U32 = 6,
    RGL_FIELD_ENTITY_ID_I32 = 7,
    RGL_FIELD_DISTANCE_F32 = 8,
    RGL_FIELD_AZIMUTH_F32 = 9,
    RGL_FIELD_ELEVATION_F32 = 10,
    RGL_FIELD_RING_ID_U16 = 11,
    RGL_FIELD_RETURN_TYPE_U8 = 12,
    RGL_FIELD_TIME_STAMP_F64 = 13,
    RGL_FIELD_TIME_STAMP_U32 = 14,
    RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32 = 15,
    RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32 = 16,
    RGL_FIELD_RADIAL_SPEED_F32 = 17,
    RGL_FIELD_POWER_F32 = 18,
    RGL_FIELD_RCS_F32 = 19,
    RGL_FIELD_NOISE_F32 = 20,
    RGL_FIELD_SNR_F32 = 21,
    RGL_FIELD_NORMAL_VEC3_F32 = 22,
    RGL_FIELD_INCIDENT_ANGLE_F32 = 23,
    RGL_FIELD_RAY_POSE_MAT3x4_F32 = 24,
    RGL_FIELD_LASER_RETRO_F32 = 25,
    RGL_FIELD_REFLECTIVITY_F32 = 26, /* since 0.20 */
    RGL_FIELD_PADDING_8 = 1024,
    RGL_FIELD_PADDING_16 = 1025,
    RGL_FIELD_PADDING_32 = 1026,
    RGL_FIELD_DYNAMIC_FORMAT = 13842 /* the packed points of a format node */
} rgl_field_t;

/* ---- general ---- */

RGL_API rgl_status_t rgl_get_version_info(int32_t* out_major, int32_t* out_minor, int32_t* out_patch);
/* 1 if the whole extension is available (of ROS 2, the part in ros2.h); else 0. */
RGL_API rgl_status_t rgl_get_extension_info(rgl_extension_t extension, int32_t* out_available);
/* The file is emptied; path NULL or "": no file. */
RGL_API rgl_status_t rgl_configure_logging(rgl_log_level_t log_level, const char* log_file_path, bool use_stdout);
/* The message of this thread's last call; valid until its next call. */
RGL_API void rgl_get_last_error_string(const char** out_error_string);
/* Destroys all nodes, entities, meshes and textures, and unsets the scene's time. */
RGL_API rgl_status_t rgl_cleanup(void);

/* ---- meshes, entities, textures, scene ---- */

/* index_count counts triangles. */
RGL_API rgl_status_t rgl_mesh_create(rgl_mesh_t* out_mesh, const rgl_vec3f* vertices, int32_t vertex_count,
                                     const rgl_vec3i* indices, int32_t index_count);
RGL_API rgl_status_t rgl_mesh_set_texture_coords(rgl_mesh_t mesh, const rgl_vec2f* uvs, int32_t uv_count);
RGL_API rgl_status_t rgl_mesh_set_bone_weights(rgl_mesh_t mesh, const rgl_bone_weights_t* bone_weights,
                                               int32_t bone_weights_count);
/* Inverse bind matrices. */
RGL_API rgl_status_t rgl_mesh_set_restposes(rgl_mesh_t mesh, const rgl_mat3x4f* restposes, int32_t bones_count);
/* Entities keep the geometry. */
RGL_API rgl_status_t rgl_mesh_destroy(rgl_mesh_t mesh);
RGL_API rgl_status_t rgl_mesh_is_alive(rgl_mesh_t mesh, bool* out_alive);

RGL_API rgl_status_t rgl_entity_create(rgl_entity_t* out_entity, rgl_scene_t scene, rgl_mesh_t mesh);
RGL_API rgl_status_t rgl_entity_destroy(rgl_entity_t entity);
RGL_API rgl_status_t rgl_entity_set_transform(rgl_entity_t entity, const rgl_mat3x4f* transform);
/* Skinning by world matrices of the bones. The entity's own transform should be the identity. */
RGL_API rgl_status_t rgl_entity_set_pose_world(rgl_entity_t entity, const rgl_mat3x4f* pose, int32_t bones_count);
RGL_API rgl_status_t rgl_entity_set_id(rgl_entity_t entity, int32_t id);
RGL_API rgl_status_t rgl_entity_set_intensity_texture(rgl_entity_t entity, rgl_texture_t texture);
RGL_API rgl_status_t rgl_entity_set_laser_retro(rgl_entity_t entity, float retro);
RGL_API rgl_status_t rgl_entity_apply_external_animation(rgl_entity_t entity, const rgl_vec3f* vertices,
                                                         int32_t vertex_count);
/* The sensor of that id (rgl_node_raytrace_configure_id) does not see the entity. */
RGL_API rgl_status_t rgl_entity_set_ignored_by_sensor(rgl_entity_t entity, int32_t sensor_id);
RGL_API rgl_status_t rgl_entity_is_alive(rgl_entity_t entity, bool* out_alive);

/* One byte a texel, row after row. */
RGL_API rgl_status_t rgl_texture_create(rgl_texture_t* out_texture, const void* texels, int32_t width, int32_t height);
RGL_API rgl_status_t rgl_texture_destroy(rgl_texture_t texture);
RGL_API rgl_status_t rgl_texture_is_alive(rgl_texture_t texture, bool* out_alive);

RGL_API rgl_status_t rgl_scene_set_time(rgl_scene_t scene, uint64_t nanoseconds);

/* ---- nodes: makes a node if `*node` is NULL, else changes it ---- */

RGL_API rgl_status_t rgl_node_rays_from_mat3x4f(rgl_node_t* node, const rgl_mat3x4f* rays, int32_t ray_count);
/* Ring of ray i: ring_ids[i mod count]. */
RGL_API rgl_status_t rgl_node_rays_set_ring_ids(rgl_node_t* node, const int32_t* ring_ids, int32_t ring_ids_count);
/* Minimum and maximum, for each ray or one for all. */
RGL_API rgl_status_t rgl_node_rays_set_range(rgl_node_t* node, const rgl_vec2f* ranges, int32_t ranges_count);
/* Milliseconds. */
RGL_API rgl_status_t rgl_node_rays_set_time_offsets(rgl_node_t* node, const float* offsets, int32_t offsets_count);
RGL_API rgl_status_t rgl_node_rays_transform(rgl_node_t* node, const rgl_mat3x4f* transform);

RGL_API rgl_status_t rgl_node_raytrace(rgl_node_t* node, rgl_scene_t scene);
/* Velocities of the sensor in its own frame, m/s and rad/s. */
RGL_API rgl_status_t rgl_node_raytrace_configure_velocity(rgl_node_t node, const rgl_vec3f* linear_velocity,
                                                          const rgl_vec3f* angular_velocity);
RGL_API rgl_status_t rgl_node_raytrace_configure_distortion(rgl_node_t node, bool enable);
RGL_API rgl_status_t rgl_node_raytrace_configure_non_hits(rgl_node_t node, float nearDistance, float farDistance);
RGL_API rgl_status_t rgl_node_raytrace_configure_mask(rgl_node_t node, const int8_t* rays_mask, int32_t rays_count);
/* Full angles; both 0: off. */
RGL_API rgl_status_t rgl_node_raytrace_configure_beam_divergence(rgl_node_t node, float horizontal_beam_divergence,
                                                                 float vertical_beam_divergence);
RGL_API rgl_status_t rgl_node_raytrace_configure_default_intensity(rgl_node_t node, float default_intensity);
RGL_API rgl_status_t rgl_node_raytrace_configure_return_mode(rgl_node_t node, rgl_return_mode_t return_mode);
/* Since 0.20: REFLECTIVITY = alpha INTENSITY DISTANCE^2. */
RGL_API rgl_status_t rgl_node_raytrace_configure_reflectivity_alpha(rgl_node_t node, float reflectivity_alpha);
/* Since 0.21. */
RGL_API rgl_status_t rgl_node_raytrace_configure_id(rgl_node_t node, int32_t id);

RGL_API rgl_status_t rgl_node_points_transform(rgl_node_t* node, const rgl_mat3x4f* transform);
RGL_API rgl_status_t rgl_node_points_format(rgl_node_t* node, const rgl_field_t* fields, int32_t field_count);
RGL_API rgl_status_t rgl_node_points_yield(rgl_node_t* node, const rgl_field_t* fields, int32_t field_count);
/* Keeps the points whose IS_HIT or IS_GROUND is not 0. */
RGL_API rgl_status_t rgl_node_points_compact_by_field(rgl_node_t* node, rgl_field_t field);
RGL_API rgl_status_t rgl_node_points_spatial_merge(rgl_node_t* node, const rgl_field_t* fields, int32_t field_count);
RGL_API rgl_status_t rgl_node_points_temporal_merge(rgl_node_t* node, const rgl_field_t* fields, int32_t field_count);
RGL_API rgl_status_t rgl_node_points_from_array(rgl_node_t* node, const void* points, int32_t points_count,
                                                const rgl_field_t* fields, int32_t field_count);
RGL_API rgl_status_t rgl_node_points_radar_postprocess(rgl_node_t* node, const rgl_radar_scope_t* radar_scopes,
                                                       int32_t radar_scopes_count, float ray_azimuth_step,
                                                       float ray_elevation_step, float frequency,
                                                       float power_transmitted, float cumulative_device_gain,
                                                       float received_noise_mean, float received_noise_st_dev);
/* max_prediction_time_frame in milliseconds. */
RGL_API rgl_status_t rgl_node_points_radar_track_objects(rgl_node_t* node, float object_distance_threshold,
                                                         float object_azimuth_threshold,
                                                         float object_elevation_threshold,
                                                         float object_radial_speed_threshold,
                                                         float max_matching_distance, float max_prediction_time_frame,
                                                         float movement_sensitivity);
RGL_API rgl_status_t rgl_node_points_radar_set_classes(rgl_node_t node, const int32_t* entity_ids,
                                                       const rgl_radar_object_class_t* object_classes, int32_t count);
RGL_API rgl_status_t rgl_node_points_filter_ground(rgl_node_t* node, const rgl_vec3f* sensor_up_vector,
                                                   float ground_angle_threshold);

/* Noise: formulas in docs/noise.md under angular_ray, angular_hit and distance. */
RGL_API rgl_status_t rgl_node_gaussian_noise_angular_ray(rgl_node_t* node, float mean, float st_dev,
                                                         rgl_axis_t rotation_axis);
RGL_API rgl_status_t rgl_node_gaussian_noise_angular_hitpoint(rgl_node_t* node, float mean, float st_dev,
                                                              rgl_axis_t rotation_axis);
RGL_API rgl_status_t rgl_node_gaussian_noise_distance(rgl_node_t* node, float mean, float st_dev_base,
                                                      float st_dev_rise_per_meter);

RGL_API rgl_status_t rgl_node_is_alive(rgl_node_t node, bool* out_alive);

/* ---- graphs: all nodes linked to a node ---- */

/* Checks the graph, then runs it in the background. */
RGL_API rgl_status_t rgl_graph_run(rgl_node_t node);
RGL_API rgl_status_t rgl_graph_destroy(rgl_node_t node);
/* The number of points, and the bytes of one. Waits for the node. Either pointer may be NULL. */
RGL_API rgl_status_t rgl_graph_get_result_size(rgl_node_t node, rgl_field_t field, int32_t* out_count,
                                               int32_t* out_size_of);
RGL_API rgl_status_t rgl_graph_get_result_data(rgl_node_t node, rgl_field_t field, void* dst);
RGL_API rgl_status_t rgl_graph_node_add_child(rgl_node_t parent, rgl_node_t child);
RGL_API rgl_status_t rgl_graph_node_remove_child(rgl_node_t parent, rgl_node_t child);
/* Higher priorities run first. A priority is never below a child's. */
RGL_API rgl_status_t rgl_graph_node_set_priority(rgl_node_t node, int32_t priority);
RGL_API rgl_status_t rgl_graph_node_get_priority(rgl_node_t node, int32_t* out_priority);

#endif

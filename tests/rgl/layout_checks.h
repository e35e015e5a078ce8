/* What binary compatibility rests on, checked by both languages at compile time. */
#ifndef LAYOUT_CHECKS_H
#define LAYOUT_CHECKS_H

#include <stddef.h>

#include <rgl/api/core.h>
#include <rgl/api/extensions/pcl.h>
#include <rgl/api/extensions/tape.h>
#include <rgl/api/fathom.h>
#include <rgl/api/old.h>

#ifdef __cplusplus
#define CHECK_THAT(condition) static_assert(condition, #condition)
#else
#define CHECK_THAT(condition) _Static_assert(condition, #condition)
#endif

CHECK_THAT(sizeof(rgl_vec2f) == 8);
CHECK_THAT(sizeof(rgl_vec3f) == 12);
CHECK_THAT(sizeof(rgl_vec3i) == 12);
CHECK_THAT(sizeof(rgl_mat3x4f) == 48);
CHECK_THAT(sizeof(rgl_radar_scope_t) == 20);
CHECK_THAT(offsetof(rgl_radar_scope_t, end_distance) == 4);
CHECK_THAT(offsetof(rgl_radar_scope_t, distance_separation_threshold) == 8);
CHECK_THAT(offsetof(rgl_radar_scope_t, radial_speed_separation_threshold) == 12);
CHECK_THAT(offsetof(rgl_radar_scope_t, azimuth_separation_threshold) == 16);
CHECK_THAT(sizeof(rgl_bone_weights_t) == 32);
CHECK_THAT(offsetof(rgl_bone_weights_t, bone_indexes) == 16);
CHECK_THAT(sizeof(bool) == 1);
CHECK_THAT(sizeof(rgl_status_t) == 4);
CHECK_THAT(sizeof(rgl_field_t) == 4);
CHECK_THAT(sizeof(rgl_return_mode_t) == 4);
CHECK_THAT(sizeof(rgl_return_type_t) == 1);
CHECK_THAT(sizeof(rgl_axis_t) == 4);
CHECK_THAT(RGL_INVALID_PIPELINE == 9 && RGL_INITIALIZATION_ERROR == 10 && RGL_NOT_IMPLEMENTED == 404);
CHECK_THAT(RGL_INTERNAL_EXCEPTION == 500 && RGL_TAPE_ERROR == 6 && RGL_INVALID_FILE_PATH == 5);
CHECK_THAT(RGL_LOG_LEVEL_OFF == 6 && RGL_EXTENSION_COUNT == 4 && RGL_RADAR_CLASS_COUNT == 8);
CHECK_THAT(RGL_AXIS_X == 1 && RGL_AXIS_Z == 3 && RGL_RETURN_TYPE_SECOND_STRONGEST == 5);
CHECK_THAT(RGL_RETURN_FIRST == 0x01000004 && RGL_RETURN_STRONGEST_SECOND_STRONGEST == 0x02000501);
CHECK_THAT(RGL_RETURN_LAST_STRONGEST == 0x02000102 && RGL_RETURN_FIRST_SECOND == 0x02000304);
CHECK_THAT(RGL_FIELD_XYZ_VEC3_F32 == 1 && RGL_FIELD_RING_ID_U16 == 11 && RGL_FIELD_LASER_RETRO_F32 == 25);
CHECK_THAT(RGL_FIELD_POWER_F32 == 18 && RGL_FIELD_RAY_POSE_MAT3x4_F32 == 24 && RGL_FIELD_REFLECTIVITY_F32 == 26);
CHECK_THAT(RGL_FIELD_PADDING_8 == 1024 && RGL_FIELD_PADDING_32 == 1026 && RGL_FIELD_DYNAMIC_FORMAT == 13842);
CHECK_THAT(RGL_DEFAULT_ENTITY_ID == 268435455 && RGL_SENSOR_ID_NONE == INT32_MIN);

#endif

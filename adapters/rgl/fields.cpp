// SPDX-License-Identifier: MIT
#include "fields.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

namespace {

constexpr FieldInfo kFields[] = {
    {RGL_FIELD_XYZ_VEC3_F32, 12, "XYZ_VEC3_F32", "x y z", 'F'},
    {RGL_FIELD_INTENSITY_F32, 4, "INTENSITY_F32", "intensity", 'F'},
    {RGL_FIELD_INTENSITY_U8, 1, "INTENSITY_U8", "intensity", 'U'},
    {RGL_FIELD_IS_HIT_I32, 4, "IS_HIT_I32", "is_hit", 'I'},
    {RGL_FIELD_IS_GROUND_I32, 4, "IS_GROUND_I32", "is_ground", 'I'},
    {RGL_FIELD_RAY_IDX_U32, 4, "RAY_IDX_U32", "ray_idx", 'U'},
    {RGL_FIELD_ENTITY_ID_I32, 4, "ENTITY_ID_I32", "entity_id", 'I'},
    {RGL_FIELD_DISTANCE_F32, 4, "DISTANCE_F32", "distance", 'F'},
    {RGL_FIELD_AZIMUTH_F32, 4, "AZIMUTH_F32", "azimuth", 'F'},
    {RGL_FIELD_ELEVATION_F32, 4, "ELEVATION_F32", "elevation", 'F'},
    {RGL_FIELD_RING_ID_U16, 2, "RING_ID_U16", "channel", 'U'},
    {RGL_FIELD_RETURN_TYPE_U8, 1, "RETURN_TYPE_U8", "return_type", 'U'},
    {RGL_FIELD_TIME_STAMP_F64, 8, "TIME_STAMP_F64", "time_stamp", 'F'},
    {RGL_FIELD_TIME_STAMP_U32, 4, "TIME_STAMP_U32", "time_stamp", 'U'},
    {RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32, 12, "ABSOLUTE_VELOCITY_VEC3_F32", "abs_vx abs_vy abs_vz", 'F'},
    {RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32, 12, "RELATIVE_VELOCITY_VEC3_F32", "rel_vx rel_vy rel_vz", 'F'},
    {RGL_FIELD_RADIAL_SPEED_F32, 4, "RADIAL_SPEED_F32", "radial_speed", 'F'},
    {RGL_FIELD_POWER_F32, 4, "POWER_F32", "power", 'F'},
    {RGL_FIELD_RCS_F32, 4, "RCS_F32", "rcs", 'F'},
    {RGL_FIELD_NOISE_F32, 4, "NOISE_F32", "noise", 'F'},
    {RGL_FIELD_SNR_F32, 4, "SNR_F32", "snr", 'F'},
    {RGL_FIELD_NORMAL_VEC3_F32, 12, "NORMAL_VEC3_F32", "nx ny nz", 'F'},
    {RGL_FIELD_INCIDENT_ANGLE_F32, 4, "INCIDENT_ANGLE_F32", "incident_angle", 'F'},
    {RGL_FIELD_RAY_POSE_MAT3x4_F32, 48, "RAY_POSE_MAT3x4_F32", "m00 m01 m02 m03 m10 m11 m12 m13 m20 m21 m22 m23", 'F'},
    {RGL_FIELD_LASER_RETRO_F32, 4, "LASER_RETRO_F32", "laser_retro", 'F'},
    {RGL_FIELD_REFLECTIVITY_F32, 4, "REFLECTIVITY_F32", "reflectivity", 'F'},
    {RGL_FIELD_PADDING_8, 1, "PADDING_8", "", 'U'},
    {RGL_FIELD_PADDING_16, 2, "PADDING_16", "", 'U'},
    {RGL_FIELD_PADDING_32, 4, "PADDING_32", "", 'U'},
};

}  // namespace

const FieldInfo* find_field(rgl_field_t field) {
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields), [&](auto& f) { return f.field == field; });
  return found == std::end(kFields) ? nullptr : found;
}

const FieldInfo& info_of(rgl_field_t field) {
  const FieldInfo* info = find_field(field);
  if (info == nullptr) {
    fail(RGL_INVALID_ARGUMENT, fmt::format("Invalid argument: {} is not a field with a size", static_cast<int>(field)));
  }
  return *info;
}

bool is_padding(rgl_field_t field) {
  return field == RGL_FIELD_PADDING_8 || field == RGL_FIELD_PADDING_16 || field == RGL_FIELD_PADDING_32;
}

std::vector<rgl_field_t> read_fields(const rgl_field_t* fields, int count) {
  std::vector<rgl_field_t> list(fields, fields + count);
  for (const rgl_field_t field : list) {
    if (field == RGL_FIELD_DYNAMIC_FORMAT) {
      fail(RGL_INVALID_ARGUMENT, "Invalid argument: cannot format field 'RGL_FIELD_DYNAMIC_FORMAT'");
    }
    static_cast<void>(info_of(field));
  }
  return list;
}

std::vector<rgl_field_t> real_fields(const std::vector<rgl_field_t>& fields) {
  std::vector<rgl_field_t> list;
  for (const rgl_field_t field : fields) {
    if (!is_padding(field) && std::find(list.begin(), list.end(), field) == list.end()) list.push_back(field);
  }
  return list;
}

std::size_t packed_size(const std::vector<rgl_field_t>& fields) {
  std::size_t size = 0;
  for (const rgl_field_t field : fields) size += info_of(field).size;
  return size;
}

}  // namespace rgl

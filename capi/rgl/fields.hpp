// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <rgl/api/core.h>

namespace rgl {

/// Properties of a field.
struct FieldInfo {
  rgl_field_t field;
  std::size_t size;        ///< bytes
  std::string_view name;   ///< "XYZ_VEC3_F32"
  std::string_view parts;  ///< names in PCD files, split by spaces
  char type;               ///< of its parts in PCD files: F, U or I
};

/// Null for a number that is no field of its own: DYNAMIC_FORMAT, or nothing at all.
const FieldInfo* find_field(rgl_field_t field);
/// Throws INVALID_ARGUMENT for what is no field.
const FieldInfo& info_of(rgl_field_t field);
bool is_padding(rgl_field_t field);

/// Checks a list given by a caller: every entry a field, none DYNAMIC_FORMAT. Throws INVALID_ARGUMENT.
std::vector<rgl_field_t> read_fields(const rgl_field_t* fields, int count);
/// Without paddings, each once.
std::vector<rgl_field_t> real_fields(const std::vector<rgl_field_t>& fields);
/// Bytes of a packed point.
std::size_t packed_size(const std::vector<rgl_field_t>& fields);

}  // namespace rgl

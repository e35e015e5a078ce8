// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include <rgl/api/core.h>

#include "status.hpp"

namespace rgl {

/// Makes room for `more` elements at the end, so that adding them does not throw. The vector grows as with push_back.
template <class T>
void make_room(std::vector<T>& list, std::size_t more = 1) {
  const std::size_t needed = list.size() + more;
  if (needed > list.capacity()) list.reserve(std::max(needed, 2 * list.capacity()));
}

/// Bytes that keep their memory from run to run. Growing does not clear them.
class Buffer {
 public:
  std::byte* resize(std::size_t size) {
    if (size > capacity_) {
      data_ = std::make_unique_for_overwrite<std::byte[]>(size);
      capacity_ = size;
    }
    size_ = size;
    return data_.get();
  }
  /// Memory of `count` elements.
  template <class T>
  T* resize_as(std::size_t count) {
    return reinterpret_cast<T*>(resize(count * sizeof(T)));
  }
  [[nodiscard]] const std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::byte* data() { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Properties of a field.
struct FieldInfo {
  rgl_field_t field;
  std::size_t size;        ///< bytes
  std::string_view name;   ///< "XYZ_VEC3_F32"
  std::string_view parts;  ///< names in PCD files, separated by spaces
  char type;               ///< type of its parts in PCD files: F, U or I
};

/// Null for DYNAMIC_FORMAT and for numbers that are no fields.
const FieldInfo* find_field(rgl_field_t field);
/// Throws INVALID_ARGUMENT where find_field() returns null.
const FieldInfo& info_of(rgl_field_t field);
bool is_padding(rgl_field_t field);

/// Checks a caller's list: all entries are fields, and not DYNAMIC_FORMAT. Throws INVALID_ARGUMENT.
std::vector<rgl_field_t> read_fields(const rgl_field_t* fields, int count);
/// The fields without paddings and repetitions.
std::vector<rgl_field_t> real_fields(const std::vector<rgl_field_t>& fields);
/// Bytes of a packed point.
std::size_t packed_size(const std::vector<rgl_field_t>& fields);

/// Arrays by field. Their memory is kept from run to run.
class FieldStore {
 public:
  /// Memory of `count` values. Their contents are lost.
  std::byte* resize(rgl_field_t field, std::size_t count) {
    Array& array = arrays_[field];
    array.filled = false;  // until there is memory
    std::byte* data = array.buffer.resize(count * info_of(field).size);
    array.filled = true;
    return data;
  }
  template <class T>
  T* resize_as(rgl_field_t field, std::size_t count) {
    return reinterpret_cast<T*>(resize(field, count));
  }
  /// Throws INVALID_PIPELINE if there is no such array.
  [[nodiscard]] const std::byte* data(rgl_field_t field) const {
    if (!has(field)) fail(RGL_INVALID_PIPELINE, "the field was not computed: it hasn't been run yet");
    return arrays_.at(field).buffer.data();
  }
  /// An existing array, to fill in parts.
  template <class T>
  [[nodiscard]] T* data_as(rgl_field_t field) {
    return reinterpret_cast<T*>(arrays_.at(field).buffer.data());
  }
  [[nodiscard]] bool has(rgl_field_t field) const {
    const auto found = arrays_.find(field);
    return found != arrays_.end() && found->second.filled;
  }
  /// Invalidates all arrays, because arrays of an earlier run may have another size.
  void forget() {
    for (auto& [field, array] : arrays_) array.filled = false;
  }

 private:
  struct Array {
    Buffer buffer;
    bool filled = false;
  };

  std::map<rgl_field_t, Array> arrays_;
};

}  // namespace rgl

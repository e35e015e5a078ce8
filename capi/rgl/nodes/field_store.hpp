// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "buffer.hpp"
#include "fields.hpp"
#include "status.hpp"

namespace rgl {

/// Arrays by field. Their memory is kept from run to run.
class FieldStore {
 public:
  /// Room for `count` values; what it held is lost.
  std::byte* resize(rgl_field_t field, std::size_t count) {
    Array& array = arrays_[field];
    array.filled = false;  // until there is room
    std::byte* data = array.buffer.resize(count * info_of(field).size);
    array.filled = true;
    return data;
  }
  template <class T>
  T* resize_as(rgl_field_t field, std::size_t count) {
    return reinterpret_cast<T*>(resize(field, count));
  }
  /// Throws INVALID_PIPELINE when there is no such array.
  [[nodiscard]] const std::byte* data(rgl_field_t field) const {
    if (!has(field)) fail(RGL_INVALID_PIPELINE, "the field was not computed: it hasn't been run yet");
    return arrays_.at(field).buffer.data();
  }
  /// Of an array that is there: to be filled in parts.
  template <class T>
  [[nodiscard]] T* data_as(rgl_field_t field) {
    return reinterpret_cast<T*>(arrays_.at(field).buffer.data());
  }
  [[nodiscard]] bool has(rgl_field_t field) const {
    const auto found = arrays_.find(field);
    return found != arrays_.end() && found->second.filled;
  }
  /// No array is there any more: those of an earlier run may be of another size.
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

#pragma once

#include <map>

#include "buffer.hpp"
#include "fields.hpp"
#include "status.hpp"

namespace rgl {

/// Arrays by field.
class FieldStore {
 public:
  /// Room for `count` values; what it held is lost.
  std::byte* resize(rgl_field_t field, std::size_t count) {
    return buffers_[field].resize(count * info_of(field).size);
  }
  template <class T>
  T* resize_as(rgl_field_t field, std::size_t count) {
    return reinterpret_cast<T*>(resize(field, count));
  }
  /// Throws INVALID_PIPELINE when there is no such array.
  [[nodiscard]] const std::byte* data(rgl_field_t field) const {
    const auto found = buffers_.find(field);
    if (found == buffers_.end()) fail(RGL_INVALID_PIPELINE, "the field was not computed: it hasn't been run yet");
    return found->second.data();
  }
  /// Of an array that is there: to be filled in parts.
  template <class T>
  [[nodiscard]] T* data_as(rgl_field_t field) {
    return reinterpret_cast<T*>(buffers_.at(field).data());
  }
  [[nodiscard]] bool has(rgl_field_t field) const { return buffers_.contains(field); }
  void clear() { buffers_.clear(); }

 private:
  std::map<rgl_field_t, Buffer> buffers_;
};

}  // namespace rgl

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace rgl {

/// Makes room for `more` elements at the end, so that adding them does not throw; the vector grows as push_back grows
/// it.
template <class T>
void make_room(std::vector<T>& list, std::size_t more = 1) {
  const std::size_t needed = list.size() + more;
  if (needed > list.capacity()) list.reserve(std::max(needed, 2 * list.capacity()));
}

/// Bytes that keep their memory from run to run and are not cleared when they grow.
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
  /// Of `count` elements.
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

}  // namespace rgl

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

/// A number for a handle, never given twice, whatever the class.
std::uintptr_t new_handle_number();

/// The living objects of one class. A handle is a number in the guise of a pointer and is never followed, so that
/// stale, foreign and invented ones are found out.
template <class Handle, class Object>
class Registry {
 public:
  explicit Registry(const char* name) : name_(name) {}

  Handle add(std::shared_ptr<Object> object) {
    const std::uintptr_t number = new_handle_number();
    objects_.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);  // NOLINT(performance-no-int-to-ptr): a handle is a number, never followed
  }

  [[nodiscard]] bool has(Handle handle) const { return objects_.contains(number_of(handle)); }

  /// Throws INVALID_API_OBJECT: "Object does not exist: Mesh 0x1234".
  [[nodiscard]] const std::shared_ptr<Object>& get(Handle handle) const {
    const auto found = objects_.find(number_of(handle));
    if (found == objects_.end()) {
      fail(RGL_INVALID_API_OBJECT, fmt::format("Object does not exist: {} {:#x}", name_, number_of(handle)));
    }
    return found->second;
  }

  void remove(Handle handle) {
    static_cast<void>(get(handle));
    objects_.erase(number_of(handle));
  }
  /// Removes an object wherever it is.
  void remove(const Object* object) {
    std::erase_if(objects_, [&](const auto& entry) { return entry.second.get() == object; });
  }
  void clear() { objects_.clear(); }
  [[nodiscard]] bool empty() const { return objects_.empty(); }

  /// In the order of creation. Takes no memory.
  template <class Use>
  void for_each(Use use) const {
    for (const auto& [number, object] : objects_) use(*object);
  }

 private:
  static std::uintptr_t number_of(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle); }

  const char* name_;
  std::map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace rgl

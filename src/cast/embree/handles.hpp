// SPDX-License-Identifier: MIT
#pragma once
// Embree's objects as values that release themselves, and its errors as exceptions.

#include <utility>

#include <embree3/rtcore.h>

#include <fathom/base/isa.hpp>

namespace fathom {

/// Owns one reference of an Embree object.
template <class Handle, void (*Release)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) Release(handle_);
  }
  [[nodiscard]] Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};
using OwnedDevice = Owned<RTCDevice, rtcReleaseDevice>;
using OwnedScene = Owned<RTCScene, rtcReleaseScene>;
using OwnedGeometry = Owned<RTCGeometry, rtcReleaseGeometry>;

/// Throws SystemError for what went wrong since the last call.
void check(RTCDevice device, const char* doing);

RTCDevice new_device(Isa isa);

}  // namespace fathom

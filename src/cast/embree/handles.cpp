// SPDX-License-Identifier: MIT
#include "cast/embree/handles.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void check(RTCDevice device, const char* doing) {
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_NONE) return;
  throw SystemError(fmt::format("Embree error {} while {}{}", static_cast<int>(error), doing,
                                error == RTC_ERROR_OUT_OF_MEMORY ? ": out of memory" : ""));
}

RTCDevice new_device(Isa isa) {
  // "threads" is never set here: it would bound TBB for the whole process.
  const char* config = isa == Isa::kSse2 ? "isa=sse2" : isa == Isa::kAvx2 ? "isa=avx2" : "";
  RTCDevice device = rtcNewDevice(config);
  if (device == nullptr) check(nullptr, "opening a device");
  return device;
}

}  // namespace fathom

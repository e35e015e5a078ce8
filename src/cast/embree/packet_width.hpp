// SPDX-License-Identifier: MIT
#pragma once
// Embree names its types and calls by the width of a packet; here a width is a type, so that the loops are written
// once.

#include <cstdint>
#include <cstring>

#include <embree3/rtcore.h>

namespace fathom {

struct Width16 {
  static constexpr unsigned kWidth = 16;
  using Ray = RTCRay16;
  using RayHit = RTCRayHit16;
  static constexpr auto intersect = rtcIntersect16;
  static constexpr auto occluded = rtcOccluded16;
};
struct Width8 {
  static constexpr unsigned kWidth = 8;
  using Ray = RTCRay8;
  using RayHit = RTCRayHit8;
  static constexpr auto intersect = rtcIntersect8;
  static constexpr auto occluded = rtcOccluded8;
};
struct Width4 {
  static constexpr unsigned kWidth = 4;
  using Ray = RTCRay4;
  using RayHit = RTCRayHit4;
  static constexpr auto intersect = rtcIntersect4;
  static constexpr auto occluded = rtcOccluded4;
};

/// The width that a device runs natively.
inline unsigned native_width(RTCDevice device) {
  if (rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED) != 0) return 16;
  return rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED) != 0 ? 8 : 4;
}

/// Calls f<Width>() with the type of that width.
template <class F>
void with_width(unsigned width, F f) {
  if (width == 16) return f.template operator()<Width16>();
  if (width == 8) return f.template operator()<Width8>();
  f.template operator()<Width4>();
}

/// Everything of a packet's rays that stays the same from packet to packet.
template <class Width>
void start_rays(const float (&origin)[3], std::uint32_t mask, typename Width::Ray& ray) {
  for (unsigned k = 0; k < Width::kWidth; ++k) {
    ray.org_x[k] = origin[0], ray.org_y[k] = origin[1], ray.org_z[k] = origin[2];
    ray.tnear[k] = 0.0F, ray.time[k] = 0.0F, ray.mask[k] = mask, ray.id[k] = 0, ray.flags[k] = 0;
  }
}

/// The origins of one packet from a block's arrays ox, oy, oz.
template <class Width, class Block>
void load_origins(const Block& block, std::size_t begin, typename Width::Ray& ray) {
  constexpr std::size_t kBytes = Width::kWidth * sizeof(float);
  std::memcpy(ray.org_x, block.ox + begin, kBytes);
  std::memcpy(ray.org_y, block.oy + begin, kBytes);
  std::memcpy(ray.org_z, block.oz + begin, kBytes);
}

/// The directions of one packet from a block's arrays dx, dy, dz.
template <class Width, class Block>
void load_directions(const Block& block, std::size_t begin, typename Width::Ray& ray) {
  constexpr std::size_t kBytes = Width::kWidth * sizeof(float);
  std::memcpy(ray.dir_x, block.dx + begin, kBytes);
  std::memcpy(ray.dir_y, block.dy + begin, kBytes);
  std::memcpy(ray.dir_z, block.dz + begin, kBytes);
}

}  // namespace fathom

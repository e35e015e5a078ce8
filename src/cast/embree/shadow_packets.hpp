#pragma once
// The loop over packets of shadow rays: only whether something stands in the way, so tracing ends at the first hit.

#include <cstring>

#include <embree3/rtcore.h>

#include "cast/caster.hpp"

namespace fathom {

struct Shadow16 {
  static constexpr unsigned kWidth = 16;
  RTCRay16 ray;
  void occlude(const int* valid, RTCScene scene, RTCIntersectContext* context) {
    rtcOccluded16(valid, scene, context, &ray);
  }
};
struct Shadow8 {
  static constexpr unsigned kWidth = 8;
  RTCRay8 ray;
  void occlude(const int* valid, RTCScene scene, RTCIntersectContext* context) {
    rtcOccluded8(valid, scene, context, &ray);
  }
};
struct Shadow4 {
  static constexpr unsigned kWidth = 4;
  RTCRay4 ray;
  void occlude(const int* valid, RTCScene scene, RTCIntersectContext* context) {
    rtcOccluded4(valid, scene, context, &ray);
  }
};

template <class Packet>
void occlude_packets(RTCScene scene, const SightLines& lines, std::uint32_t* blocked) {
  constexpr unsigned W = Packet::kWidth;
  constexpr std::size_t kBytes = W * sizeof(float);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  // Never the coherent flag: with it rtcOccluded16 of Embree 3.13.5 has been seen to loop for ever on packets whose
  // rays straddle an axis, over instances. rtcIntersect16 has not.
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  alignas(64) Packet packet;
  alignas(64) int valid[W];
  auto& ray = packet.ray;
  for (unsigned k = 0; k < W; ++k) {
    ray.org_x[k] = lines.eye[0], ray.org_y[k] = lines.eye[1], ray.org_z[k] = lines.eye[2];
    ray.tnear[k] = 0.0F, ray.time[k] = 0.0F, ray.mask[k] = ~0U, ray.id[k] = 0, ray.flags[k] = 0;
  }
  for (std::uint32_t begin = 0; begin < lines.count; begin += W) {
    std::memcpy(ray.dir_x, lines.dx + begin, kBytes);
    std::memcpy(ray.dir_y, lines.dy + begin, kBytes);
    std::memcpy(ray.dir_z, lines.dz + begin, kBytes);
    std::memcpy(ray.tfar, lines.clear + begin, kBytes);
    int any = 0;
    for (unsigned k = 0; k < W; ++k) {
      valid[k] = ray.tfar[k] > 0.0F ? -1 : 0;
      any |= valid[k];
    }
    if (any != 0) packet.occlude(valid, scene, &context);
    // Embree marks a blocked ray with tfar = -inf.
    for (unsigned k = 0; k < W; ++k) blocked[begin + k] = ray.tfar[k] < 0.0F ? 1 : 0;
  }
}

}  // namespace fathom

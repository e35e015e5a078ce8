#pragma once
// The loop over packets of rays that each may have limits, be switched off, and have directions of any length.

#include <cstring>

#include <embree3/rtcore.h>

#include "cast/embree/instance_tree.hpp"
#include "cast/embree/packet_width.hpp"

namespace fathom {

template <class Width>
void cast_instance_packets(RTCScene scene, const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) {
  constexpr unsigned W = Width::kWidth;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  alignas(64) typename Width::RayHit packet;
  alignas(64) int valid[W];
  constexpr float kZero[3] = {0, 0, 0};
  start_rays<Width>(kZero, packet.ray);
  auto& ray = packet.ray;
  for (std::uint32_t begin = 0; begin < rays.count; begin += W) {
    const std::size_t lanes = rays.count - begin < W ? rays.count - begin : W;
    for (unsigned k = 0; k < W; ++k) valid[k] = 0;
    std::memcpy(valid, limits.active + begin, lanes * sizeof(int));
    // Whole packets may be read; what lies behind `count` is not valid.
    std::memcpy(ray.org_x, rays.ox + begin, sizeof(ray.org_x));
    std::memcpy(ray.org_y, rays.oy + begin, sizeof(ray.org_y));
    std::memcpy(ray.org_z, rays.oz + begin, sizeof(ray.org_z));
    load_directions<Width>(rays, begin, ray);
    std::memcpy(ray.tfar, limits.far + begin, lanes * sizeof(float));
    for (unsigned k = 0; k < W; ++k) {
      ray.tnear[k] = limits.near != nullptr && k < lanes ? limits.near[begin + k] : 0.0F;
      packet.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
      packet.hit.primID[k] = RTC_INVALID_GEOMETRY_ID;
      packet.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
    }
    const bool coherent = limits.coherent != nullptr && limits.coherent[begin / kPacketRays] != 0;
    context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    Width::intersect(valid, scene, &context, &packet);
    std::memcpy(hits.instance + begin, packet.hit.instID[0], lanes * sizeof(std::uint32_t));
    std::memcpy(hits.triangle + begin, packet.hit.primID, lanes * sizeof(std::uint32_t));
    std::memcpy(hits.t + begin, ray.tfar, lanes * sizeof(float));
  }
}

static_assert(RTC_INVALID_GEOMETRY_ID == kNoInstance && kBlockRays % 16 == 0);

}  // namespace fathom

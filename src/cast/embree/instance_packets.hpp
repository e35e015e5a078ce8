// SPDX-License-Identifier: MIT
#pragma once
// The loop over packets of rays that each may have limits, be switched off, and have directions of any length.

#include <algorithm>
#include <cstring>

#include <embree3/rtcore.h>

#include "cast/caster.hpp"
#include "cast/embree/packet_width.hpp"
#include "cast/instance_caster.hpp"

namespace fathom {

template <class Width>
void cast_instance_packets(RTCScene scene, const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) {
  constexpr unsigned W = Width::kWidth;
  constexpr std::size_t kBytes = W * sizeof(float);  // a constant: copies of it are an instruction or two
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  alignas(64) typename Width::RayHit packet;
  alignas(64) int valid[W];
  constexpr float kZero[3] = {0, 0, 0};
  start_rays<Width>(kZero, kSeesAll, packet.ray);
  auto& ray = packet.ray;
  std::fill_n(ray.tnear, W, limits.near);
  // Whole packets are read and written; what lies behind `count` is not active.
  for (std::uint32_t begin = 0; begin < rays.count; begin += W) {
    std::memcpy(valid, limits.active + begin, kBytes);
    load_origins<Width>(rays, begin, ray);
    load_directions<Width>(rays, begin, ray);
    std::memcpy(ray.tfar, limits.far + begin, kBytes);
    for (unsigned k = 0; k < W; ++k) {
      packet.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
      packet.hit.primID[k] = RTC_INVALID_GEOMETRY_ID;
      packet.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
    }
    const bool coherent = limits.coherent != nullptr && limits.coherent[begin / kPacketRays] != 0;
    context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    Width::intersect(valid, scene, &context, &packet);
    std::memcpy(hits.instance + begin, packet.hit.instID[0], kBytes);
    std::memcpy(hits.triangle + begin, packet.hit.primID, kBytes);
    std::memcpy(hits.t + begin, ray.tfar, kBytes);
  }
}

static_assert(RTC_INVALID_GEOMETRY_ID == kNoInstance && kBlockRays % kPacketRays == 0);

}  // namespace fathom

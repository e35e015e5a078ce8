#pragma once
// The loop over packets of rays that each may have limits, be switched off, and have directions of any length.

#include <cstring>

#include <embree3/rtcore.h>

#include "cast/embree/instance_tree.hpp"
#include "cast/embree/packet_width.hpp"

namespace fathom {

/// Whether the rays of a packet are nearly parallel: then Embree walks the tree for all at once. Otherwise that would
/// cost a factor of 2 to 3.
template <class Width>
bool is_coherent(const typename Width::Ray& ray, const int* valid) {
  constexpr float kCos2 = 0.88F;  // of 0.35 rad, squared; as the tiles of sensor/plan.cpp
  const float x = ray.dir_x[0], y = ray.dir_y[0], z = ray.dir_z[0];
  const float length2 = x * x + y * y + z * z;
  bool coherent = true;
  for (unsigned k = 0; k < Width::kWidth; ++k) {
    const float dx = ray.dir_x[k], dy = ray.dir_y[k], dz = ray.dir_z[k];
    const float dot = x * dx + y * dy + z * dz;
    const bool near = dot > 0.0F && dot * dot > kCos2 * length2 * (dx * dx + dy * dy + dz * dz);
    coherent &= near | (valid[k] == 0);
  }
  return coherent;
}

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
    // The arrays are kBlockRays long, so whole packets may be read; what lies behind `count` is not valid.
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
    context.flags = is_coherent<Width>(ray, valid) ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT
                                                   : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    Width::intersect(valid, scene, &context, &packet);
    std::memcpy(hits.instance + begin, packet.hit.instID[0], lanes * sizeof(std::uint32_t));
    std::memcpy(hits.triangle + begin, packet.hit.primID, lanes * sizeof(std::uint32_t));
    std::memcpy(hits.t + begin, ray.tfar, lanes * sizeof(float));
  }
}

static_assert(RTC_INVALID_GEOMETRY_ID == kNoInstance && kBlockRays % 16 == 0);

}  // namespace fathom

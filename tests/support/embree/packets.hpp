// SPDX-License-Identifier: MIT
#pragma once
// Loops over packets of 16 rays for Embree: hits in scenes, lines of sight, hits in lists of instances.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <embree3/rtcore.h>

#include "trace/caster.hpp"
#include "trace/tile.hpp"

namespace fathom::test {

inline constexpr std::size_t kPacketBytes = kPacketRays * sizeof(float);
static_assert(kPacketRays == 16 && kBlockRays % kPacketRays == 0);
// Embree's marks of a miss are fathom's.
static_assert(RTC_INVALID_GEOMETRY_ID == index(kNoEntity) && RTC_INVALID_GEOMETRY_ID == kNoTriangle &&
              RTC_INVALID_GEOMETRY_ID == kNoInstance);

/// Sets the values that all packets of rays share.
inline void start_rays(const float (&origin)[3], std::uint32_t mask, RTCRay16& ray) {
  for (unsigned k = 0; k < kPacketRays; ++k) {
    ray.org_x[k] = origin[0], ray.org_y[k] = origin[1], ray.org_z[k] = origin[2];
    ray.tnear[k] = 0.0F, ray.time[k] = 0.0F, ray.mask[k] = mask, ray.id[k] = 0, ray.flags[k] = 0;
  }
}

/// The origins of one packet from a block's arrays ox, oy, oz.
template <class Block>
void load_origins(const Block& block, std::size_t begin, RTCRay16& ray) {
  std::memcpy(ray.org_x, block.ox + begin, kPacketBytes);
  std::memcpy(ray.org_y, block.oy + begin, kPacketBytes);
  std::memcpy(ray.org_z, block.oz + begin, kPacketBytes);
}

/// The directions of one packet from a block's arrays dx, dy, dz.
template <class Block>
void load_directions(const Block& block, std::size_t begin, RTCRay16& ray) {
  std::memcpy(ray.dir_x, block.dx + begin, kPacketBytes);
  std::memcpy(ray.dir_y, block.dy + begin, kPacketBytes);
  std::memcpy(ray.dir_z, block.dz + begin, kPacketBytes);
}

/// Where 16 is not the native width of the device, Embree ignores `valid`: an empty interval switches a ray off.
inline void switch_off(const int (&valid)[kPacketRays], RTCRay16& ray) {
  for (unsigned k = 0; k < kPacketRays; ++k) {
    if (valid[k] == 0) ray.tfar[k] = -__builtin_inff();
  }
}

inline void clear_hits(RTCHit16& hit) {
  std::fill_n(hit.geomID, kPacketRays, RTC_INVALID_GEOMETRY_ID);
  std::fill_n(hit.primID, kPacketRays, RTC_INVALID_GEOMETRY_ID);
  std::fill_n(hit.instID[0], kPacketRays, RTC_INVALID_GEOMETRY_ID);
}

inline RTCIntersectContextFlags flags_of(bool coherent) {
  return coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
}

/// The context of a cast, with flags behind Embree's part for the filter of one-sided entities. Only meshes of such
/// entities have the filter.
struct OneSidedContext {
  explicit OneSidedContext(const std::uint8_t* flags) : one_sided(flags) { rtcInitIntersectContext(&context); }

  /// The filter. Ray and normal are in the frame of the mesh, where Embree's normal points to the front.
  static void refuse_backs(const RTCFilterFunctionNArguments* arguments) {
    const auto* self = reinterpret_cast<const OneSidedContext*>(arguments->context);
    const unsigned n = arguments->N;
    for (unsigned i = 0; i < n; ++i) {
      if (arguments->valid[i] == 0 || self->one_sided[RTCHitN_instID(arguments->hit, n, i, 0)] == 0) continue;
      RTCRayN* ray = arguments->ray;
      RTCHitN* hit = arguments->hit;
      const float along = RTCRayN_dir_x(ray, n, i) * RTCHitN_Ng_x(hit, n, i) +
                          RTCRayN_dir_y(ray, n, i) * RTCHitN_Ng_y(hit, n, i) +
                          RTCRayN_dir_z(ray, n, i) * RTCHitN_Ng_z(hit, n, i);
      if (!(along < 0.0F)) arguments->valid[i] = 0;
    }
  }

  RTCIntersectContext context;
  const std::uint8_t* one_sided;  ///< [entities]: 1 where rays pass from behind
};

static_assert(offsetof(OneSidedContext, context) == 0);

/// Linear part of world_from_normal, column-major 3 x 3.
struct NormalMatrix {
  float m[9];
};

/// World unit normals of the hits of one packet, turned against their rays.
inline void store_normals(const RTCRayHit16& packet, const NormalMatrix* world_from_normal, const CastHits& hits,
                          std::uint32_t begin) {
  for (unsigned k = 0; k < kPacketRays; ++k) {
    const RTCHit16& hit = packet.hit;
    if (hit.geomID[k] == RTC_INVALID_GEOMETRY_ID) continue;
    const float* m = world_from_normal[hit.instID[0][k]].m;
    const float x = m[0] * hit.Ng_x[k] + m[3] * hit.Ng_y[k] + m[6] * hit.Ng_z[k];
    const float y = m[1] * hit.Ng_x[k] + m[4] * hit.Ng_y[k] + m[7] * hit.Ng_z[k];
    const float z = m[2] * hit.Ng_x[k] + m[5] * hit.Ng_y[k] + m[8] * hit.Ng_z[k];
    const RTCRay16& ray = packet.ray;
    const bool behind = x * ray.dir_x[k] + y * ray.dir_y[k] + z * ray.dir_z[k] > 0.0F;
    const float scale = (behind ? -1.0F : 1.0F) / __builtin_sqrtf(x * x + y * y + z * z);
    hits.nx[begin + k] = x * scale;
    hits.ny[begin + k] = y * scale;
    hits.nz[begin + k] = z * scale;
  }
}

/// `one_sided`: as in OneSidedContext.
inline void cast_packets(RTCScene scene, const CastRays& rays, const CastHits& hits,
                         const NormalMatrix* world_from_normal, const std::uint8_t* one_sided) {
  OneSidedContext sided(one_sided);
  sided.context.flags = flags_of(rays.coherent);
  alignas(64) int all[kPacketRays];
  std::fill_n(all, kPacketRays, -1);
  alignas(64) RTCRayHit16 packet;
  start_rays(rays.origin, rays.mask, packet.ray);
  for (std::uint32_t begin = 0; begin < rays.count; begin += kPacketRays) {
    if (rays.ox != nullptr) load_origins(rays, begin, packet.ray);
    load_directions(rays, begin, packet.ray);
    if (rays.near != nullptr) std::memcpy(packet.ray.tnear, rays.near + begin, kPacketBytes);
    std::fill_n(packet.ray.tfar, kPacketRays, __builtin_inff());
    clear_hits(packet.hit);
    rtcIntersect16(all, scene, &sided.context, &packet);
    std::memcpy(hits.range_m + begin, packet.ray.tfar, kPacketBytes);
    if (hits.entity != nullptr) std::memcpy(hits.entity + begin, packet.hit.instID[0], kPacketBytes);
    if (hits.triangle != nullptr) std::memcpy(hits.triangle + begin, packet.hit.primID, kPacketBytes);
    if (hits.nx != nullptr) store_normals(packet, world_from_normal, hits, begin);
  }
}

/// Tracing ends at the first hit. `one_sided`: as in OneSidedContext.
inline void occlude_packets(RTCScene scene, const SightLines& lines, const std::uint8_t* one_sided,
                            std::uint32_t* blocked) {
  OneSidedContext sided(one_sided);
  // Never the coherent flag: rtcOccluded16 of Embree 3.13.5 can then loop forever over instances, on packets whose rays
  // straddle an axis. rtcIntersect16 does not.
  sided.context.flags = flags_of(false);
  alignas(64) RTCRay16 ray;
  alignas(64) int valid[kPacketRays];
  start_rays(lines.eye, lines.mask, ray);
  for (std::uint32_t begin = 0; begin < lines.count; begin += kPacketRays) {
    load_directions(lines, begin, ray);
    std::memcpy(ray.tfar, lines.clear + begin, kPacketBytes);
    for (unsigned k = 0; k < kPacketRays; ++k) valid[k] = ray.tfar[k] > 0.0F ? -1 : 0;
    switch_off(valid, ray);
    rtcOccluded16(valid, scene, &sided.context, &ray);
    // Embree marks a blocked ray with tfar = -inf.
    for (unsigned k = 0; k < kPacketRays; ++k) blocked[begin + k] = valid[k] != 0 && ray.tfar[k] < 0.0F ? 1 : 0;
  }
}

/// Rays with limits, inactive rays, and directions of any length. Reads and writes whole packets; rays behind `count`
/// are not active.
inline void cast_instance_packets(RTCScene scene, const RayLanes& rays, const CastLimits& limits,
                                  const RoughHits& hits) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  alignas(64) RTCRayHit16 packet;
  alignas(64) int valid[kPacketRays];
  constexpr float kZero[3] = {0, 0, 0};
  start_rays(kZero, kSeesAll, packet.ray);
  std::fill_n(packet.ray.tnear, kPacketRays, limits.near);
  for (std::uint32_t begin = 0; begin < rays.count; begin += kPacketRays) {
    std::memcpy(valid, limits.active + begin, kPacketBytes);
    load_origins(rays, begin, packet.ray);
    load_directions(rays, begin, packet.ray);
    std::memcpy(packet.ray.tfar, limits.far + begin, kPacketBytes);
    switch_off(valid, packet.ray);
    clear_hits(packet.hit);
    context.flags = flags_of(limits.coherent != nullptr && limits.coherent[begin / kPacketRays] != 0);
    rtcIntersect16(valid, scene, &context, &packet);
    std::memcpy(hits.instance + begin, packet.hit.instID[0], kPacketBytes);
    std::memcpy(hits.triangle + begin, packet.hit.primID, kPacketBytes);
    std::memcpy(hits.t + begin, packet.ray.tfar, kPacketBytes);
  }
}

}  // namespace fathom::test

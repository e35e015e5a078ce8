// SPDX-License-Identifier: MIT
#pragma once
// The loops over packets of rays: hits in scenes, shadows, hits in lists of instances. Packets have the native width of
// the device. Embree names types and calls by the width; here a width is a type.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <embree3/rtcore.h>

#include "cast/caster.hpp"
#include "cast/tile.hpp"

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

/// The native width of a device.
inline unsigned native_width(RTCDevice device) {
  if (rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED) != 0) return 16;
  return rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED) != 0 ? 8 : 4;
}

/// Calls f<Width>() with the type of a width.
template <class F>
void with_width(unsigned width, F f) {
  if (width == 16) return f.template operator()<Width16>();
  if (width == 8) return f.template operator()<Width8>();
  f.template operator()<Width4>();
}

/// Sets the values that all packets of rays share.
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

// Embree traces a packet as a whole (the coherent flag) or divides it into rays if they diverge. As a whole it is up to
// 2.8 times faster on large triangles, and as much slower on many small ones. So the triangles of an earlier packet
// decide, and at first the triangles of the scene. Both ways give the same ranges up to rounding; no processor so far
// differed in a bit away from edges. The choice depends only on the block of rays and the scene, and not on threads.

/// Linear part of world_from_normal, column-major 3 x 3.
struct NormalMatrix {
  float m[9];
};

/// World unit normals of the hits of one packet, turned against their rays.
template <class Width>
void store_normals(const typename Width::RayHit& packet, const NormalMatrix* world_from_normal, const CastHits& hits,
                   std::uint32_t begin) {
  for (unsigned k = 0; k < Width::kWidth; ++k) {
    const auto& hit = packet.hit;
    if (hit.geomID[k] == RTC_INVALID_GEOMETRY_ID) continue;
    const float* m = world_from_normal[hit.instID[0][k]].m;
    const float x = m[0] * hit.Ng_x[k] + m[3] * hit.Ng_y[k] + m[6] * hit.Ng_z[k];
    const float y = m[1] * hit.Ng_x[k] + m[4] * hit.Ng_y[k] + m[7] * hit.Ng_z[k];
    const float z = m[2] * hit.Ng_x[k] + m[5] * hit.Ng_y[k] + m[8] * hit.Ng_z[k];
    const auto& ray = packet.ray;
    const bool behind = x * ray.dir_x[k] + y * ray.dir_y[k] + z * ray.dir_z[k] > 0.0F;
    const float scale = (behind ? -1.0F : 1.0F) / __builtin_sqrtf(x * x + y * y + z * z);
    hits.nx[begin + k] = x * scale;
    hits.ny[begin + k] = y * scale;
    hits.nz[begin + k] = z * scale;
  }
}

/// Triangles in a packet above which tracing single rays is faster; the break-even is between 20 and 100 triangles on
/// house, terrain and balls, from 64 x 48 to 1280 x 720 pixels (docs/benchmarks.md).
constexpr float kFineTriangles = 50.0F;
/// Whether a packet of solid angle `sr` covers many triangles of an area, seen face on at a distance.
inline bool are_fine(double sr, double distance, double area) {
  return sr * distance * distance > double{kFineTriangles} * area;
}

/// Packets that follow the choice of one with hits; a choice for each costs 3 % on large triangles.
constexpr std::uint32_t kWeighedPackets = 4;

/// The number of rays with hits, and of those with triangles so small that a packet of solid angle `sr` covers many:
/// are_fine() for each lane, without roots.
struct Weight {
  int hits, fine;
};
template <class Width>
Weight weigh(const typename Width::RayHit& packet, float sr) {
  const float limit = 4.0F * sr * sr / (kFineTriangles * kFineTriangles);  // |Ng| is twice the area
  Weight w = {0, 0};
  for (unsigned k = 0; k < Width::kWidth; ++k) {
    const auto& hit = packet.hit;
    const float t2 = packet.ray.tfar[k] * packet.ray.tfar[k];
    const float ng2 = hit.Ng_x[k] * hit.Ng_x[k] + hit.Ng_y[k] * hit.Ng_y[k] + hit.Ng_z[k] * hit.Ng_z[k];
    const int met = packet.ray.tfar[k] < __builtin_inff() ? 1 : 0;
    w.hits += met;
    w.fine += limit * t2 * t2 > ng2 ? met : 0;
  }
  return w;
}

template <class Width>
bool meets_anything(const typename Width::RayHit& packet) {
  unsigned met = 0;
  for (unsigned k = 0; k < Width::kWidth; ++k) met |= ~packet.hit.geomID[k];
  return met != 0;
}

/// `fine_at_first`: the assumption about triangles before the first hits. `one_sided`: as in OneSidedContext.
template <class Width>
void cast_packets(RTCScene scene, const CastRays& rays, const CastHits& hits, const NormalMatrix* world_from_normal,
                  bool fine_at_first, const std::uint8_t* one_sided) {
  constexpr unsigned W = Width::kWidth;
  constexpr std::size_t kBytes = W * sizeof(float);
  OneSidedContext sided(one_sided);
  RTCIntersectContext& context = sided.context;
  const bool apart = !rays.coherent || fine_at_first;
  context.flags = apart ? RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT : RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  alignas(64) static constexpr int kAll[16] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  alignas(64) typename Width::RayHit packet;  // for all packets: rewrites only values that casts change
  auto& ray = packet.ray;
  auto& hit = packet.hit;
  start_rays<Width>(rays.origin, rays.mask, ray);
  const bool weighs = rays.coherent && rays.packet_sr > 0.0F;
  const float packet_sr = rays.packet_sr * (static_cast<float>(W) / static_cast<float>(kPacketRays));
  std::uint32_t next_weighed = 0;
  for (std::uint32_t begin = 0; begin < rays.count; begin += W) {
    if (rays.ox != nullptr) load_origins<Width>(rays, begin, ray);
    load_directions<Width>(rays, begin, ray);
    if (rays.near != nullptr) std::memcpy(ray.tnear, rays.near + begin, kBytes);
    for (unsigned k = 0; k < W; ++k) {
      ray.tfar[k] = __builtin_inff();
      hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
      hit.primID[k] = RTC_INVALID_GEOMETRY_ID;
      hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
    }
    Width::intersect(kAll, scene, &context, &packet);
    std::memcpy(hits.range_m + begin, ray.tfar, kBytes);
    // RTC_INVALID_GEOMETRY_ID equals kNoEntity and kNoTriangle.
    if (hits.entity != nullptr) std::memcpy(hits.entity + begin, hit.instID[0], kBytes);
    if (hits.triangle != nullptr) std::memcpy(hits.triangle + begin, hit.primID, kBytes);
    if (hits.nx != nullptr) store_normals<Width>(packet, world_from_normal, hits, begin);
    if (weighs && begin >= next_weighed && meets_anything<Width>(packet)) {
      const Weight w = weigh<Width>(packet, packet_sr);
      context.flags = 2 * w.fine > w.hits ? RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT : RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
      next_weighed = begin + kWeighedPackets * W;
    }
  }
}

static_assert(RTC_INVALID_GEOMETRY_ID == index(kNoEntity) && RTC_INVALID_GEOMETRY_ID == kNoTriangle);

/// Shadow rays: tracing ends at the first hit. `one_sided`: as in OneSidedContext.
template <class Width>
void occlude_packets(RTCScene scene, const SightLines& lines, const std::uint8_t* one_sided, std::uint32_t* blocked) {
  constexpr unsigned W = Width::kWidth;
  OneSidedContext sided(one_sided);
  RTCIntersectContext& context = sided.context;
  // Never the coherent flag: rtcOccluded16 of Embree 3.13.5 can then loop forever over instances, on packets whose rays
  // straddle an axis. rtcIntersect16 does not.
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  alignas(64) typename Width::Ray ray;
  alignas(64) int valid[W];
  start_rays<Width>(lines.eye, lines.mask, ray);
  for (std::uint32_t begin = 0; begin < lines.count; begin += W) {
    load_directions<Width>(lines, begin, ray);
    std::memcpy(ray.tfar, lines.clear + begin, W * sizeof(float));
    int any = 0;
    for (unsigned k = 0; k < W; ++k) {
      valid[k] = ray.tfar[k] > 0.0F ? -1 : 0;
      any |= valid[k];
    }
    if (any != 0) Width::occluded(valid, scene, &context, &ray);
    // Embree marks a blocked ray with tfar = -inf.
    for (unsigned k = 0; k < W; ++k) blocked[begin + k] = ray.tfar[k] < 0.0F ? 1 : 0;
  }
}

/// Rays with limits, inactive rays, and directions of any length.
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
  // Reads and writes whole packets; rays behind `count` are not active.
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

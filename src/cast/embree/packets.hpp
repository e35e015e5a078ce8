// SPDX-License-Identifier: MIT
#pragma once
// The loop over ray packets. One path for every sensor: packets of the width that the device runs natively
// (packet_width.hpp). Embree traces a packet as a whole (the coherent flag) or parts it into rays where they
// diverge. The whole wins by up to 2.8 on large triangles and loses by as much where it holds many small ones, so
// packets are traced as the triangles under an earlier one suggest, and at first as those of the whole scene do. Both
// ways find the same ranges but for rounding (on no processor so far has a bit differed, away from edges); which way is
// taken depends on the block of rays and the scene alone, so that a frame is the same bits for any number of threads.

#include <cstring>

#include <embree3/rtcore.h>

#include "cast/caster.hpp"
#include "cast/embree/one_sided.hpp"
#include "cast/embree/packet_width.hpp"
#include "cast/tile.hpp"

namespace fathom {

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

/// Triangles in a packet above which tracing its rays apart is faster; measured on house, terrain and balls, from 64 x
/// 48 to 1280 x 720 pixels: they cross between 20 and 100 (docs/benchmarks.md).
constexpr float kFineTriangles = 50.0F;
/// Whether a packet of solid angle `sr` holds many triangles of an area, seen face on, `distance` away.
inline bool are_fine(double sr, double distance, double area) {
  return sr * distance * distance > double{kFineTriangles} * area;
}

/// After a packet with hits, so many packets are traced as it suggests; looking at each costs 3 % on large triangles.
constexpr std::uint32_t kWeighedPackets = 4;

/// How many rays of a packet hit, and how many of them met triangles so small that a packet of solid angle `sr`
/// holds many: are_fine() without its roots, lane by lane.
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

/// `fine_at_first`: what to take triangles for until some are met. `one_sided`: as OneSidedContext has it.
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
  alignas(64) typename Width::RayHit packet;  // one for all packets: only what the last cast changed is written again
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
    // The "no" of Embree, RTC_INVALID_GEOMETRY_ID, is ours as well: kNoEntity and kNoTriangle.
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

}  // namespace fathom

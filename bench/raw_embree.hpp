// SPDX-License-Identifier: MIT
#pragma once
// The yardstick: Embree used directly, as its manual shows, without anything of fathom. Same geometry, same instances,
// same flags, same rays in the same order.

#include <array>
#include <cstdint>
#include <vector>

#include <embree3/rtcore.h>

#include <fathom/core/compute.hpp>
#include <fathom/scene/scene.hpp>

namespace fathom::bench {

/// Rays in world coordinates, arrays of [count], count a multiple of 16.
struct RawRays {
  float origin[3] = {0, 0, 0};
  std::vector<float> dx, dy, dz;
};

/// How Embree is asked: packets of 16 or 8 rays, with the flag for nearly parallel rays or without, or ray by ray.
enum class RawMode : std::uint8_t { k16Coherent, k16, k8Coherent, k8, k1 };
inline constexpr std::array<const char*, 5> kRawModeNames = {"16 coherent", "16", "8 coherent", "8", "1"};

/// Rays from one point, each along its share of the way; those with a share of 0 are not cast.
struct RawSights {
  float origin[3] = {0, 0, 0};
  std::vector<float> dx, dy, dz, tfar;
};

class RawEmbree {
 public:
  /// Uses at most `isa`.
  RawEmbree(const Scene& scene, Isa isa);
  ~RawEmbree();
  RawEmbree(const RawEmbree&) = delete;
  RawEmbree& operator=(const RawEmbree&) = delete;

  /// rtcIntersect16, rtcIntersect8 or rtcIntersect1 in a loop, SoA in, range and id out.
  void intersect(const RawRays& rays, RawMode mode, float* range, std::uint32_t* id) const;
  /// rtcOccluded16, SoA in, blocked (1 or 0) out. Without the coherent flag: with it, Embree 3.13.5 may never return
  /// (tests/support/embree/packets.hpp).
  void occluded16(const RawSights& rays, std::uint32_t* blocked) const;
  /// rtcOccluded1 in a loop.
  void occluded1(const RawSights& rays, std::uint32_t* blocked) const;

 private:
  template <class Width>
  void intersect_packets(const RawRays& rays, bool coherent, float* range, std::uint32_t* id) const;
  void intersect1(const RawRays& rays, float* range, std::uint32_t* id) const;

  RTCDevice device_;
  RTCScene top_;
  std::vector<RTCScene> trees_;
};

}  // namespace fathom::bench

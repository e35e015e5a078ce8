// SPDX-License-Identifier: MIT
#pragma once
// The loop over packets of shadow rays: only whether something stands in the way, so tracing ends at the first hit.

#include <cstring>

#include <embree3/rtcore.h>

#include "cast/caster.hpp"
#include "cast/embree/one_sided.hpp"
#include "cast/embree/packet_width.hpp"

namespace fathom {

/// `one_sided`: as OneSidedContext has it.
template <class Width>
void occlude_packets(RTCScene scene, const SightLines& lines, const std::uint8_t* one_sided, std::uint32_t* blocked) {
  constexpr unsigned W = Width::kWidth;
  OneSidedContext sided(one_sided);
  RTCIntersectContext& context = sided.context;
  // Never the coherent flag: with it rtcOccluded16 of Embree 3.13.5 has been seen to loop for ever on packets whose
  // rays straddle an axis, over instances. rtcIntersect16 has not.
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

}  // namespace fathom

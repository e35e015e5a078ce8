// SPDX-License-Identifier: MIT
#pragma once
// Entities that are seen from their front alone. Embree asks a filter about each hit on a mesh that such an entity has;
// the trees of other meshes have none.

#include <cstddef>
#include <cstdint>

#include <embree3/rtcore.h>

namespace fathom {

/// The context of a cast over meshes that may have the filter, which finds the flags behind the part that is Embree's.
struct OneSidedContext {
  explicit OneSidedContext(const std::uint8_t* flags) : one_sided(flags) { rtcInitIntersectContext(&context); }

  /// The filter. Ray and normal are both in the frame of the mesh here, where Embree's normal points to the front.
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

}  // namespace fathom

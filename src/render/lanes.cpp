// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "render/lanes.hpp"

namespace fathom::FATHOM_ISA {

namespace {

/// Ray i of a block; from the origin where that is where it starts.
FATHOM_KERNEL Ray ray_of(const RayBlock& b, std::size_t i) {
  const bool shared = b.from_sensor_origin;
  return {shared ? 0.0F : b.ox[i], shared ? 0.0F : b.oy[i], shared ? 0.0F : b.oz[i], b.dx[i], b.dy[i], b.dz[i]};
}

FATHOM_KERNEL void put_place(ReturnBlock& b, std::size_t i, const Return& r) {
  b.x[i] = r.x, b.y[i] = r.y, b.z[i] = r.z, b.radius_m[i] = r.radius_m;
}

FATHOM_KERNEL void put(PlaneBlock& out, std::size_t i, bool valid, const Triple& v) {
  out.a[i] = math::select(valid, v.x, kNoNumber);
  out.b[i] = math::select(valid, v.y, kNoNumber);
  out.c[i] = math::select(valid, v.z, kNoNumber);
}

void to_world(const Rigid& world_from_sensor, const RayBlock& __restrict rays, CastBlock& __restrict cast) {
  const Rigid p = world_from_sensor;
  for (std::size_t i = 0; i < rays.count; ++i) {
    const Triple d = turned(p, rays.dx[i], rays.dy[i], rays.dz[i]);
    cast.dx[i] = d.x, cast.dy[i] = d.y, cast.dz[i] = d.z;
  }
  if (rays.from_sensor_origin) return;
  for (std::size_t i = 0; i < rays.count; ++i) {
    const Triple o = moved(p, rays.ox[i], rays.oy[i], rays.oz[i]);
    cast.ox[i] = o.x, cast.oy[i] = o.y, cast.oz[i] = o.z;
  }
}

void to_world_rolling(const Rigid* poses, const std::uint32_t* index, const RayBlock& __restrict rays,
                      CastBlock& __restrict cast) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const Rigid& p = poses[index[i]];
    const Ray ray = ray_of(rays, i);
    const Triple d = turned(p, rays.dx[i], rays.dy[i], rays.dz[i]);
    cast.dx[i] = d.x, cast.dy[i] = d.y, cast.dz[i] = d.z;
    const Triple o = moved(p, ray.ox, ray.oy, ray.oz);
    cast.ox[i] = o.x, cast.oy[i] = o.y, cast.oz[i] = o.z;
  }
}

void gate_returns(const CastBlock& __restrict cast, const RangeLimits& limits, ReturnBlock& __restrict out) {
  if (limits.min_per_lane || limits.max_per_lane) {
    for (std::size_t i = 0; i < out.count; ++i) {
      out.range_m[i] = cast.range_m[i];
      out.reason[i] =
          gate(cast.range_m[i], limits.min_m[limits.min_per_lane ? i : 0], limits.max_m[limits.max_per_lane ? i : 0]);
    }
    return;
  }
  const float low = *limits.min_m, high = *limits.max_m;
  for (std::size_t i = 0; i < out.count; ++i) {
    out.range_m[i] = cast.range_m[i];
    out.reason[i] = gate(cast.range_m[i], low, high);
  }
}

void place_returns(const RayBlock& __restrict rays, ReturnBlock& __restrict out) {
  if (rays.from_sensor_origin) {
    for (std::size_t i = 0; i < out.count; ++i) {
      put_place(out, i, return_from_origin(rays.dx[i], rays.dy[i], rays.dz[i], out.range_m[i]));
    }
    return;
  }
  for (std::size_t i = 0; i < out.count; ++i) put_place(out, i, return_along(ray_of(rays, i), out.range_m[i]));
}

void ends(const RayBlock& __restrict rays, const float* __restrict range_m, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const Triple end = end_of(ray_of(rays, i), range_m[i]);
    out.a[i] = end.x, out.b[i] = end.y, out.c[i] = end.z;
  }
}

void lose_unmeasurable(ReturnBlock& __restrict b) {
  for (std::size_t i = 0; i < b.count; ++i) {
    b.reason[i] = is_unmeasurable(b.reason[i], b.range_m[i]) ? kNearLane : b.reason[i];
  }
}

void drop_outside(float low, float high, ReturnBlock& __restrict b) {
  for (std::size_t i = 0; i < b.count; ++i) {
    b.reason[i] = b.reason[i] == kHitLane ? gate(b.range_m[i], low, high) : b.reason[i];
  }
}

void apply_policy(RangePolicy policy, const RangeLimits& limits, ReturnBlock& __restrict b) {
  if (policy == RangePolicy::kDrop && !limits.min_per_lane && !limits.max_per_lane) {
    return drop_outside(*limits.min_m, *limits.max_m, b);
  }
  for (std::size_t i = 0; i < b.count; ++i) {
    const float low = limits.min_m[limits.min_per_lane ? i : 0], high = limits.max_m[limits.max_per_lane ? i : 0];
    const std::uint32_t gated = gate(b.range_m[i], low, high);
    if (b.reason[i] != kHitLane || gated == kHitLane) continue;
    if (policy == RangePolicy::kDrop) {
      b.reason[i] = gated;
    } else {
      const Return in = {b.x[i], b.y[i], b.z[i], b.range_m[i], b.radius_m[i]};
      const Return out = clamp_to(in, gated == kNearLane ? low : high);
      put_place(b, i, out);
      b.range_m[i] = out.range_m;
    }
  }
}

void mask_lost(const ReturnBlock& __restrict returns, const float* __restrict value, float* __restrict out) {
  for (std::size_t i = 0; i < returns.count; ++i) {
    out[i] = math::select(returns.reason[i] == kHitLane, value[i], kNoNumber);
  }
}

void points_to_world(const Rigid& world_from_sensor, const ReturnBlock& __restrict b, PlaneBlock& __restrict out) {
  const Rigid p = world_from_sensor;
  for (std::size_t i = 0; i < b.count; ++i) {
    put(out, i, b.reason[i] == kHitLane, moved(p, b.x[i], b.y[i], b.z[i]));
  }
}

void points_to_world_rolling(const Rigid* poses, const std::uint32_t* index, const ReturnBlock& __restrict b,
                             PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < b.count; ++i) {
    const Rigid& p = poses[index[i]];
    put(out, i, b.reason[i] == kHitLane, moved(p, b.x[i], b.y[i], b.z[i]));
  }
}

void angles(const RayBlock& __restrict rays, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const RayAngles angles = angles_of(rays.dx[i], rays.dy[i], rays.dz[i]);
    out.a[i] = angles.azimuth, out.b[i] = angles.elevation;
  }
}

void incidence(const CastBlock& __restrict cast, std::uint32_t count, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool met = cast.entity[i] != index(kNoEntity);
    const Incidence found = incidence_of({cast.dx[i], cast.dy[i], cast.dz[i]}, {cast.nx[i], cast.ny[i], cast.nz[i]});
    out.a[i] = math::select(met, found.angle, kNoNumber);
    out.b[i] = math::select(met, found.cosine, 0.0F);
  }
}

void normals(const CastBlock& __restrict cast, std::uint32_t count, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    put(out, i, cast.entity[i] != index(kNoEntity), {cast.nx[i], cast.ny[i], cast.nz[i]});
  }
}

}  // namespace

const LaneKernels kLanes = {
    to_world,     to_world_rolling, gate_returns,    place_returns,           ends,   lose_unmeasurable,
    apply_policy, mask_lost,        points_to_world, points_to_world_rolling, angles, incidence,
    normals};

}  // namespace fathom::FATHOM_ISA

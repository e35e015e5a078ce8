// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "render/lanes.hpp"

namespace fathom::FATHOM_ISA {

namespace {

constexpr auto kHitLane = static_cast<std::uint32_t>(Reason::kHit);
constexpr auto kMissLane = static_cast<std::uint32_t>(Reason::kMiss);
constexpr auto kNearLane = static_cast<std::uint32_t>(Reason::kBelowMinRange);
constexpr auto kFarLane = static_cast<std::uint32_t>(Reason::kAboveMaxRange);
constexpr float kNan = __builtin_nanf("");

FATHOM_KERNEL float turn(const Rigid& p, int row, float x, float y, float z) {
  return p.r[3 * row] * x + p.r[3 * row + 1] * y + p.r[3 * row + 2] * z;
}

void to_world(const Rigid& world_from_sensor, const RayBlock& __restrict rays, CastBlock& __restrict cast) {
  const Rigid p = world_from_sensor;
  for (std::size_t i = 0; i < rays.count; ++i) {
    cast.dx[i] = turn(p, 0, rays.dx[i], rays.dy[i], rays.dz[i]);
    cast.dy[i] = turn(p, 1, rays.dx[i], rays.dy[i], rays.dz[i]);
    cast.dz[i] = turn(p, 2, rays.dx[i], rays.dy[i], rays.dz[i]);
  }
  if (rays.from_sensor_origin) return;
  for (std::size_t i = 0; i < rays.count; ++i) {
    cast.ox[i] = turn(p, 0, rays.ox[i], rays.oy[i], rays.oz[i]) + p.t[0];
    cast.oy[i] = turn(p, 1, rays.ox[i], rays.oy[i], rays.oz[i]) + p.t[1];
    cast.oz[i] = turn(p, 2, rays.ox[i], rays.oy[i], rays.oz[i]) + p.t[2];
  }
}

void to_world_rolling(const Rigid* poses, const std::uint32_t* index, const RayBlock& __restrict rays,
                      CastBlock& __restrict cast) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const Rigid& p = poses[index[i]];
    const float ox = rays.from_sensor_origin ? 0.0F : rays.ox[i];
    const float oy = rays.from_sensor_origin ? 0.0F : rays.oy[i];
    const float oz = rays.from_sensor_origin ? 0.0F : rays.oz[i];
    cast.dx[i] = turn(p, 0, rays.dx[i], rays.dy[i], rays.dz[i]);
    cast.dy[i] = turn(p, 1, rays.dx[i], rays.dy[i], rays.dz[i]);
    cast.dz[i] = turn(p, 2, rays.dx[i], rays.dy[i], rays.dz[i]);
    cast.ox[i] = turn(p, 0, ox, oy, oz) + p.t[0];
    cast.oy[i] = turn(p, 1, ox, oy, oz) + p.t[1];
    cast.oz[i] = turn(p, 2, ox, oy, oz) + p.t[2];
  }
}

FATHOM_KERNEL std::uint32_t gate(float range, float low, float high) {
  const std::uint32_t near_far = range < low ? kNearLane : range > high ? kFarLane : kHitLane;
  return range < math::kInfinity ? near_far : kMissLane;
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
      const float range = out.range_m[i];
      out.radius_m[i] = range;
      out.x[i] = rays.dx[i] * range, out.y[i] = rays.dy[i] * range, out.z[i] = rays.dz[i] * range;
    }
    return;
  }
  for (std::size_t i = 0; i < out.count; ++i) {
    const float range = out.range_m[i];
    const float x = rays.ox[i] + rays.dx[i] * range;
    const float y = rays.oy[i] + rays.dy[i] * range;
    const float z = rays.oz[i] + rays.dz[i] * range;
    out.radius_m[i] = math::sqrt(x * x + y * y + z * z);
    out.x[i] = x, out.y[i] = y, out.z[i] = z;
  }
}

void ends(const RayBlock& __restrict rays, const float* __restrict range_m, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const float range = math::select(range_m[i] < math::kInfinity, range_m[i], kNan);
    out.a[i] = (rays.from_sensor_origin ? 0.0F : rays.ox[i]) + rays.dx[i] * range;
    out.b[i] = (rays.from_sensor_origin ? 0.0F : rays.oy[i]) + rays.dy[i] * range;
    out.c[i] = (rays.from_sensor_origin ? 0.0F : rays.oz[i]) + rays.dz[i] * range;
  }
}

void lose_unmeasurable(ReturnBlock& __restrict b) {
  for (std::size_t i = 0; i < b.count; ++i) {
    const bool lost = (b.reason[i] == kHitLane) & !(b.range_m[i] > 0.0F);
    b.reason[i] = lost ? kNearLane : b.reason[i];
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
      const Return out = move_radially(in, (gated == kNearLane ? low : high) - b.range_m[i]);
      b.x[i] = out.x, b.y[i] = out.y, b.z[i] = out.z;
      b.range_m[i] = gated == kNearLane ? low : high, b.radius_m[i] = out.radius_m;
    }
  }
}

void mask_lost(const ReturnBlock& __restrict returns, const float* __restrict value, float* __restrict out) {
  for (std::size_t i = 0; i < returns.count; ++i) {
    out[i] = math::select(returns.reason[i] == kHitLane, value[i], kNan);
  }
}

void points_to_world(const Rigid& world_from_sensor, const ReturnBlock& __restrict b, PlaneBlock& __restrict out) {
  const Rigid p = world_from_sensor;
  for (std::size_t i = 0; i < b.count; ++i) {
    const bool valid = b.reason[i] == kHitLane;
    out.a[i] = math::select(valid, turn(p, 0, b.x[i], b.y[i], b.z[i]) + p.t[0], kNan);
    out.b[i] = math::select(valid, turn(p, 1, b.x[i], b.y[i], b.z[i]) + p.t[1], kNan);
    out.c[i] = math::select(valid, turn(p, 2, b.x[i], b.y[i], b.z[i]) + p.t[2], kNan);
  }
}

void points_to_world_rolling(const Rigid* poses, const std::uint32_t* index, const ReturnBlock& __restrict b,
                             PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < b.count; ++i) {
    const Rigid& p = poses[index[i]];
    const bool valid = b.reason[i] == kHitLane;
    out.a[i] = math::select(valid, turn(p, 0, b.x[i], b.y[i], b.z[i]) + p.t[0], kNan);
    out.b[i] = math::select(valid, turn(p, 1, b.x[i], b.y[i], b.z[i]) + p.t[1], kNan);
    out.c[i] = math::select(valid, turn(p, 2, b.x[i], b.y[i], b.z[i]) + p.t[2], kNan);
  }
}

void angles(const RayBlock& __restrict rays, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    out.a[i] = math::atan2(rays.dy[i], rays.dx[i]);
    out.b[i] = math::atan2(rays.dz[i], math::sqrt(rays.dx[i] * rays.dx[i] + rays.dy[i] * rays.dy[i]));
  }
}

void incidence(const CastBlock& __restrict cast, std::uint32_t count, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool met = cast.entity[i] != index(kNoEntity);
    const float dot = cast.dx[i] * cast.nx[i] + cast.dy[i] * cast.ny[i] + cast.dz[i] * cast.nz[i];
    // The length of the cross product keeps the angle right near 0, where an arc cosine would lose half its digits.
    const float cx = cast.dy[i] * cast.nz[i] - cast.dz[i] * cast.ny[i];
    const float cy = cast.dz[i] * cast.nx[i] - cast.dx[i] * cast.nz[i];
    const float cz = cast.dx[i] * cast.ny[i] - cast.dy[i] * cast.nx[i];
    out.a[i] = math::select(met, math::atan2(math::sqrt(cx * cx + cy * cy + cz * cz), -dot), kNan);
    out.b[i] = math::select(met, -dot, 0.0F);
  }
}

void normals(const CastBlock& __restrict cast, std::uint32_t count, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool met = cast.entity[i] != index(kNoEntity);
    out.a[i] = math::select(met, cast.nx[i], kNan);
    out.b[i] = math::select(met, cast.ny[i], kNan);
    out.c[i] = math::select(met, cast.nz[i], kNan);
  }
}

}  // namespace

const LaneKernels kLanes = {
    to_world,     to_world_rolling, gate_returns,    place_returns,           ends,   lose_unmeasurable,
    apply_policy, mask_lost,        points_to_world, points_to_world_rolling, angles, incidence,
    normals};

}  // namespace fathom::FATHOM_ISA

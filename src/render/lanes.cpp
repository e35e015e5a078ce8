// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "render/lanes.hpp"

#include <algorithm>
#include <cstddef>

namespace fathom::FATHOM_ISA {

namespace {

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
    const Ray ray = ray_of_lane(rays, i);
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

void lose_weak(const float* __restrict surface, float least_power, ReturnBlock& __restrict b) {
  for (std::size_t i = 0; i < b.count; ++i) {
    const bool is_lost = (b.reason[i] == kHitLane) & is_too_weak(surface[i], b.range_m[i], least_power);
    b.reason[i] = is_lost ? kLowPowerLane : b.reason[i];
  }
}

void place_returns(const RayBlock& __restrict rays, ReturnBlock& __restrict out) {
  if (rays.from_sensor_origin) {
    for (std::size_t i = 0; i < out.count; ++i) {
      put_place(out, i, return_from_origin(rays.dx[i], rays.dy[i], rays.dz[i], out.range_m[i]));
    }
    return;
  }
  for (std::size_t i = 0; i < out.count; ++i) put_place(out, i, return_along(ray_of_lane(rays, i), out.range_m[i]));
}

void ends(const RayBlock& __restrict rays, const float* __restrict range_m, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const Triple end = end_of(ray_of_lane(rays, i), range_m[i]);
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

void ray_angles(const RayBlock& __restrict rays, PlaneBlock& __restrict out) {
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
    to_world,          to_world_rolling, gate_returns, lose_weak,       place_returns,           ends,
    lose_unmeasurable, apply_policy,     mask_lost,    points_to_world, points_to_world_rolling, ray_angles,
    incidence,         normals};

namespace {

FATHOM_KERNEL Triple direction_of(const CastBlock& b, std::size_t i) { return {b.dx[i], b.dy[i], b.dz[i]}; }
FATHOM_KERNEL Triple normal_of(const CastBlock& b, std::size_t i) { return {b.nx[i], b.ny[i], b.nz[i]}; }

FATHOM_KERNEL void put_angles(SurfaceBlock& b, std::size_t i, const Surface& s) {
  b.cos_emitter[i] = s.cos_emitter, b.cos_left[i] = s.cos_left, b.cos_right[i] = s.cos_right;
  b.left_to_emitter[i] = s.left_to_emitter, b.right_to_emitter[i] = s.right_to_emitter;
}

void angles_at_emitter(const CastBlock& __restrict cast, std::uint32_t count, SurfaceBlock& __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    Surface surface;
    set_angles_at_emitter(direction_of(cast, i), normal_of(cast, i), surface);
    put_angles(out, i, surface);
  }
}

void surface_angles(const CastBlock& __restrict cast, std::uint32_t count, const CameraOffset& left_camera,
                    const CameraOffset& right_camera, SurfaceBlock& __restrict out) {
  const CameraOffset l = left_camera, r = right_camera;
  for (std::size_t i = 0; i < count; ++i) {
    Surface surface;
    set_angles(direction_of(cast, i), normal_of(cast, i), cast.range_m[i], l, r, surface);
    put_angles(out, i, surface);
  }
}

void sight(const CastBlock& __restrict cast, const ReturnBlock& __restrict returns, const CameraOffset& camera,
           const float* origin, float reach, const float* __restrict cosine, SightBlock& __restrict out) {
  const CameraOffset c = camera;
  const float o[3] = {origin[0], origin[1], origin[2]};
  const float eye = eye_coordinate(o, c, reach);
  for (std::size_t i = 0; i < returns.count; ++i) {
    const SightLine line = sight_line(o, c, eye, direction_of(cast, i), cast.range_m[i], cosine[i]);
    out.dx[i] = line.dx, out.dy[i] = line.dy, out.dz[i] = line.dz;
    out.clear[i] = math::select(returns.reason[i] == kHitLane, line.clear, 0.0F);
  }
}

void energy(const CastBlock& __restrict cast, const SurfaceBlock& __restrict surface, std::uint32_t count,
            EnergyAngle angle, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float e = return_energy(angle, surface_of_lane(surface, i, {})) * surface.energy_gain[i];
    out[i] = math::select(cast.entity[i] != index(kNoEntity), e, kNoNumber);
  }
}

void depth(const RayBlock& __restrict rays, const float* __restrict range_m, float* __restrict out) {
  for (std::size_t i = 0; i < rays.count; ++i) {
    const float start = rays.from_sensor_origin ? 0.0F : rays.ox[i];
    out[i] = depth_of(start, rays.dx[i], range_m[i]);
  }
}

/// Calls f(neighbourhood, p, stop) for each stretch [p, stop) of [begin, begin + count) whose pixels have the same
/// neighbourhood: the inside of a row at once, and each end of it.
template <class F>
void for_each_stretch(const EdgeRow& row, const EdgeRow* above, const EdgeRow* below, std::uint32_t cols,
                      std::uint32_t begin, std::uint32_t count, F f) {
  const std::ptrdiff_t last = std::ptrdiff_t{cols} - 1, end = std::ptrdiff_t{begin} + count;
  for (std::ptrdiff_t p = begin; p < end;) {
    const std::ptrdiff_t stop = p > 0 && p < last ? std::min(end, last) : p + 1;
    f(neighbourhood_of(row, above, below, cols, p), p, stop);
    p = stop;
  }
}

/// Calls f(pixel) for [begin, end) in loops of 16, which become vectors without a rest: the last one repeats pixels.
template <class F>
FATHOM_KERNEL void for_each_pixel(std::ptrdiff_t begin, std::ptrdiff_t end, F f) {
  constexpr std::ptrdiff_t kAtOnce = 16;
  if (end - begin < kAtOnce) {
    for (std::ptrdiff_t p = begin; p < end; ++p) f(p);
    return;
  }
  for (std::ptrdiff_t at = begin; at < end; at += kAtOnce) {
    const std::ptrdiff_t first = std::min(at, end - kAtOnce);
    for (std::ptrdiff_t p = first; p < first + kAtOnce; ++p) f(p);
  }
}

[[gnu::noinline]] void edge_angles_between(const EdgeRow& image_row, const Neighbourhood& around, std::ptrdiff_t begin,
                                           std::ptrdiff_t end, float* __restrict out) {
  const EdgeRow row = image_row;
  const Neighbourhood n = around;
  for_each_pixel(
      begin, end, [&](std::ptrdiff_t p) __attribute__((always_inline)) { out[p - begin] = edge_angle(row, n, p); });
}

void edge_angles(const EdgeRow& row, const EdgeRow* above, const EdgeRow* below, std::uint32_t cols,
                 std::uint32_t begin, std::uint32_t count, float* __restrict out) {
  if (cols == 1 && above == nullptr && below == nullptr) {
    *out = 0.0F;  // a pixel without neighbours
    return;
  }
  for_each_stretch(row, above, below, cols, begin, count,
                   [&](const Neighbourhood& around, std::ptrdiff_t p, std::ptrdiff_t stop) {
                     edge_angles_between(row, around, p, stop, out + (p - begin));
                   });
}

[[gnu::noinline]] void edge_jumps_between(const EdgeRow& image_row, const EdgeNormals& row_normals,
                                          const Neighbourhood& around, std::ptrdiff_t begin, std::ptrdiff_t end,
                                          float* __restrict jump, float* __restrict jump_rad) {
  const EdgeRow row = image_row;
  const EdgeNormals normals = row_normals;
  const Neighbourhood n = around;
  for_each_pixel(
      begin, end, [&](std::ptrdiff_t p) __attribute__((always_inline)) {
        const Jump found = edge_jump(row, normals, n, p);
        jump[p - begin] = found.excess, jump_rad[p - begin] = found.angle_rad;
      });
}

void edge_jumps(const EdgeRow& row, const EdgeNormals& normals, const EdgeRow* above, const EdgeRow* below,
                std::uint32_t cols, std::uint32_t begin, std::uint32_t count, float* __restrict jump,
                float* __restrict jump_rad) {
  if (cols == 1 && above == nullptr && below == nullptr) {
    *jump = -1.0F, *jump_rad = 0.0F;  // a pixel without neighbours
    return;
  }
  for_each_stretch(row, above, below, cols, begin, count,
                   [&](const Neighbourhood& around, std::ptrdiff_t p, std::ptrdiff_t stop) {
                     edge_jumps_between(row, normals, around, p, stop, jump + (p - begin), jump_rad + (p - begin));
                   });
}

FATHOM_KERNEL void put_normal(const Rigid& p, const CastBlock& cast, std::size_t i, PlaneBlock& out) {
  const Triple n = turned_back(p, cast.nx[i], cast.ny[i], cast.nz[i]);
  out.a[i] = n.x, out.b[i] = n.y, out.c[i] = n.z;
}

void sensor_normals(const Rigid& cast_from_sensor, const CastBlock& __restrict cast, std::uint32_t count,
                    PlaneBlock& __restrict out) {
  const Rigid p = cast_from_sensor;
  for (std::size_t i = 0; i < count; ++i) put_normal(p, cast, i, out);
}

void sensor_normals_rolling(const Rigid* poses, const std::uint32_t* index, const CastBlock& __restrict cast,
                            std::uint32_t count, PlaneBlock& __restrict out) {
  for (std::size_t i = 0; i < count; ++i) put_normal(poses[index[i]], cast, i, out);
}

void energy_gains(const EnergyGain& energy_gain, const float* __restrict reflectivity, const float* __restrict range_m,
                  std::uint32_t count, float* __restrict out) {
  const EnergyGain gain = energy_gain;
  for (std::size_t i = 0; i < count; ++i) out[i] = energy_gain_of(gain, reflectivity[i], range_m[i]);
}

}  // namespace

const SurfaceKernels kSurfaceKernels = {
    angles_at_emitter, surface_angles,         sight,       energy, depth, edge_angles, edge_jumps,
    sensor_normals,    sensor_normals_rolling, energy_gains};

}  // namespace fathom::FATHOM_ISA

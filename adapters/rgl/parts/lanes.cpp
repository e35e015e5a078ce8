// SPDX-License-Identifier: MIT
// Compiled once per instruction set, which FATHOM_ISA names. Only the flags differ.
#include "parts/lanes.hpp"

#include <cstring>

namespace fathom::FATHOM_ISA {

namespace {

/// Rays with larger coordinates are not cast: the arithmetic of the tree would overflow.
constexpr float kFarAway = 1e15F;

FATHOM_KERNEL float magnitude(float v) { return math::float_of(math::bits_of(v) & 0x7fffffffU); }
FATHOM_KERNEL double magnitude(double v) { return v < 0.0 ? -v : v; }
FATHOM_KERNEL float larger(float a, float b) { return a > b ? a : b; }
FATHOM_KERNEL float largest(float a, float b, float c) {
  return larger(magnitude(a), larger(magnitude(b), magnitude(c)));
}

FATHOM_KERNEL std::int32_t yes(bool condition) { return condition ? 1 : 0; }

void transform(const Affine& affine, bool points, std::uint32_t count, float* __restrict x, float* __restrict y,
               float* __restrict z) {
  const Affine a = affine;
  const double shift = points ? 1.0 : 0.0;
  const double tx = shift * a.m[0][3], ty = shift * a.m[1][3], tz = shift * a.m[2][3];
  for (std::size_t i = 0; i < count; ++i) {
    const double px = x[i], py = y[i], pz = z[i];
    x[i] = static_cast<float>(a.m[0][0] * px + a.m[0][1] * py + a.m[0][2] * pz + tx);
    y[i] = static_cast<float>(a.m[1][0] * px + a.m[1][1] * py + a.m[1][2] * pz + ty);
    z[i] = static_cast<float>(a.m[2][0] * px + a.m[2][1] * py + a.m[2][2] * pz + tz);
  }
}

/// Whether the rays of a packet are within kCoherentRad (trace/tile.hpp) of the first.
std::int32_t is_coherent(const RayLanes& r, const AskedLanes& __restrict asked, std::size_t begin) {
  constexpr float kCos2 = 0.88F;
  const float x = r.dx[begin], y = r.dy[begin], z = r.dz[begin];
  const float length2 = x * x + y * y + z * z;
  std::int32_t apart = 0;
  for (std::size_t i = begin; i < begin + kPacketRays; ++i) {
    const float dx = r.dx[i], dy = r.dy[i], dz = r.dz[i];
    const float dot = x * dx + y * dy + z * dz;
    const std::int32_t near = yes(dot > 0.0F) & yes(dot * dot > kCos2 * length2 * (dx * dx + dy * dy + dz * dz));
    apart |= (near ^ 1) & asked.active[i];
  }
  return apart == 0 ? 1 : 0;
}

void ask(const RayLanes& lanes, AskedLanes& __restrict asked) {
  const RayLanes r = lanes;
  for (std::size_t i = 0; i < r.count; ++i) {
    const float direction = largest(r.dx[i], r.dy[i], r.dz[i]);
    // The sum is NaN if a term is NaN; the maximum could hide it.
    const float sum = r.ox[i] + r.oy[i] + r.oz[i] + r.dx[i] + r.dy[i] + r.dz[i];
    // Integers instead of && keep the loop free of branches.
    const std::int32_t good = yes(largest(r.ox[i], r.oy[i], r.oz[i]) < kFarAway) & yes(direction < kFarAway) &
                              yes(direction > 0.0F) & yes(magnitude(sum) < 8.0F * kFarAway) & yes(r.far[i] > 0.0F);
    asked.active[i] = good != 0 ? r.active[i] : 0;
    asked.far[i] = r.far[i] * 1.000001F;
  }
  for (std::size_t i = r.count; i < kBlockRays; ++i) asked.active[i] = 0;
  for (std::size_t begin = 0; begin < r.count; begin += kPacketRays) {
    asked.coherent[begin / kPacketRays] = is_coherent(r, asked, begin);
  }
}

/// Loads the four values of a plane at once, which compilers do not do on their own.
using PlaneVector = double __attribute__((vector_size(32)));

FATHOM_KERNEL void load(const Plane& plane, PlaneVector& v) { std::memcpy(&v, plane.part, sizeof(v)); }

constexpr Plane kUnit = {{1.0, 1.0, 1.0, 0.0}};
constexpr Placed kNowhere = {{kUnit, kUnit, kUnit}, &kUnit};

void planes(const Placed* instances, const HitLanes& __restrict hits, std::uint32_t count, PlaneLanes& __restrict out) {
  // Planes are scattered in memory: prefetching loads them together.
  for (std::size_t i = 0; i < count; ++i) {
    if (hits.instance[i] != kNoInstance) __builtin_prefetch(instances[hits.instance[i]].planes + hits.triangle[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool met = hits.instance[i] != kNoInstance;
    const Placed& placed = met ? instances[hits.instance[i]] : kNowhere;
    const Plane& mesh = placed.planes[met ? hits.triangle[i] : 0];
    PlaneVector x, y, z;
    load(placed.row[0], x), load(placed.row[1], y), load(placed.row[2], z);
    const PlaneVector c = {0.0, 0.0, 0.0, mesh.part[3]};
    const PlaneVector world = mesh.part[0] * x + mesh.part[1] * y + mesh.part[2] * z + c;
    std::memcpy(out.plane[i].part, &world, sizeof(world));
  }
}

void place(const RayLanes& lanes, const PlaneLanes& __restrict p, AskedLanes& __restrict asked,
           HitLanes& __restrict hits) {
  const RayLanes r = lanes;
  std::int32_t any = 0;
  for (std::size_t i = 0; i < r.count; ++i) {
    const double ox = r.ox[i], oy = r.oy[i], oz = r.oz[i], dx = r.dx[i], dy = r.dy[i], dz = r.dz[i];
    const double rough = asked.t[i];
    const double nx = p.plane[i].part[0], ny = p.plane[i].part[1], nz = p.plane[i].part[2], c = p.plane[i].part[3];
    const double exact = (c - (nx * ox + ny * oy + nz * oz)) / (nx * dx + ny * dy + nz * dz);
    // If a ray grazes a plane, the division amplifies rounding: then the result in single precision is better.
    const double reach = largest(r.ox[i], r.oy[i], r.oz[i]) / largest(r.dx[i], r.dy[i], r.dz[i]);
    const bool believed = magnitude(exact - rough) <= 1e-3 * rough + 1e-5 * reach;
    const double t = believed ? exact : rough;
    const double distance = t * __builtin_sqrt(dx * dx + dy * dy + dz * dz);
    hits.t[i] = t;
    hits.distance_m[i] = static_cast<float>(distance);
    // Coordinates have single precision: a surface nearer than their rounding counts as one at the origin of the ray.
    const double own = 0x1p-22 * largest(r.ox[i], r.oy[i], r.oz[i]);
    // A ray without a hit is not cast again.
    const std::int32_t hit = yes(hits.instance[i] != kNoInstance);
    asked.again[i] = ((yes(distance > own) & yes(t <= r.far[i])) ^ 1) & hit;
    any |= asked.again[i];
  }
  asked.any_again = any;
}

void gate(const Gate& gate, const HitLanes& __restrict hits, std::uint32_t count, float* __restrict distance_m,
          std::int32_t* __restrict is_hit) {
  const Gate g = gate;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t met = yes(hits.instance[i] != kNoInstance);
    const std::int32_t counts = yes(hits.distance_m[i] >= g.min_m[i]);
    const float missed = math::select(met != 0, g.near_miss_m, g.far_miss_m);
    is_hit[i] = met & counts;
    distance_m[i] = math::select((met & counts) != 0, hits.distance_m[i], missed);
  }
}

/// Stores point i at `scale` times its ray's direction. If the distance is infinite, each coordinate whose direction is
/// not 0 is infinite, too.
FATHOM_KERNEL void put_point(const RayBlock& r, std::size_t i, double scale, float* __restrict xyz) {
  const double x = scale * r.dx[i], y = scale * r.dy[i], z = scale * r.dz[i];
  xyz[3 * i] = static_cast<float>(r.ox[i] + (x == x ? x : 0.0));
  xyz[3 * i + 1] = static_cast<float>(r.oy[i] + (y == y ? y : 0.0));
  xyz[3 * i + 2] = static_cast<float>(r.oz[i] + (z == z ? z : 0.0));
}

void points_at_distance(const RayBlock& __restrict r, const float* __restrict distance_m, std::size_t begin,
                        std::size_t end, float* __restrict xyz) {
  for (std::size_t i = begin; i < end; ++i) {
    const double dx = r.dx[i], dy = r.dy[i], dz = r.dz[i];
    put_point(r, i, distance_m[i] / __builtin_sqrt(dx * dx + dy * dy + dz * dz), xyz);
  }
}

void points_of_hits(const RayBlock& __restrict r, const double* __restrict t, std::size_t begin, std::size_t end,
                    float* __restrict xyz) {
  for (std::size_t i = begin; i < end; ++i) put_point(r, i, t[i], xyz);
}

/// Works group by group. Groups of hits need neither division nor root, which for all rays would take a fiftieth of the
/// time of a whole graph.
void points(const RayBlock& r, const float* distance_m, const double* t, const std::int32_t* is_hit,
            std::uint32_t count, float* xyz) {
  constexpr std::size_t kGroup = 32;
  for (std::size_t begin = 0; begin < count; begin += kGroup) {
    const std::size_t end = begin + kGroup < count ? begin + kGroup : count;
    std::int32_t hits = t != nullptr ? 1 : 0;
    for (std::size_t i = begin; i < end; ++i) hits &= is_hit[i];
    if (hits != 0) {
      points_of_hits(r, t, begin, end, xyz);
    } else {
      points_at_distance(r, distance_m, begin, end, xyz);
    }
  }
}

}  // namespace

const TraceKernels kTraceKernels = {transform, ask, planes, place, gate, points};

namespace {

/// The linear part of a map in single precision: 16 lanes instead of 8. Displacements and points relative to the sensor
/// are rounded to single precision anyway.
struct Turn {
  float m[3][3];
};

FATHOM_KERNEL Turn turn_of(const Affine& a) {
  Turn t;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) t.m[r][c] = static_cast<float>(a.m[r][c]);
  }
  return t;
}

FATHOM_KERNEL float row(const Turn& t, int r, float x, float y, float z) {
  return t.m[r][0] * x + t.m[r][1] * y + t.m[r][2] * z;
}

/// a - b, where two floats hold the large b.
FATHOM_KERNEL float minus(float a, const float (&b)[2]) { return (a - b[0]) - b[1]; }

void load(const SensorPlace& place, const float* __restrict xyz, std::uint32_t count, PlaceLanes& __restrict before,
          ReturnBlock& __restrict b) {
  const Turn turn = turn_of(place.sensor_from_world);
  float origin[3][2];
  for (int r = 0; r < 3; ++r) {
    const double at = place.world_from_sensor.m[r][3];
    origin[r][0] = static_cast<float>(at);
    origin[r][1] = static_cast<float>(at - double{origin[r][0]});
  }
  for (std::size_t i = 0; i < count; ++i) {
    const float x = minus(xyz[3 * i], origin[0]), y = minus(xyz[3 * i + 1], origin[1]),
                z = minus(xyz[3 * i + 2], origin[2]);
    before.x[i] = row(turn, 0, x, y, z), before.y[i] = row(turn, 1, x, y, z), before.z[i] = row(turn, 2, x, y, z);
  }
  for (std::size_t i = count; i < b.count; ++i) before.x[i] = before.y[i] = before.z[i] = 0.0F;  // padding
  for (std::size_t i = 0; i < b.count; ++i) {
    const float x = before.x[i], y = before.y[i], z = before.z[i];
    b.x[i] = x, b.y[i] = y, b.z[i] = z;
    b.radius_m[i] = math::sqrt(x * x + y * y + z * z);
    b.range_m[i] = b.radius_m[i];
    b.reason[i] = static_cast<std::uint32_t>(Reason::kHit);
  }
}

/// Adds the displacement of a point to its old place, so that large coordinates are rounded only once.
void store(const SensorPlace& place, const float* __restrict xyz, const PlaceLanes& __restrict before,
           const ReturnBlock& __restrict b, std::uint32_t count, float* __restrict out) {
  const Turn turn = turn_of(place.world_from_sensor);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = b.x[i] - before.x[i], y = b.y[i] - before.y[i], z = b.z[i] - before.z[i];
    out[3 * i] = xyz[3 * i] + row(turn, 0, x, y, z);
    out[3 * i + 1] = xyz[3 * i + 1] + row(turn, 1, x, y, z);
    out[3 * i + 2] = xyz[3 * i + 2] + row(turn, 2, x, y, z);
  }
}

}  // namespace

const PointKernels kPointKernels = {load, store};

}  // namespace fathom::FATHOM_ISA

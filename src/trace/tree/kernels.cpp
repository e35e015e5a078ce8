// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "trace/tree/kernels.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "trace/tree/single.hpp"
#include "trace/tree/tile.hpp"

namespace fathom::FATHOM_ISA {

namespace {

constexpr float kFarthest = std::numeric_limits<float>::max();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();

std::uint32_t triangle_at(const tree::World& world, std::uint32_t instance, std::uint32_t place) {
  return instance == tree::kNone ? tree::kNone : triangle_of(world.instances[instance], place);
}

/// The time of a ray after the stamp of the scan, or null.
const float* time_of(const CastRays& rays, std::uint32_t i) {
  return rays.times_s == nullptr ? nullptr : rays.times_s + i;
}

/// The normal and the speed of a hit, if asked for.
void store_surface(const tree::World& world, std::uint32_t instance, std::uint32_t place, const CastRays& rays,
                   std::uint32_t i, const CastHits& hits) {
  if (instance == tree::kNone) return;
  const tree::Instance& met = world.instances[instance];
  const float d[3] = {rays.dx[i], rays.dy[i], rays.dz[i]};
  if (hits.nx != nullptr) {
    tree::MeshMap own;
    const Point n = world_normal(met, map_at(world, met, time_of(rays, i), own), place, d);
    hits.nx[i] = n.x, hits.ny[i] = n.y, hits.nz[i] = n.z;
  }
  if (hits.speed_m_s == nullptr) return;
  float o[3] = {rays.origin[0], rays.origin[1], rays.origin[2]};
  if (rays.ox != nullptr) o[0] = rays.ox[i], o[1] = rays.oy[i], o[2] = rays.oz[i];
  hits.speed_m_s[i] = speed_along(world, met, time_of(rays, i), o, d, hits.range_m[i]);
}

bool reads_surface(const CastHits& hits) { return hits.nx != nullptr || hits.speed_m_s != nullptr; }

/// Rays and their hits; functions name a part by its first ray.
struct Cast {
  const tree::World& world;
  const CastRays& rays;
  const tree::RayLimits& limits;
  const CastHits& hits;
};

void store_hit(const Cast& c, std::uint32_t i, float t, std::uint32_t instance, std::uint32_t place) {
  c.hits.range_m[i] = t;
  if (instance == tree::kNone) c.hits.range_m[i] = kInf;
  if (c.hits.entity != nullptr) c.hits.entity[i] = instance;
  if (c.hits.triangle != nullptr) c.hits.triangle[i] = triangle_at(c.world, instance, place);
  if (reads_surface(c.hits)) store_surface(c.world, instance, place, c.rays, i, c.hits);
}

/// Casts a ray with a separate origin.
void cast_single(const Cast& c, std::uint32_t i) {
  const CastRays& rays = c.rays;
  SingleRay ray = {
      {rays.ox[i], rays.oy[i], rays.oz[i]}, {rays.dx[i], rays.dy[i], rays.dz[i]}, 0.0F, rays.mask, time_of(rays, i)};
  if (rays.near != nullptr) ray.near = rays.near[i];
  if (c.limits.masks != nullptr) ray.mask = c.limits.masks[i];
  Hit hit = {kFarthest, tree::kNone, tree::kNone, tree::kNone};
  if (c.limits.far != nullptr) hit.t = std::min(c.limits.far[i], kFarthest);
  if (hit.t >= 0.0F) trace_single(c.world, ray, hit);
  store_hit(c, i, hit.t, hit.instance, hit.place);
}

/// Makes a tile of the rays from `begin` on.
void load_tile(const Cast& c, std::uint32_t begin, std::uint32_t count, TileRays& tile) {
  const CastRays& rays = c.rays;
  tile.groups = count / FGroup::kLanes;
  tile.dx = rays.dx + begin, tile.dy = rays.dy + begin, tile.dz = rays.dz + begin;
  tile.ox = rays.origin, tile.oy = rays.origin + 1, tile.oz = rays.origin + 2;
  if (rays.ox != nullptr) tile.ox = rays.ox + begin, tile.oy = rays.oy + begin, tile.oz = rays.oz + begin;
  tile.near = rays.near == nullptr ? nullptr : rays.near + begin;
  tile.masks = c.limits.masks == nullptr ? nullptr : c.limits.masks + begin;
  tile.mask = c.rays.mask;
  tile.times_s = rays.times_s == nullptr ? nullptr : rays.times_s + begin;
  if (c.limits.far == nullptr) {
    std::fill_n(tile.t, count, kFarthest);
  } else {
    for (std::uint32_t i = 0; i < count; ++i) tile.t[i] = std::min(c.limits.far[begin + i], kFarthest);
  }
  std::fill_n(tile.instance, count, tree::kNone);
}

void store_triangles(const tree::World& world, const TileRays& tile, std::uint32_t count, std::uint32_t* triangle) {
  for (std::uint32_t i = 0; i < count; ++i) triangle[i] = triangle_at(world, tile.instance[i], tile.place[i]);
}

void store_tile(const Cast& c, std::uint32_t begin, std::uint32_t count, const TileRays& tile) {
  for (std::uint32_t i = 0; i < count; ++i) {
    float range = tile.t[i];
    if (tile.instance[i] == tree::kNone) range = kInf;
    c.hits.range_m[begin + i] = range;
  }
  if (c.hits.entity != nullptr) std::copy_n(tile.instance, count, c.hits.entity + begin);
  if (c.hits.triangle != nullptr) store_triangles(c.world, tile, count, c.hits.triangle + begin);
  if (!reads_surface(c.hits)) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    store_surface(c.world, tile.instance[i], tile.place[i], c.rays, begin + i, c.hits);
  }
}

/// Not inlined: each halving of a tile would need its memory on the stack.
template <bool kAny, bool kOneOrigin>
[[gnu::noinline]] void trace_tile(const tree::World& world, TileRays& tile, const Pyramid& pyramid) {
  TileTracer<kAny, kOneOrigin>(world, tile, pyramid).trace();
}

/// Casts a tile, or its halves if its rays spread too far for planes.
void cast_tile(const Cast& c, std::uint32_t begin, std::uint32_t count, TileRays& tile) {
  load_tile(c, begin, count, tile);
  const Pyramid pyramid = make_pyramid(tile);
  if (!pyramid.narrow && count > kPacketRays) {
    const std::uint32_t half = whole_packets(count / 2);
    cast_tile(c, begin, half, tile);
    return cast_tile(c, begin + half, count - half, tile);
  }
  if (c.rays.ox != nullptr) {
    trace_tile<false, false>(c.world, tile, pyramid);
  } else {
    trace_tile<false, true>(c.world, tile, pyramid);
  }
  store_tile(c, begin, count, tile);
}

/// Numbers of `count` rays, sorted by the longest component of their directions and the signs: neighbours then meet
/// instances in similar order.
void sort_by_direction(const CastRays& rays, std::uint32_t begin, std::uint32_t count, std::uint32_t* sorted) {
  constexpr unsigned kClasses = 24;
  std::uint32_t end_of[kClasses + 1] = {};
  std::uint8_t kind[kTileRays];
  for (std::uint32_t i = 0; i < count; ++i) {
    const float x = rays.dx[begin + i], y = rays.dy[begin + i], z = rays.dz[begin + i];
    const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
    const unsigned signs = unsigned{x < 0.0F} | unsigned{y < 0.0F} << 1 | unsigned{z < 0.0F} << 2;
    const unsigned axis = ax >= ay && ax >= az ? 0U : ay >= az ? 1U : 2U;
    kind[i] = static_cast<std::uint8_t>(3 * signs + axis);
    ++end_of[kind[i] + 1];
  }
  for (unsigned k = 0; k < kClasses; ++k) end_of[k + 1] += end_of[k];
  for (std::uint32_t i = 0; i < count; ++i) sorted[end_of[kind[i]]++] = begin + i;
}

/// Values of rays in another order; null if the rays have none.
template <class T>
const T* pick(const T* values, const std::uint32_t* order, std::uint32_t count, T* picked) {
  if (values == nullptr) return nullptr;
  for (std::uint32_t k = 0; k < count; ++k) picked[k] = values[order[k]];
  return picked;
}

/// Casts rays in any directions from one origin. They go through instances one by one, but enter the frame of each
/// together.
void cast_scattered(const Cast& c, std::uint32_t begin, std::uint32_t count, TileRays& tile) {
  std::uint32_t order[kTileRays], masks[kTileRays];
  alignas(64) float d[3][kTileRays], near[kTileRays], far[kTileRays];
  sort_by_direction(c.rays, begin, count, order);
  CastRays rays = c.rays;
  rays.dx = pick(rays.dx, order, count, d[0]);
  rays.dy = pick(rays.dy, order, count, d[1]);
  rays.dz = pick(rays.dz, order, count, d[2]);
  rays.near = pick(rays.near, order, count, near);
  const tree::RayLimits limits = {.far = pick(c.limits.far, order, count, far),
                                  .masks = pick(c.limits.masks, order, count, masks)};
  load_tile({c.world, rays, limits, c.hits}, 0, count, tile);
  Pyramid everywhere;
  everywhere.narrow = false;
  trace_tile<false, true>(c.world, tile, everywhere);
  for (std::uint32_t k = 0; k < count; ++k) store_hit(c, order[k], tile.t[k], tile.instance[k], tile.place[k]);
}

void cast(const tree::World& world, const CastRays& rays, const tree::RayLimits& limits, const CastHits& hits) {
  const Cast c = {world, rays, limits, hits};
  if (!rays.coherent && rays.ox != nullptr) {
    for (std::uint32_t i = 0; i < rays.count; ++i) cast_single(c, i);
    return;
  }
  TileRays tile;
  for (std::uint32_t begin = 0; begin < rays.count; begin += kTileRays) {
    const std::uint32_t count = std::min(rays.count - begin, kTileRays);
    rays.coherent ? cast_tile(c, begin, count, tile) : cast_scattered(c, begin, count, tile);
  }
}

/// Calls f for runs of packets that are all coherent, or all not.
template <class F>
void for_runs(std::uint32_t count, const std::int32_t* coherent, F f) {
  const auto is_coherent = [&](std::uint32_t i) { return coherent != nullptr && coherent[i / kPacketRays] != 0; };
  for (std::uint32_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin; end < count && is_coherent(end) == is_coherent(begin);) end += kPacketRays;
    f(begin, end - begin, is_coherent(begin));
  }
}

/// Copies rays. Rays that are not cast may hold anything, and become copies of `first`, which is cast.
template <class IsCast>
void copy_cast(const float* from, std::uint32_t count, std::uint32_t first, IsCast is_cast, float* to) {
  const float other = from[first];
  for (std::uint32_t i = 0; i < count; ++i) to[i] = is_cast(i) ? from[i] : other;
}

/// Rays of an InstanceCaster for tiles.
struct alignas(64) Lanes {
  float o[3][kBlockRays], d[3][kBlockRays], near[kBlockRays], far[kBlockRays];
  float scale[kBlockRays];  ///< factor of the directions
  bool scaled;
};

constexpr float kShortest = 0x1p-20F;  ///< of directions; kTinyDirection would bend shorter ones

float longest_component(float dx, float dy, float dz) {
  const float x = __builtin_fabsf(dx), y = __builtin_fabsf(dy), z = __builtin_fabsf(dz);
  const float xy = x > y ? x : y;
  return xy > z ? xy : z;
}

/// Whether tiles can read the rays in place: all are cast, from their origins on, without short directions.
bool are_plain(const RayLanes& rays, const CastLimits& limits, std::uint32_t count) {
  const float *dx = rays.dx, *dy = rays.dy, *dz = rays.dz;
  const std::int32_t* active = limits.active;
  std::uint32_t others = limits.near > 0.0F ? 1 : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float longest = longest_component(dx[i], dy[i], dz[i]);
    others |= (active[i] == 0 ? 1U : 0U) | (longest < kShortest ? 1U : 0U);
  }
  return others == 0;
}

/// Multiplies short directions by a power of two that makes their longest component 1 to 2 long.
void lengthen(std::uint32_t count, Lanes& lanes) {
  auto& d = lanes.d;
  float longest[kBlockRays], shortest = kInf;
  for (std::uint32_t i = 0; i < count; ++i) {
    longest[i] = longest_component(d[0][i], d[1][i], d[2][i]);
    shortest = longest[i] < shortest ? longest[i] : shortest;
  }
  lanes.scaled = shortest < kShortest;
  for (std::uint32_t i = 0; i < count && lanes.scaled; ++i) {
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(longest[i]) & 0x7f800000U;
    const float scale = longest[i] < kShortest ? std::bit_cast<float>(0x7f000000U - exponent) : 1.0F;
    for (auto& lane : d) lane[i] *= scale;
    lanes.scale[i] = scale;
    lanes.far[i] /= scale;
    lanes.near[i] = std::max(lanes.near[i] / scale, kLeast);  // keeps it above 0
  }
}

/// Copies rays for a cast.
RayLanes load_lanes(const RayLanes& rays, const CastLimits& limits, std::uint32_t count, std::uint32_t first,
                    Lanes& lanes) {
  const auto is_cast = [&](std::uint32_t i) { return limits.active[i] != 0; };
  const float *from[3] = {rays.ox, rays.oy, rays.oz}, *along[3] = {rays.dx, rays.dy, rays.dz};
  for (int a = 0; a < 3; ++a) {
    copy_cast(from[a], count, first, is_cast, lanes.o[a]);
    copy_cast(along[a], count, first, is_cast, lanes.d[a]);
  }
  for (std::uint32_t i = 0; i < count; ++i) lanes.far[i] = is_cast(i) ? limits.far[i] : -1.0F;
  std::fill_n(lanes.near, count, limits.near);
  lengthen(count, lanes);
  return {lanes.o[0], lanes.o[1], lanes.o[2], lanes.d[0], lanes.d[1], lanes.d[2], lanes.far, nullptr, count};
}

bool have_one_origin(const RayLanes& rays) {
  std::uint32_t differ = 0;
  for (const float* o : {rays.ox, rays.oy, rays.oz}) {
    const float first = o[0];
    for (std::uint32_t i = 0; i < rays.count; ++i) differ |= o[i] != first ? 1U : 0U;
  }
  return differ == 0;
}

void cast_lanes(const tree::World& world, const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) {
  const std::uint32_t count = whole_packets(rays.count);
  std::uint32_t first = 0;
  while (first < count && limits.active[first] == 0) ++first;
  if (first == count) {
    std::fill_n(hits.instance, count, tree::kNone);
    std::fill_n(hits.t, count, kInf);
    return;
  }
  Lanes copies;
  copies.scaled = false;
  RayLanes r = rays;
  r.far = limits.far;
  r.count = count;
  if (!are_plain(rays, limits, count)) r = load_lanes(rays, limits, count, first, copies);
  const bool one_origin = have_one_origin(r);
  for_runs(count, limits.coherent, [&](std::uint32_t begin, std::uint32_t size, bool coherent) {
    CastRays part = {.origin = {r.ox[0], r.oy[0], r.oz[0]},
                     .dx = r.dx + begin,
                     .dy = r.dy + begin,
                     .dz = r.dz + begin,
                     .near = limits.near > 0.0F ? copies.near + begin : nullptr,
                     .count = size,
                     .coherent = coherent};
    if (!one_origin) part.ox = r.ox + begin, part.oy = r.oy + begin, part.oz = r.oz + begin;
    cast(world, part, {.far = r.far + begin},
         {.range_m = hits.t + begin, .entity = hits.instance + begin, .triangle = hits.triangle + begin});
  });
  for (std::uint32_t i = 0; i < count && copies.scaled; ++i) {
    hits.t[i] *= copies.scale[i];
    if (!(hits.t[i] < kInf)) hits.instance[i] = tree::kNone;  // beyond the range of float
  }
}

void find_blocked(const tree::World& world, const SightLines& lines, const std::uint32_t* masks,
                  std::uint32_t* blocked) {
  alignas(64) float d[3][kTileRays];
  TileRays tile;
  tile.mask = lines.mask;
  tile.ox = lines.eye, tile.oy = lines.eye + 1, tile.oz = lines.eye + 2;
  tile.dx = d[0], tile.dy = d[1], tile.dz = d[2];
  tile.near = nullptr, tile.times_s = nullptr;
  for (std::uint32_t begin = 0; begin < lines.count; begin += kTileRays) {
    const std::uint32_t count = std::min(lines.count - begin, kTileRays);
    const float* clear = lines.clear + begin;
    const auto matters = [&](std::uint32_t i) { return clear[i] > 0.0F; };
    std::uint32_t first = 0;
    while (first < count && !matters(first)) ++first;
    std::fill_n(blocked + begin, count, 0U);
    if (first == count) continue;
    const float* from[3] = {lines.dx + begin, lines.dy + begin, lines.dz + begin};
    for (int a = 0; a < 3; ++a) copy_cast(from[a], count, first, matters, d[a]);
    tile.groups = count / FGroup::kLanes;
    tile.masks = masks == nullptr ? nullptr : masks + begin;
    std::fill_n(tile.instance, count, tree::kNone);
    for (std::uint32_t i = 0; i < count; ++i) tile.t[i] = matters(i) ? clear[i] : -1.0F;
    trace_tile<true, true>(world, tile, make_pyramid(tile));
    for (std::uint32_t i = 0; i < count; ++i) blocked[begin + i] = tile.instance[i] != tree::kNone ? 1 : 0;
  }
}

}  // namespace

extern const tree::Kernels kTreeKernels;
const tree::Kernels kTreeKernels = {cast, cast_lanes, find_blocked};

}  // namespace fathom::FATHOM_ISA

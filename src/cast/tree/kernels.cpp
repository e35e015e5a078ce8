// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ.

#include "cast/tree/kernels.hpp"

#include <algorithm>
#include <limits>

#include "cast/tree/single.hpp"
#include "cast/tree/tile.hpp"

namespace fathom::FATHOM_ISA {

namespace {

constexpr float kFarthest = std::numeric_limits<float>::max();

/// World unit normal of a triangle, turned against the ray along d.
void store_normal(const tree::World& world, std::uint32_t id, std::uint32_t place, const float (&d)[3],
                  const CastHits& hits, std::uint32_t i) {
  const tree::Instance& instance = world.instances[id];
  const tree::Leaf& leaf = instance.leaves[place / 4];
  const std::uint32_t k = place % 4;
  float e[2][3];
  for (int a = 0; a < 3; ++a) {
    e[0][a] = leaf.v[0][a][k] - leaf.v[1][a][k], e[1][a] = leaf.v[2][a][k] - leaf.v[0][a][k];
  }
  const float n[3] = {e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                      e[0][0] * e[1][1] - e[0][1] * e[1][0]};
  const float* m = instance.m_from_w;  // normals turn by its transpose
  float w[3];
  for (int a = 0; a < 3; ++a) w[a] = m[3 * a] * n[0] + m[3 * a + 1] * n[1] + m[3 * a + 2] * n[2];
  const bool behind = w[0] * d[0] + w[1] * d[1] + w[2] * d[2] > 0.0F;
  const float scale = (behind ? -1.0F : 1.0F) / __builtin_sqrtf(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  hits.nx[i] = w[0] * scale, hits.ny[i] = w[1] * scale, hits.nz[i] = w[2] * scale;
}

/// The triangle and the normal of a hit, where they are wanted.
void store_surface(const tree::World& world, std::uint32_t id, std::uint32_t place, const CastRays& rays,
                   std::uint32_t i, const CastHits& hits) {
  const bool met = id != tree::kNone;
  if (hits.triangle != nullptr) {
    hits.triangle[i] = met ? world.instances[id].leaves[place / 4].id[place % 4] : tree::kNone;
  }
  if (hits.nx != nullptr && met) store_normal(world, id, place, {rays.dx[i], rays.dy[i], rays.dz[i]}, hits, i);
}

void cast_singles(const tree::World& world, const CastRays& rays, std::uint32_t mask, const CastHits& hits) {
  for (std::uint32_t i = 0; i < rays.count; ++i) {
    SingleRay ray = {
        {rays.origin[0], rays.origin[1], rays.origin[2]}, {rays.dx[i], rays.dy[i], rays.dz[i]}, 0.0F, mask};
    if (rays.ox != nullptr) ray.o[0] = rays.ox[i], ray.o[1] = rays.oy[i], ray.o[2] = rays.oz[i];
    if (rays.near != nullptr) ray.near = rays.near[i];
    Hit hit = {kFarthest, tree::kNone, tree::kNone, tree::kNone};
    trace_single<false>(world, ray, hit);
    hits.range_m[i] = hit.t;
    if (hit.instance == tree::kNone) hits.range_m[i] = kInf;
    if (hits.entity != nullptr) hits.entity[i] = hit.instance;
    store_surface(world, hit.instance, hit.place, rays, i, hits);
  }
}

void cast_tiles(const tree::World& world, const CastRays& rays, std::uint32_t mask, const CastHits& hits) {
  TileRays tile;
  tile.mask = mask;
  for (std::uint32_t begin = 0; begin < rays.count; begin += kTileRays) {
    const std::uint32_t count = std::min(rays.count - begin, kTileRays);
    tile.groups = count / FGroup::kLanes;
    tile.dx = rays.dx + begin, tile.dy = rays.dy + begin, tile.dz = rays.dz + begin;
    tile.near = rays.near == nullptr ? nullptr : rays.near + begin;
    std::fill_n(tile.t, kTileRays, kFarthest);
    std::fill_n(tile.instance, kTileRays, tree::kNone);
    if (rays.ox != nullptr) {
      tile.ox = rays.ox + begin, tile.oy = rays.oy + begin, tile.oz = rays.oz + begin;
      TileTracer<false, false>(world, tile).trace();
    } else {
      tile.ox = rays.origin, tile.oy = rays.origin + 1, tile.oz = rays.origin + 2;
      TileTracer<false, true>(world, tile).trace();
    }
    for (std::uint32_t i = 0; i < count; i += FGroup::kLanes) {
      const FGroup t = FGroup::load(tile.t + i);
      select(lt(t, FGroup::all(kFarthest)), t, FGroup::all(kInf)).store(hits.range_m + begin + i);
    }
    if (hits.entity != nullptr) std::copy_n(tile.instance, count, hits.entity + begin);
    if (hits.triangle == nullptr && hits.nx == nullptr) continue;
    for (std::uint32_t i = 0; i < count; ++i) {
      store_surface(world, tile.instance[i], tile.place[i], rays, begin + i, hits);
    }
  }
}

void cast(const tree::World& world, const CastRays& rays, std::uint32_t mask, const CastHits& hits) {
  rays.coherent ? cast_tiles(world, rays, mask, hits) : cast_singles(world, rays, mask, hits);
}

void find_blocked(const tree::World& world, const SightLines& lines, std::uint32_t mask, std::uint32_t* blocked) {
  TileRays tile;
  tile.mask = mask;
  tile.ox = lines.eye, tile.oy = lines.eye + 1, tile.oz = lines.eye + 2;
  tile.near = nullptr;
  for (std::uint32_t begin = 0; begin < lines.count; begin += kTileRays) {
    const std::uint32_t count = std::min(lines.count - begin, kTileRays);
    tile.groups = count / FGroup::kLanes;
    tile.dx = lines.dx + begin, tile.dy = lines.dy + begin, tile.dz = lines.dz + begin;
    std::fill_n(tile.instance, kTileRays, tree::kNone);
    for (std::uint32_t i = 0; i < count; ++i) {
      tile.t[i] = lines.clear[begin + i] > 0.0F ? lines.clear[begin + i] : -1.0F;
    }
    TileTracer<true, true>(world, tile).trace();
    for (std::uint32_t i = 0; i < count; ++i) blocked[begin + i] = tile.instance[i] != tree::kNone ? 1 : 0;
  }
}

}  // namespace

extern const tree::Kernels kTreeKernels;
const tree::Kernels kTreeKernels = {cast, find_blocked};

}  // namespace fathom::FATHOM_ISA

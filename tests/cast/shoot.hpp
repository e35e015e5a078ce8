// SPDX-License-Identifier: MIT
#pragma once
// Rays in double precision through a caster that takes single precision in blocks of 16.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "base/executor.hpp"
#include "cast/brute/brute_caster.hpp"
#include "cast/make_caster.hpp"

namespace fathom::test {

struct WorldRay {
  Vec3 origin, direction;
};

struct Shot {
  float range_m;
  std::uint32_t entity, triangle;
  Vec3 normal;
};

/// A caster with what it needs to live.
struct CasterBench {
  explicit CasterBench(const Compute& compute = {.threads = 2})
      : executor(make_executor(compute.threads)), caster(make_caster(compute, *executor)) {}
  explicit CasterBench(CasterKind kind) : CasterBench(Compute{.threads = 2, .caster = kind}) {}
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Caster> caster;
};

/// Rays as the caster will see them: relative to its origin and rounded to single precision. The oracle must be asked
/// about these, or it would measure the rounding of the question.
inline std::vector<WorldRay> rounded(const Caster& caster, std::span<const WorldRay> rays) {
  const auto round = [](Vec3 v) { return Vec3{double(float(v.x)), double(float(v.y)), double(float(v.z))}; };
  std::vector<WorldRay> out;
  for (const WorldRay& r : rays)
    out.push_back({caster.origin() + round(r.origin - caster.origin()), round(r.direction)});
  return out;
}

/// How rays are given to a caster.
struct ShotOptions {
  bool coherent = false;
  float packet_sr = 0.0F;
  bool one_origin = false;  ///< all start where the first does
  std::uint32_t mask = kSeesAll;
};

inline std::vector<Shot> shoot(const Caster& caster, std::span<const WorldRay> rays, const ShotOptions& options) {
  const std::size_t padded = (rays.size() + 15) / 16 * 16;
  std::vector<float> in[6], out[4];
  for (auto& a : in) a.resize(padded);
  for (auto& a : out) a.resize(padded, std::numeric_limits<float>::quiet_NaN());
  std::vector<std::uint32_t> entity(padded), triangle(padded);
  for (std::size_t i = 0; i < padded; ++i) {
    const WorldRay& ray = rays[std::min(i, rays.size() - 1)];
    const Vec3 o = ray.origin - caster.origin();
    const double values[6] = {o.x, o.y, o.z, ray.direction.x, ray.direction.y, ray.direction.z};
    for (int k = 0; k < 6; ++k) in[k][i] = static_cast<float>(values[k]);
  }
  CastRays cast_rays;
  if (options.one_origin) {
    for (int k = 0; k < 3; ++k) cast_rays.origin[k] = in[k][0];
  } else {
    cast_rays.ox = in[0].data(), cast_rays.oy = in[1].data(), cast_rays.oz = in[2].data();
  }
  cast_rays.dx = in[3].data(), cast_rays.dy = in[4].data(), cast_rays.dz = in[5].data();
  cast_rays.count = static_cast<std::uint32_t>(padded);
  cast_rays.coherent = options.coherent;
  cast_rays.packet_sr = options.packet_sr;
  cast_rays.mask = options.mask;
  caster.cast(cast_rays, {out[0].data(), entity.data(), triangle.data(), out[1].data(), out[2].data(), out[3].data()});
  std::vector<Shot> shots;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    shots.push_back({out[0][i], entity[i], triangle[i], {out[1][i], out[2][i], out[3][i]}});
  }
  return shots;
}

inline std::vector<Shot> shoot(const Caster& caster, std::span<const WorldRay> rays, bool coherent = false,
                               float packet_sr = 0.0F) {
  return shoot(caster, rays, ShotOptions{.coherent = coherent, .packet_sr = packet_sr});
}

/// Rays that all start where the first does, given as one origin.
inline std::vector<Shot> shoot_fan(const Caster& caster, std::span<const WorldRay> rays, bool coherent) {
  return shoot(caster, rays, ShotOptions{.coherent = coherent, .one_origin = true});
}

/// Hits that are equal bit by bit.
inline bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }
inline bool same_bits(const Shot& a, const Shot& b) {
  const bool hit = !std::isinf(a.range_m);
  const auto same = [](double x, double y) { return same_bits(static_cast<float>(x), static_cast<float>(y)); };
  return same_bits(a.range_m, b.range_m) && a.entity == b.entity && a.triangle == b.triangle &&
         (!hit || (same(a.normal.x, b.normal.x) && same(a.normal.y, b.normal.y) && same(a.normal.z, b.normal.z)));
}
inline std::size_t differences(const std::vector<Shot>& a, const std::vector<Shot>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += same_bits(a[i], b[i]) ? 0 : 1;
  return count;
}

inline Vec3 random_direction(std::mt19937& random) {
  const auto real = [&] { return static_cast<double>(random()) / 2147483648.0 - 1.0; };
  for (;;) {
    const Vec3 v = {real(), real(), real()};
    const double length = norm(v);
    if (length > 0.1 && length <= 1) return (1 / length) * v;
  }
}

/// Rays from random points of a cube around `centre` into random directions.
inline std::vector<WorldRay> random_rays(std::mt19937& random, std::size_t count, Vec3 centre, double half_size) {
  const auto real = [&] { return half_size * (static_cast<double>(random()) / 2147483648.0 - 1.0); };
  std::vector<WorldRay> rays;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 origin = centre + Vec3{real(), real(), real()};
    rays.push_back({origin, random_direction(random)});
  }
  return rays;
}

}  // namespace fathom::test

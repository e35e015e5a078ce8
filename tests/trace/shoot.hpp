// SPDX-License-Identifier: MIT
#pragma once
// Rays in double precision through a caster that takes single precision in blocks of 16.

#include "core/compute.hpp"
#include "support/brute_caster.hpp"
#include "support/casters.hpp"
#include "support/expect.hpp"
#include "trace/caster.hpp"

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
  explicit CasterBench(const CasterChoice& choice = {})
      : executor(make_executor(choice.threads)), caster(caster_of(choice, *executor)) {}
  explicit CasterBench(CasterKind kind) : CasterBench(CasterChoice{.caster = kind}) {}
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
  cast_rays.mask = options.mask;
  caster.cast(cast_rays, {out[0].data(), entity.data(), triangle.data(), out[1].data(), out[2].data(), out[3].data()});
  std::vector<Shot> shots;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    shots.push_back({out[0][i], entity[i], triangle[i], {out[1][i], out[2][i], out[3][i]}});
  }
  return shots;
}

inline std::vector<Shot> shoot(const Caster& caster, std::span<const WorldRay> rays, bool coherent = false) {
  return shoot(caster, rays, ShotOptions{.coherent = coherent});
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

// Random scenes of primitives.

inline constexpr double kWorldM = 8.0;  // entities stand within this of the middle

inline double real(std::mt19937& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
}

inline Pose random_pose(std::mt19937& random, double half_size) {
  const auto c = [&](double limit) { return real(random, -limit, limit); };
  return {{c(half_size), c(half_size), c(half_size)}, from_roll_pitch_yaw(c(3), c(1.5), c(3))};
}

inline Affine affine_of(const Pose& pose) {
  Affine a;
  const Vec3 columns[4] = {rotate(pose.rotation, {1, 0, 0}), rotate(pose.rotation, {0, 1, 0}),
                           rotate(pose.rotation, {0, 0, 1}), pose.translation_m};
  for (int k = 0; k < 4; ++k) a.m[0][k] = columns[k].x, a.m[1][k] = columns[k].y, a.m[2][k] = columns[k].z;
  return a;
}

inline Mesh random_mesh(std::mt19937& random) {
  const auto segments = static_cast<std::uint32_t>(8 + random() % 20);
  switch (random() % 4) {
    case 0:
      return make_box({real(random, 0.1, 3), real(random, 0.1, 3), real(random, 0.1, 3)});
    case 1:
      return make_sphere(real(random, 0.1, 1.5), segments);
    case 2:
      return make_cylinder(real(random, 0.1, 1.5), real(random, 0.1, 3), segments);
    default:
      return make_plane(real(random, 0.1, 3), real(random, 0.1, 3));
  }
}

/// Primitives in random places: scaled unevenly, mirrored, hung on each other, meshes shared.
inline Scene random_scene(std::mt19937& random) {
  Scene scene;
  const auto meshes = static_cast<std::uint32_t>(1 + random() % 4);
  const auto entities = static_cast<std::uint32_t>(1 + random() % 8);
  for (std::uint32_t i = 0; i < meshes; ++i) scene.add_mesh(random_mesh(random));
  for (std::uint32_t i = 0; i < entities; ++i) {
    Entity entity;
    entity.name = std::to_string(i);
    entity.mesh = static_cast<MeshId>(random() % meshes);
    const auto scale = [&] { return (random() % 2 == 0 ? 1 : -1) * real(random, 0.3, 2); };
    if (random() % 2 == 0) entity.scale = {scale(), scale(), scale()};
    if (i > 0 && random() % 3 == 0) entity.parent = static_cast<EntityId>(random() % i);
    entity.parent_from_entity = random_pose(random, entity.parent == kNoEntity ? kWorldM : 2.0);
    scene.add_entity(entity);
  }
  return scene;
}

}  // namespace fathom::test

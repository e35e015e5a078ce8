// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/pattern.hpp>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "scene/mesh.hpp"
#include "scene/poses.hpp"
#include "trace/caster.hpp"
#include "trace/tile.hpp"

namespace fathom {

namespace {

/// Ranges below this are not distinguished in single precision.
constexpr double kFloorM = 1e-3;

/// Throws InputError unless the place is a number and within kMaxCoordinateM.
void check_in_world(const Vec3& place_m, std::string_view what) {
  if (const auto c = coordinate_beyond_limits(place_m)) {
    throw InputError(fmt::format("scene ranges: {} lies at {} m, not in {}", what, number_text(*c), kCoordinateLimits));
  }
}

/// The middle of the scene.
Vec3 middle(const Scene& scene, double stamp_s) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3 low = {kInfinity, kInfinity, kInfinity}, high = {-kInfinity, -kInfinity, -kInfinity};
  WorldPoses poses;
  const std::vector<Pose>& world_from_entity = poses.at(scene, stamp_s);
  for (std::size_t i = 0; i < scene.entities().size(); ++i) {
    const Entity& entity = scene.entities()[i];
    if (entity.mesh == kNoMesh) continue;
    const Pose place = world_from_vertices(scene, entity, world_from_entity[i]);
    for (const auto& v : scene.meshes()[index(entity.mesh)].vertices_m) {
      const Vec3 p = place * Vec3{v[0] * entity.scale.x, v[1] * entity.scale.y, v[2] * entity.scale.z};
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  }
  return low.x <= high.x ? 0.5 * (low + high) : Vec3{};
}

bool is_coherent(const RayFan& fan) {
  const std::size_t last = std::min<std::size_t>(kPacketRays, fan.size()) - 1;
  const double cosine =
      double{fan.x[0]} * fan.x[last] + double{fan.y[0]} * fan.y[last] + double{fan.z[0]} * fan.z[last];
  return fan.size() >= kPacketRays && std::acos(std::clamp(cosine, -1.0, 1.0)) <= kCoherentRad;
}

/// Rays gathered until a block is full.
struct alignas(64) Block {
  float ox[kBlockRays], oy[kBlockRays], oz[kBlockRays];
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];
  float range_m[kBlockRays];
  std::uint32_t count = 0;
};

class SceneRanges final : public ExpectedRanges {
 public:
  SceneRanges(const Scene& scene, const SceneRangesOptions& options)
      : executor_(make_executor(options.compute.threads)),
        caster_(make_caster(options.compute.isa, *executor_)),
        pose_from_sensor_(options.pose_from_sensor) {
    caster_->update(scene, options.stamp_s, options.near_m ? *options.near_m : middle(scene, options.stamp_s));
  }

  void cast(std::span<const Pose> poses, const RayFan& rays, double max_range_m,
            std::span<float> range_m) const override {
    if (rays.size() == 0) return;
    const bool coherent = is_coherent(rays);
    Block block;
    std::size_t done = 0;
    for (const Pose& pose : poses) {
      const Placed placed = place(pose);
      for (std::size_t k = 0; k < rays.size(); ++k) {
        append(placed, rays, k, block);
        if (block.count == kBlockRays) done += flush(block, coherent, max_range_m, range_m.data() + done);
      }
    }
    flush(block, coherent, max_range_m, range_m.data() + done);
  }

  [[nodiscard]] double floor_m() const override { return kFloorM; }

 private:
  struct Placed {
    float o[3], r[9];
  };

  [[nodiscard]] Placed place(const Pose& pose) const {
    const Pose world_from_sensor = pose * pose_from_sensor_;
    check_in_world(world_from_sensor.translation_m, "a pose");
    const Vec3 at = world_from_sensor.translation_m - caster_->origin();
    const Quaternion& q = world_from_sensor.rotation;
    const Vec3 x = rotate(q, {1, 0, 0}), y = rotate(q, {0, 1, 0}), z = rotate(q, {0, 0, 1});
    const auto f = [](double v) { return static_cast<float>(v); };
    return {{f(at.x), f(at.y), f(at.z)}, {f(x.x), f(y.x), f(z.x), f(x.y), f(y.y), f(z.y), f(x.z), f(y.z), f(z.z)}};
  }

  static void append(const Placed& p, const RayFan& rays, std::size_t k, Block& b) {
    const float x = rays.x[k], y = rays.y[k], z = rays.z[k];
    const std::uint32_t i = b.count++;
    b.ox[i] = p.o[0], b.oy[i] = p.o[1], b.oz[i] = p.o[2];
    b.dx[i] = p.r[0] * x + p.r[1] * y + p.r[2] * z;
    b.dy[i] = p.r[3] * x + p.r[4] * y + p.r[5] * z;
    b.dz[i] = p.r[6] * x + p.r[7] * y + p.r[8] * z;
  }

  /// Casts the rays of the block, writes their ranges to `out` and empties the block. Returns the number of ranges.
  std::size_t flush(Block& b, bool coherent, double max_range_m, float* out) const {
    const std::uint32_t count = b.count;
    if (count == 0) return 0;
    for (; b.count % kPacketRays != 0; ++b.count) {
      const std::uint32_t i = b.count, last = count - 1;
      b.ox[i] = b.ox[last], b.oy[i] = b.oy[last], b.oz[i] = b.oz[last];
      b.dx[i] = b.dx[last], b.dy[i] = b.dy[last], b.dz[i] = b.dz[last];
    }
    caster_->cast({.ox = b.ox,
                   .oy = b.oy,
                   .oz = b.oz,
                   .dx = b.dx,
                   .dy = b.dy,
                   .dz = b.dz,
                   .count = b.count,
                   .coherent = coherent},
                  {.range_m = b.range_m});
    const auto limit = static_cast<float>(max_range_m);
    for (std::uint32_t i = 0; i < count; ++i) out[i] = std::min(b.range_m[i], limit);
    b.count = 0;
    return count;
  }

  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Caster> caster_;
  Pose pose_from_sensor_;
};

void check(const SceneRangesOptions& options) {
  const Pose& p = options.pose_from_sensor;
  const double norm2 = dot(p.rotation, p.rotation);
  if (!std::isfinite(norm(p.translation_m)) || !(std::abs(norm2 - 1.0) < 1e-6)) {
    throw InputError("scene ranges: pose_from_sensor is not a finite rigid transform");
  }
  if (!std::isfinite(options.stamp_s)) throw InputError("scene ranges: stamp_s is not finite");
  if (options.near_m) check_in_world(*options.near_m, "near_m");
  validate(options.compute);
}

}  // namespace

std::unique_ptr<ExpectedRanges> make_scene_ranges(const Scene& scene, const SceneRangesOptions& options) {
  check(options);
  return std::make_unique<SceneRanges>(scene, options);
}

RayFan RayFan::of(const RayPattern& pattern) {
  validate(pattern);
  if (!pattern.origin_x.empty()) {
    throw InputError("the rays of a fan start at the sensor origin, but these have separate origins");
  }
  return {pattern.direction_x, pattern.direction_y, pattern.direction_z};
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include <fathom/scene/expected_ranges.hpp>

#include "core/compute.hpp"
#include "trace/grid/walk.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPosesAtOnce = 64;

GridKernel pick_kernel(Isa isa) { return FATHOM_FOR_ISA(isa, kGridKernel); }

class GridRanges final : public ExpectedRanges {
 public:
  GridRanges(const GridMap& map, const GridCasterOptions& options)
      : field_(make_skip_field(map, options.unknown)),
        options_(options),
        kernel_(pick_kernel(options.isa)),
        resolution_m_(map.resolution_m),
        map_from_world_(inverse(map.world_from_map.at_height())) {}

  void cast(std::span<const Pose> world_from_sensor, const RayFan& rays, double max_range_m,
            std::span<float> range_m) const override {
    const FanView fan = {rays.x.data(), rays.y.data(), rays.z.data(), rays.size()};
    if (fan.rays == 0) return;
    std::array<GridPose, kPosesAtOnce> poses;
    for (std::size_t n = 0; n < world_from_sensor.size();) {
      const std::size_t count = std::min(kPosesAtOnce, world_from_sensor.size() - n);
      float* out = range_m.data() + n * fan.rays;
      for (std::size_t i = 0; i < count; ++i) poses[i] = place(world_from_sensor[n + i]);
      if (options_.precision == GridCasterOptions::Precision::kFast) {
        cast_fast(poses.data(), count, fan, max_range_m, out);
      } else {
        cast_slowly(poses.data(), count, fan, max_range_m, out);
      }
      n += count;
    }
  }

  [[nodiscard]] double floor_m() const override { return 0.5 * resolution_m_; }
  [[nodiscard]] double cell_m() const override { return resolution_m_; }

 private:
  [[nodiscard]] GridPose place(const Pose& world_from_sensor) const {
    const Pose map_from_sensor = map_from_world_ * world_from_sensor;
    GridPose pose;
    pose.x = map_from_sensor.translation_m.x / resolution_m_;
    pose.y = map_from_sensor.translation_m.y / resolution_m_;
    pose.inside = pose.x >= 0.0 && pose.x < field_.cols && pose.y >= 0.0 && pose.y < field_.rows;
    pose.cell_x = pose.inside ? static_cast<std::int32_t>(pose.x) : 0;
    pose.cell_y = pose.inside ? static_cast<std::int32_t>(pose.y) : 0;
    const Quaternion& q = map_from_sensor.rotation;
    pose.r[0] = 1 - 2 * (q.y * q.y + q.z * q.z);
    pose.r[1] = 2 * (q.x * q.y - q.w * q.z);
    pose.r[2] = 2 * (q.x * q.z + q.w * q.y);
    pose.r[3] = 2 * (q.x * q.y + q.w * q.z);
    pose.r[4] = 1 - 2 * (q.x * q.x + q.z * q.z);
    pose.r[5] = 2 * (q.y * q.z - q.w * q.x);
    return pose;
  }

  /// Passes runs of poses inside the map to the kernel together.
  void cast_fast(const GridPose* poses, std::size_t count, const FanView& fan, double max_range_m, float* out) const {
    for (std::size_t i = 0; i < count;) {
      std::size_t end = i;
      while (end < count && poses[end].inside == poses[i].inside) ++end;
      if (poses[i].inside) {
        kernel_(field_, poses + i, end - i, fan, resolution_m_, static_cast<float>(max_range_m), out + i * fan.rays);
      } else {
        std::fill(out + i * fan.rays, out + end * fan.rays, static_cast<float>(max_range_m));
      }
      i = end;
    }
  }

  void cast_slowly(const GridPose* poses, std::size_t count, const FanView& fan, double max_range_m, float* out) const {
    const auto walk = options_.precision == GridCasterOptions::Precision::kOracle ? walk_cells : walk_rectangles;
    for (std::size_t i = 0; i < count; ++i) {
      const double* r = poses[i].r;
      for (std::size_t k = 0; k < fan.rays; ++k) {
        const double dx = r[0] * fan.x[k] + r[1] * fan.y[k] + r[2] * fan.z[k];
        const double dy = r[3] * fan.x[k] + r[4] * fan.y[k] + r[5] * fan.z[k];
        const double t = walk(field_, poses[i], dx, dy, max_range_m / resolution_m_);
        out[i * fan.rays + k] = static_cast<float>(std::min(t * resolution_m_, max_range_m));
      }
    }
  }

  SkipField field_;
  GridCasterOptions options_;
  GridKernel kernel_;
  double resolution_m_;
  Pose map_from_world_;
};

}  // namespace

std::unique_ptr<ExpectedRanges> make_grid_ranges(const GridMap& map, const GridCasterOptions& options) {
  validate(map);
  validate(Compute{.isa = options.isa});
  return std::make_unique<GridRanges>(map, options);
}

}  // namespace fathom

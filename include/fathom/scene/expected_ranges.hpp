// SPDX-License-Identifier: MIT
#pragma once
// The expected range z*: what a map or a scene says a ray should measure. One interface for both, so that scoring and
// learning work with either.

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// The sensor's pose in the world for a planar pose: at height `z_m`, upright.
FATHOM_API Pose pose_from_planar(const PlanarPose& pose, double z_m = 0.0);

/// Directions of the rays of one scan, in the sensor frame; unit vectors. Arrays [rays].
struct RayFan {
  std::vector<float> x, y, z;
  [[nodiscard]] std::size_t size() const { return x.size(); }
};

/// Rays in the sensor's x-y plane at these azimuths.
FATHOM_API RayFan planar_fan(std::span<const double> azimuth_rad);
/// Every `step`-th ray, the first one always. Throws InputError for step 0.
FATHOM_API RayFan subsample(const RayFan& fan, std::size_t step);

class FATHOM_API ExpectedRanges {
 public:
  virtual ~ExpectedRanges() = default;

  /// Writes range_m [poses, rays], row-major: the distance along each ray to the first surface, at most
  /// max_range_m. Several threads may call it at once. It allocates nothing. Callers check sizes and that poses are
  /// finite.
  virtual void cast(std::span<const Pose> world_from_sensor, const RayFan& rays, double max_range_m,
                    std::span<float> range_m) const = 0;

  /// z* is raised to it: half a cell of a grid.
  [[nodiscard]] virtual double floor_m() const = 0;

  /// The size of the cells that ranges come from; 0 without cells.
  [[nodiscard]] virtual double cell_m() const { return 0.0; }
};

}  // namespace fathom

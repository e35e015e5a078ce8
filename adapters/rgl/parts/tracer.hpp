// SPDX-License-Identifier: MIT
#pragma once
// Rays against placed meshes, for callers that bring their own rays, meshes and placements, such as the C interface
// (docs/rgl.md). Its raytrace node has the same formulas: place, distance, intensity, velocities, angles, and several
// returns of a diverging ray.
//
// A posed ray is a map sensor_from_ray. It starts at the map's translation and points along its z axis, the third
// column, which need not be a unit vector. Rays are loaded block by block, so that sources, transforms and noise work
// on 256 rays in the cache and no array of all changed rays exists.
//
// The tracer finds the triangle that a ray meets in single precision, and computes the point from the triangle's plane
// in double precision. A ray straight onto a wall gives the exact distance, also 300 m from the origin.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/noise.hpp>
#include <fathom/sensor/returns.hpp>

#include "trace/placed_mesh.hpp"

namespace fathom {

/// A map in the callers' layout: row-major [3][4], single precision.
using Matrix34 = std::array<std::array<float, 4>, 3>;

inline Affine to_affine(const Matrix34& m) {
  Affine a;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) a.m[i][j] = double{m[i][j]};
  }
  return a;
}

/// The rows of a list of rays, as most scanners have them. They make packets of nearly parallel rays.
struct RayGrid {
  std::uint32_t row = 0;        ///< rays in a row; 0: no rows
  std::uint32_t tile_rows = 1;  ///< rows of a tile: 1, 2, 4, 8 or 16
};

/// The rays in the lanes of a block: tile by tile, and row by row in each tile. A tile of two rows is 8 rays wide, a
/// tile of more rows 4. With one row, rays keep their order.
struct RayTiles {
  std::uint32_t first = 0;   ///< number of the first ray, a multiple of 4
  std::uint32_t count = 0;   ///< rays; whole tiles if there are rows
  std::uint32_t rows = 1;    ///< of a tile: 1, 2, 4, 8 or 16
  std::uint32_t stride = 0;  ///< from a ray to the ray below it; a multiple of 4

  /// Rays in a row of a tile.
  [[nodiscard]] constexpr std::uint32_t cols() const { return rows == 1 ? 16 : rows == 2 ? 8 : 4; }
  [[nodiscard]] constexpr std::uint32_t ray_of(std::uint32_t lane) const {
    const std::uint32_t width = cols(), tile = rows * width, in_tile = lane % tile;
    return first + lane / tile * width + in_tile / width * stride + in_tile % width;
  }
};

/// Up to kBlockRays posed rays, in the frame of their sensor.
struct PosedRayBlock {
  RayTiles tiles;
  /// Origins and z axes. Its count is a multiple of 16; padding repeats the last ray. Origins are stored even if
  /// from_sensor_origin marks them as 0.
  RayBlock ray;
  RayBlock side;  ///< x axes in d, y axes in o; only if wants_sides
  bool wants_sides = false;
};

/// Constant posed rays, stored in the order of their blocks.
class PosedRayTable {
 public:
  PosedRayTable() = default;
  explicit PosedRayTable(std::span<const Matrix34> sensor_from_ray);

  [[nodiscard]] std::uint32_t size() const { return count_; }
  /// Their rows, found from their directions.
  [[nodiscard]] const RayGrid& grid() const { return grid_; }
  /// Fills a block with its rays. Throws std::logic_error for tiles of another grid.
  void load(PosedRayBlock& block) const;

 private:
  std::uint32_t count_ = 0;
  RayGrid grid_;
  /// x, y, z of the x, y, z axes and of the origin: [rays] in the order of blocks, or a single value common to all.
  std::array<std::vector<float>, 12> parts_;
};

/// Applies a model of stage kRay. It turns the whole frame of a ray. Draws depend on the number of the ray.
void apply_noise(const Noise& noise, const NoiseKey& key, Isa isa, PosedRayBlock& block);

/// One byte a texel, row-major [height, width].
struct Texture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> texels;

  /// The nearest texel, 0 to 255; coordinates wrap around.
  [[nodiscard]] float at(double u, double v) const;
};

/// Throws InputError if the mesh is empty, has an index out of range, a vertex that is not finite, or texture
/// coordinates for another number of vertices. Unlike a scene's mesh it may have no area; then nothing hits it.
void validate(const CastMesh& mesh);

/// Instances prepared for casting.
class RayCaster {
 public:
  /// `executor` builds the trees and must outlive the caster. Ignores `compute.threads`. Throws InputError if this
  /// computer cannot provide `compute`.
  explicit RayCaster(Executor& executor, const Compute& compute = {});
  ~RayCaster();
  RayCaster(RayCaster&&) noexcept;
  RayCaster& operator=(RayCaster&&) noexcept;

  /// Replaces the instances. Their meshes must be valid. Trees of meshes that remain are kept. Throws InputError for an
  /// instance without mesh, and then changes nothing.
  void update(std::vector<CastInstance> instances);
  [[nodiscard]] const std::vector<CastInstance>& instances() const;

  /// Finds the nearest hits, on both sides of triangles. Thread-safe between calls of update().
  void cast(const RayLanes& rays, HitLanes& hits) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Loads the rays of a block in the frame of the sensor. `tiles` and `wants_sides` are set.
class PosedRaySource {
 public:
  virtual ~PosedRaySource() = default;
  virtual void load(PosedRayBlock& block) const = 0;
};

/// Velocity of the sensor, of any size; applied for the times of PosedRays::time_offset_s.
struct SensorMotion {
  Vec3 linear_mps;     ///< in the sensor frame
  Vec3 angular_radps;  ///< about its axes
};

/// The rays to cast. Spans are [rays], or as stated.
struct PosedRays {
  const PosedRaySource& source;
  std::uint32_t count = 0;
  RayGrid grid = {};                                   ///< rays in tiles are cast faster; no result changes
  std::span<const std::array<float, 2>> range_m = {};  ///< min and max: [rays], or one for all; empty: no limits
  std::span<const float> time_offset_s = {};           ///< empty: 0
  std::span<const std::int8_t> mask = {};              ///< 0: not cast, a miss; empty: all are cast
};

struct TraceSettings {
  Affine world_from_sensor;
  SensorMotion motion;
  bool distort = false;                 ///< cast each ray from the moving sensor's pose at its time
  float near_miss_m = math::kInfinity;  ///< distance reported for hits below the minimum range
  float far_miss_m = math::kInfinity;   ///< distance reported without a hit
  float divergence_h_rad = 0.0F;        ///< full angle about the y axis; both 0: rays do not diverge
  float divergence_v_rad = 0.0F;        ///< full angle about the x axis
  float default_intensity = 0.0F;       ///< of surfaces without a texture
  bool intensity_falls_off = false;     ///< divide intensities by the square of the distance
  double step_s = 0.0;                  ///< time between previous_world_from_mesh and now; not > 0: velocities are NaN
  Isa isa = detect_isa();
  std::span<const ReturnChoice> returns;  ///< at least one; all are the same if rays do not diverge
};

/// Arrays to fill, [rays, returns]; null arrays are not computed. Points are interleaved, xyz xyz. Azimuth and
/// elevation assume that the frame of a ray was turned about z, x, y of a left-handed sensor frame with y up and z
/// forward (Unity's): azimuth = atan2(-m20, m22) of sensor_from_ray, 0 if |m21| >= 1; elevation = asin(m12).
struct TraceArrays {
  float* xyz = nullptr;  ///< world, on the undistorted centre of the ray
  float* distance_m = nullptr;
  std::int32_t* is_hit = nullptr;
  std::int32_t* id = nullptr;  ///< of the instance; 0 on a miss
  float* intensity = nullptr;  ///< texture or default, times |cos| of incidence; see intensity_falls_off; 0 on a miss
  float* laser_retro = nullptr;
  float* azimuth_rad = nullptr;  ///< as stated above
  float* elevation_rad = nullptr;
  float* normal = nullptr;                 ///< world, by the order of corners, not turned to the ray; NaN on a miss
  float* incidence_rad = nullptr;          ///< [0, pi/2]; NaN on a miss
  float* absolute_velocity_mps = nullptr;  ///< world; NaN on a miss
  float* relative_velocity_mps = nullptr;  ///< sensor frame; NaN on a miss
  float* radial_speed_mps = nullptr;       ///< positive: receding; 0 on a miss
  Matrix34* world_from_ray = nullptr;      ///< undistorted: xyz lies on its z axis
};

/// Rays [begin, end).
struct RayStrip {
  std::uint32_t begin, end;
};

/// Casts rays strip by strip, so that readers of their returns find them in the cache.
class Tracer {
 public:
  /// The arguments must outlive it. Throws InputError if the sizes of arrays differ.
  Tracer(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings, const TraceArrays& out);
  ~Tracer();
  Tracer(Tracer&&) noexcept;
  Tracer& operator=(Tracer&&) noexcept;

  [[nodiscard]] std::size_t strips() const;
  [[nodiscard]] RayStrip strip(std::size_t number) const;
  /// Casts the rays of a strip and fills their part of the arrays. Thread-safe for different strips.
  void trace_strip(std::size_t number) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom

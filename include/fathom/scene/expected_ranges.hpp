// SPDX-License-Identifier: MIT
#pragma once
// The expected range z* of a ray in a map or a scene. One interface for both, so that scoring and
// learning work with either.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

class Scene;
struct RayPattern;

/// Directions of the rays of one scan, in the sensor frame; unit vectors. Arrays [rays].
struct RayFan {
  std::vector<float> x, y, z;
  [[nodiscard]] std::size_t size() const { return x.size(); }

  /// Rays in the sensor's x-y plane at these azimuths.
  FATHOM_API static RayFan planar(std::span<const double> azimuth_rad);
  /// The rays of a sensor, row by row: scores 3-D lidars too. Throws InputError when rays do not start at the sensor
  /// origin.
  FATHOM_API static RayFan of(const RayPattern& pattern);
  /// Every `step`-th ray, the first one always. Throws InputError for step 0.
  [[nodiscard]] FATHOM_API RayFan every(std::size_t step) const;
};

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

/// What a ray does in unknown cells: passes, is stopped as by a wall, or ends there without a return (range Z).
enum class UnknownCells : std::uint8_t { kFree, kOccupied, kStop };

struct GridCasterOptions {
  enum class Precision : std::uint8_t {
    kFast,    ///< single precision, 8, 16 or 32 rays at a time by instruction set
    kDouble,  ///< double precision, the same skipping
    kOracle,  ///< double precision, cell by cell (Amanatides and Woo 1987): slow and obvious
  };

  UnknownCells unknown = UnknownCells::kFree;
  Precision precision = Precision::kFast;
  Isa isa = detect_isa();
};

/// Casts in a grid, exactly to the boundary of the first occupied cell. Walls stand infinitely high, so that tilted
/// rays are defined too; a ray that leaves the map, or starts outside it, has range Z. A ray that starts in an
/// occupied cell has range 0. A ray along the edge between two cells runs in the one on the side of larger coordinates;
/// through a corner it steps along y first, so that two occupied cells that touch at a corner never let it pass. Throws
/// InputError for an invalid map and for an instruction set that this computer lacks.
FATHOM_API std::unique_ptr<ExpectedRanges> make_grid_ranges(const GridMap& map, const GridCasterOptions& options = {});

struct SceneRangesOptions {
  double stamp_s = 0.0;  ///< when: entities stand where they are then
  /// Where the rays' frame sits in the posed frame: every pose cast is pose * pose_from_sensor. For a planar laser at
  /// 0.3 m above the floor of a map: Pose{{0, 0, 0.3}, {}}.
  Pose pose_from_sensor = {};
  /// Poses should lie within about a kilometre of it, for the sake of single precision; default: the middle of the
  /// scene.
  std::optional<Vec3> near_m = {};
  Compute compute = {};  ///< its threads build the trees
};

/// Casts in a scene, which is copied as it stands at options.stamp_s. Rays start at the sensor origin. Throws
/// InputError for invalid options.
FATHOM_API std::unique_ptr<ExpectedRanges> make_scene_ranges(const Scene& scene,
                                                             const SceneRangesOptions& options = {});

}  // namespace fathom

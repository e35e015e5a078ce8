// SPDX-License-Identifier: MIT
#pragma once
// Expected ranges from a scene: meshes instead of a grid, any sensor instead of a planar one.

#include <memory>
#include <optional>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

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

/// The rays of a sensor as a fan, row by row: scores 3-D lidars too. Throws InputError when rays do not start at the
/// sensor origin.
FATHOM_API RayFan make_fan(const RayPattern& pattern);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fathom/base/ids.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/scene/trajectory.hpp>
#include <fathom/sensor/intensity.hpp>
#include <fathom/sensor/model.hpp>
#include <fathom/sensor/returns.hpp>
#include <fathom/simulate/timing.hpp>

namespace fathom {

/// A sensor in a scene.
struct Sensor {
  std::string name;  ///< unique; names the sensor's random streams
  SensorModel model;
  Trajectory parent_from_sensor = {};  ///< in the world, or in the frame of the entity it is attached to
  EntityId parent = kNoEntity;
  bool rolling = false;  ///< cast each ray from the pose at its own time offset (motion distortion)
  NoiseChain noise;
  /// Empty: depth and stereo cameras drop returns outside their limits, as they lose everything there; other kinds keep
  /// them.
  std::optional<RangePolicy> range_policy = {};
  /// Whether its rays meet the entity that it is attached to. A body around a sensor would else be all that it sees.
  bool see_parent = false;
  /// Entities that its rays pass through, those from its cameras to a point (StereoShadow) included. With an entity its
  /// parts are ignored (Entity::part_of_parent); its other children are seen. Noise and outputs know nothing of it.
  std::vector<EntityId> ignore = {};
  std::vector<std::string> ignore_groups =
      {};                      ///< all entities of these groups, and their parts; of one that nobody is in (yet): none
  Timing timing = {};          ///< when it measures, and when its frames arrive
  Divergence divergence = {};  ///< how far its rays widen; not those of two cameras
  ReturnChoices returns = {ReturnChoice::kStrongest};     ///< of each ray: frames are [returns, rows, cols]
  CoincidingReturn coinciding = CoincidingReturn::kNext;  ///< what a return reports that an earlier one has already
  Falloff falloff = {};                                   ///< of intensities
};

}  // namespace fathom

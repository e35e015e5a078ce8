// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include <fathom/base/ids.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/scene/trajectory.hpp>
#include <fathom/sensor/model.hpp>

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
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Checks and draws of ranges of parameters (fathom/simulate/environments.hpp).

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fathom/core/field.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/environments.hpp>

namespace fathom {

/// The field of a part of a pose's offset (kPoseOffsetFields).
FieldInfo pose_offset_field(std::string_view name);
/// The field of an entity's reflectivity.
FieldInfo reflectivity_field();

/// Throws InputError if the range names no number of the chain, or a number that must be the same in the whole chain
/// (kSameInChain of its model), or leaves the limits of the field.
void check_range(const NoiseChain& chain, const ParameterRange& range);
/// For any target in a sensor. Throws InputError as above; for a field that is no number of its kind; and if one of the
/// ends changes the number of rays, or does not fit the other parameters or the chain.
void check_range(const Sensor& sensor, const ParameterRange& range);
/// For kEntity.
void check_range(std::span<const Entity> entities, const ParameterRange& range);
/// For two ranges that check_range() accepts in the sensor. Throws InputError if one end of each do not fit together,
/// for instance a least range above the largest one.
void check_together(const Sensor& sensor, const ParameterRange& one, const ParameterRange& other);

/// Whether its draws change the rays of the sensor, beyond its view.
bool changes_rays(const SensorModel& model, const ParameterRange& range);
/// Whether any range draws a number of the sensor's kind.
bool draws_model(std::span<const ParameterRange> ranges);
/// Whether any range draws a part of the pose of the sensor or of an entity.
bool draws_pose(std::span<const ParameterRange> ranges);

/// The draws of an episode for a sensor.
struct SensorDraw {
  std::vector<double> values;             ///< [ranges]
  NoiseChain noise;                       ///< with the drawn numbers
  std::optional<SensorModel> model = {};  ///< if any number of its kind is drawn
  std::optional<Pose> offset = {};        ///< if any part of it is drawn
};
/// A draw depends only on the seed, the sensor's name and the range. `noise`: instead of the sensor's own. Throws
/// InputError if the drawn numbers do not fit together.
SensorDraw draw_sensor(const Sensor& sensor, NoiseChain noise, std::span<const ParameterRange> ranges,
                       std::uint64_t episode_seed);

/// Draws every range and sets its value in the sensor. Returns the values in the order of the ranges. Throws InputError
/// as check_range and draw_sensor do.
std::vector<ParameterRange::Drawn> draw_ranges(Sensor& sensor, std::span<const ParameterRange> ranges,
                                               std::uint64_t episode_seed);

/// The draws of an episode for the entities of a scene.
struct EntityDraw {
  std::vector<double> values;  ///< [ranges]
  std::vector<std::pair<EntityId, float>> reflectivity;
  std::vector<std::pair<EntityId, Pose>> offset;  ///< each entity once
};
/// A draw depends only on the seed, the entity's name and the field. check_range must accept the ranges.
EntityDraw draw_entities(std::span<const Entity> entities, std::span<const ParameterRange> ranges,
                         std::uint64_t episode_seed);

/// The values of ranges with their owners.
std::vector<ParameterRange::Drawn> named_values(std::span<const ParameterRange> ranges, std::span<const double> values);

}  // namespace fathom

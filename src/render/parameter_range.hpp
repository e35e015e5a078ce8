// SPDX-License-Identifier: MIT
#pragma once
// The parts of drawing a parameter from its range; fathom/simulate/parameter_range.hpp tells what is drawn and when.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fathom/base/field.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/parameter_range.hpp>

namespace fathom {

/// Of a part of a pose's offset (kPoseOffsetFields).
FieldInfo pose_offset_field(std::string_view name);
/// Of an entity's reflectivity.
FieldInfo reflectivity_field();

/// Throws InputError when the range names no number of the chain, or one that must be the same in the whole chain
/// (kSameInChain of its model), or leaves the limits of the field.
void check_range(const NoiseChain& chain, const ParameterRange& range);
/// Of any target in a sensor. Throws InputError as above; for a field that is no number of its kind; and where one of
/// the ends changes how many rays there are, or fits neither the other parameters nor the chain.
void check_range(const Sensor& sensor, const ParameterRange& range);
/// Of kEntity.
void check_range(std::span<const Entity> entities, const ParameterRange& range);
/// Of two that check_range() accepts in the sensor. Throws InputError where one end of each, drawn together, do not
/// fit: a least range above the largest one.
void check_together(const Sensor& sensor, const ParameterRange& one, const ParameterRange& other);

/// Whether what it draws changes the rays of the sensor, beyond its view.
bool changes_rays(const SensorModel& model, const ParameterRange& range);
/// Whether any range draws a number of the sensor's kind.
bool draws_model(std::span<const ParameterRange> ranges);
/// Whether any range draws a part of the pose of the sensor or of an entity.
bool draws_pose(std::span<const ParameterRange> ranges);

/// What an episode draws for a sensor.
struct SensorDraw {
  std::vector<double> values;             ///< [ranges]
  NoiseChain noise;                       ///< with what was drawn of it
  std::optional<SensorModel> model = {};  ///< where any number of its kind is drawn
  std::optional<Pose> offset = {};        ///< where any part of it is drawn
};
/// A draw depends on the seed, the sensor's name and the range alone, whatever else is drawn. `noise`: in place of the
/// sensor's own. Throws InputError when what was drawn does not fit together.
SensorDraw draw_sensor(const Sensor& sensor, NoiseChain noise, std::span<const ParameterRange> ranges,
                       std::uint64_t episode_seed);

/// Draws every range and sets it in the sensor; what was drawn, in the order of the ranges. Throws InputError as
/// check_range and draw_sensor do.
std::vector<DrawnParameter> draw_ranges(Sensor& sensor, std::span<const ParameterRange> ranges,
                                        std::uint64_t episode_seed);

/// What an episode draws for the entities of a scene.
struct EntityDraw {
  std::vector<double> values;  ///< [ranges]
  std::vector<std::pair<EntityId, float>> reflectivity;
  std::vector<std::pair<EntityId, Pose>> offset;  ///< each entity once
};
/// A draw depends on the seed, the entity's name and the field alone. The ranges must be ones that check_range accepts.
EntityDraw draw_entities(std::span<const Entity> entities, std::span<const ParameterRange> ranges,
                         std::uint64_t episode_seed);

/// The values of ranges, with what they are of.
std::vector<DrawnParameter> named_values(std::span<const ParameterRange> ranges, std::span<const double> values);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Domain randomization: numbers of noise models, sensors, entities and poses that are drawn once per (seed,
// environment, episode) and held for the episode.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fathom/core/detail/field_member.hpp>
#include <fathom/core/export.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

enum class RangeLaw : std::uint8_t { kUniform, kLogUniform, kNormal, kTruncatedNormal };
template <>
inline constexpr std::array<std::string_view, 4> kChoiceWords<RangeLaw> = {"uniform", "log_uniform", "normal",
                                                                           "truncated_normal"};

/// The owner of the number that a range draws.
enum class RangeTarget : std::uint8_t {
  kNoise,   ///< `field` of the model `entry` of a sensor's chain
  kSensor,  ///< `field` of a sensor: a number of its kind, or a part of kPoseOffsetFields
  kEntity,  ///< `field` of `entity`: "reflectivity", or a part of kPoseOffsetFields
};

/// The parts of a pose's offset: the true place of a sensor or an entity, in the frame of its nominal pose.
/// parent_from_drawn = parent_from_nominal * offset: a position along its own axes, and a rotation vector about them.
/// Every key of a motion takes the offset. A pose that is set later (Environments::set_entity_pose, set_sensor_pose) is
/// nominal: the offset drawn for the episode still applies.
inline constexpr std::array<std::string_view, 6> kPoseOffsetFields = {
    "position_x_m", "position_y_m", "position_z_m", "rotation_x_rad", "rotation_y_rad", "rotation_z_rad"};

/// One number of one model, of a sensor or of an entity, to be drawn.
///
///   {.entry = 1, .field = "stddev_m", .low = 0.01, .high = 0.03}                          // of a noise model
///   {.field = "baseline_m", .low = 0.048, .high = 0.052, .target = RangeTarget::kSensor}  // of a stereo camera
///
/// Of a sensor's kind, any number may be drawn that keeps the number of rays: baseline_m, fx, fy, horizontal_fov_rad,
/// min_range_m, ... The principal point of a depth or stereo camera is "cx" and "cy"; if the camera does not give it,
/// the other of the two stays in the middle of the image.
struct ParameterRange {
  std::uint32_t entry = 0;  ///< position of the model in the sensor's chain
  std::string field = {};   ///< "min_energy"
  RangeLaw law = RangeLaw::kUniform;
  double low = 0.0, high = 0.0;     ///< limits of the value, within the field's; kLogUniform: low > 0
  double mean = 0.0, stddev = 0.0;  ///< of kNormal, clipped to [low, high], and kTruncatedNormal, renormalised on it
  // The entry for an entity or a ring; with neither, the chain's own entry.
  EntityId entity = kNoEntity;             ///< kNoise: the entry in ChainEntry::by_entity; kEntity: the entity
  std::optional<std::uint16_t> ring = {};  ///< the entry in ChainEntry::by_ring
  /// kNoise: the entity or ring takes the value drawn for the model itself. kEntity: a part takes the value drawn for
  /// the whole (Entity::part_of_parent).
  bool as_chain = false;
  RangeTarget target = RangeTarget::kNoise;
};

/// A value that was drawn.
struct DrawnParameter {
  std::uint32_t entry;
  std::string field;
  EntityId entity;                    ///< kNoEntity if not for a single entity
  std::optional<std::uint16_t> ring;  ///< empty if not for a single ring
  double value;
  RangeTarget target = RangeTarget::kNoise;
};

/// The seed of all draws in an episode, of noise and ranges. Environment 0 in episode 0 has the run's own seed.
FATHOM_API std::uint64_t episode_seed(std::uint64_t seed, std::uint32_t environment, std::uint32_t episode);

}  // namespace fathom

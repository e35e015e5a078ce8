#pragma once
// Domain randomization: numbers of noise models that are drawn once per (seed, environment, episode) and held for the
// episode, instead of being given.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/export.hpp>
#include <fathom/sensor.hpp>

namespace fathom {

/// Of a range or a draw: it is not for the row of a channel.
inline constexpr std::int32_t kNoChannel = -1;

enum class RangeLaw : std::uint8_t { kUniform, kLogUniform, kNormal };

/// One number of one model, to be drawn.
struct ParameterRange {
  std::uint32_t slot = 0;  ///< position of the model in the sensor's chain
  std::string field = {};  ///< "min_energy"
  RangeLaw law = RangeLaw::kUniform;
  double low = 0.0, high = 0.0;     ///< limits of the value, within those of the field; kLogUniform: low > 0
  double mean = 0.0, stddev = 0.0;  ///< of kNormal, clipped to [low, high]
  // Which row of the model's tables; neither: the chain's own entry.
  EntityId entity = kNoEntity;        ///< the row of this entity (Sensor::entity_noise)
  std::int32_t channel = kNoChannel;  ///< the row of this channel (Sensor::channel_noise)
  bool as_chain = false;              ///< a row that gets the very draw of the chain's own entry, not one of its own
};

/// A value that was drawn.
struct DrawnParameter {
  std::uint32_t slot;
  std::string field;
  EntityId entity;       ///< kNoEntity: not of an entity's row
  std::int32_t channel;  ///< kNoChannel: not of a channel's row
  double value;
};

/// Throws InputError when the range names no number of the sensor's chain or tables, or leaves the limits of the field.
FATHOM_API void check_range(const Sensor& sensor, const ParameterRange& range);

/// The seed of everything drawn in an episode, noise and ranges. Environment 0 in episode 0 has the run's own.
FATHOM_API std::uint64_t episode_seed(std::uint64_t seed, std::uint32_t environment, std::uint32_t episode);

/// Draws every range and sets it in the sensor; what was drawn, in the order of the ranges. A draw depends on the seed,
/// the sensor's name and the range alone. Throws InputError as check_range does.
FATHOM_API std::vector<DrawnParameter> draw_ranges(Sensor& sensor, std::span<const ParameterRange> ranges,
                                                   std::uint64_t episode_seed);

}  // namespace fathom

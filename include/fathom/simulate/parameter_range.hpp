// SPDX-License-Identifier: MIT
#pragma once
// Domain randomization: numbers of noise models that are drawn once per (seed, environment, episode) and held for the
// episode, instead of being given.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

enum class RangeLaw : std::uint8_t { kUniform, kLogUniform, kNormal };

/// One number of one model, to be drawn.
struct ParameterRange {
  std::uint32_t entry = 0;  ///< position of the model in the sensor's chain
  std::string field = {};   ///< "min_energy"
  RangeLaw law = RangeLaw::kUniform;
  double low = 0.0, high = 0.0;     ///< limits of the value, within those of the field; kLogUniform: low > 0
  double mean = 0.0, stddev = 0.0;  ///< of kNormal, clipped to [low, high]
  // Whose parameters; with neither, those of the chain's own entry.
  EntityId entity = kNoEntity;             ///< those for this entity (ChainEntry::by_entity)
  std::optional<std::uint16_t> ring = {};  ///< those for this ring (ChainEntry::by_ring)
  bool as_chain = false;                   ///< of an entity or ring: it takes the value drawn for the model itself
};

/// A value that was drawn.
struct DrawnParameter {
  std::uint32_t entry;
  std::string field;
  EntityId entity;                    ///< kNoEntity: not for a single entity
  std::optional<std::uint16_t> ring;  ///< nothing: not for a single ring
  double value;
};

/// Throws InputError when the range names no number of the chain, or one that must be the same in the whole chain
/// (kSameInChain of its model), or leaves the limits of the field.
FATHOM_API void check_range(const NoiseChain& chain, const ParameterRange& range);

/// The seed of everything drawn in an episode, noise and ranges. Environment 0 in episode 0 has the run's own.
FATHOM_API std::uint64_t episode_seed(std::uint64_t seed, std::uint32_t environment, std::uint32_t episode);

/// Draws every range and sets it in the sensor; what was drawn, in the order of the ranges. A draw depends on the seed,
/// the sensor's name and the range alone. Throws InputError as check_range does.
FATHOM_API std::vector<DrawnParameter> draw_ranges(Sensor& sensor, std::span<const ParameterRange> ranges,
                                                   std::uint64_t episode_seed);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Domain randomization: numbers of noise models that are drawn once per (seed, environment, episode) and held for the
// episode, instead of being given.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field_member.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

enum class RangeLaw : std::uint8_t { kUniform, kLogUniform, kNormal };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<RangeLaw> = {"uniform", "log_uniform", "normal"};

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

/// The seed of everything drawn in an episode, noise and ranges. Environment 0 in episode 0 has the run's own.
FATHOM_API std::uint64_t episode_seed(std::uint64_t seed, std::uint32_t environment, std::uint32_t episode);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The noise of a sensor: models one after the other, with other parameters for single entities or rings.

#include <cstdint>
#include <utility>
#include <vector>

#include <fathom/core/ids.hpp>
#include <fathom/noise/correlation.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom {

/// Other parameters for the returns from one entity, and from its parts (Entity::part_of_parent) without an entry.
struct EntityEntry {
  EntityId entity = kNoEntity;
  Noise noise;
};

/// Other parameters for the returns of one ring of the sensor, as a table of calibration gives them.
struct RingEntry {
  std::uint16_t ring = 0;  ///< of its rays (Frame::ring)
  Noise noise;
};

/// A model of a chain. It may have other parameters for single entities or for single rings, not for both. These
/// entries are of the same model; its stage is after the cast and not kReading. A model with kNeeds.place is another
/// exception: its entries for entities act besides it, in the frames of these entities.
struct ChainEntry {
  Noise noise;  ///< where no entry below says otherwise
  std::vector<EntityEntry> by_entity = {};
  std::vector<RingEntry> by_ring = {};
  Correlation correlation = {};  ///< of the draws of neighbouring rays; the entries above share these draws

  ChainEntry(Noise model)  // NOLINT(google-explicit-constructor): a noise is a chain's entry
      : noise(std::move(model)) {}
  ChainEntry(Noise model, std::vector<EntityEntry> entities)
      : noise(std::move(model)), by_entity(std::move(entities)) {}
  ChainEntry(Noise model, std::vector<RingEntry> rings) : noise(std::move(model)), by_ring(std::move(rings)) {}
  ChainEntry(Noise model, const Correlation& of_draws) : noise(std::move(model)), correlation(of_draws) {}
  template <NoiseModel M>
  ChainEntry(const M& model)  // NOLINT(google-explicit-constructor): so that a chain can be given as a list of models
      : noise(model) {}
};

/// The noise of a sensor. See Stage for the order of acting; within a stage, models act in the order of the chain.
using NoiseChain = std::vector<ChainEntry>;

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// A sensor's chain of noise: its models sorted by when they act.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/noise/chain.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/model.hpp>

#include "render/field_kernel.hpp"

namespace fathom {

/// Which entry of a model is whose.
struct EntryTable {
  bool by_ring = false;                         ///< whether entries are for rings, else for entities
  std::vector<std::uint32_t> entry_by_id = {};  ///< [entities or rings]: 0 is the model's own parameters; beyond: 0

  [[nodiscard]] std::uint32_t entry_of(std::uint32_t id) const { return id < entry_by_id.size() ? entry_by_id[id] : 0; }
};

/// The draws of a model that are correlated: fields over the image.
struct CorrelatedDraws {
  Correlation correlation;
  FieldKernel kernel;
  DrawCount draws;
  std::uint32_t stream = 0;
  std::uint32_t first_number = 0;  ///< of its numbers among those of all such models of the chain
  bool closes = false;             ///< whether the columns of the image do
};

/// A model of the chain that changes something, with the stream of its random numbers.
struct ActiveNoise {
  static constexpr std::uint32_t kWhite = ~0U;

  Noise noise;  ///< entry 0
  std::uint32_t stream;
  std::vector<Noise> others = {};  ///< entries 1, 2, ...: other parameters, for some entities or for some rings
  EntryTable table = {};
  std::uint32_t correlated = kWhite;  ///< place in StagedChain::correlated
};

/// The tolerance of a model that asks what the cameras see.
struct SightTolerance {
  std::vector<float> of_entry;  ///< [1 + others]
  EntryTable table;
};

/// A sensor's chain by stage, models without effect left out.
struct StagedChain {
  std::vector<ActiveNoise> ray, angle_loss, loss, edge_loss, on_return, dropout;
  // loss: kShadow, then kEnergyLoss; on_return: kHitPoint, kRange, then kReading
  std::vector<CorrelatedDraws> correlated = {};
  std::optional<WindowRule> window;       ///< of the model of stage kImage
  bool needs_surface = false;             ///< whether any model reads a Surface
  bool needs_sight = false;               ///< whether any model asks what the cameras see
  bool noise_needs_angles = false;        ///< whether a model after the window reads angles; most need the optics alone
  EdgeReads edge_reads = {false, false};  ///< by any edge loss
  bool differs_by_entity = false;         ///< whether any model has entries for entities
  bool edge_differs_by_entity = false;    ///< whether an edge loss has
  /// Of each model that asks what the cameras see: for a return, the smallest counts. Empty when it is 0 for all.
  std::vector<SightTolerance> sight_tolerance;
  EnergyAngle energy_angle = EnergyAngle::kCosine;  ///< of the array of energies, as the models of the chain read it
  EnergyGain energy_gain;                           ///< of it, the same
  RangePolicy range_policy = RangePolicy::kKeep;    ///< kKeep where no model can carry a return outside
};
/// `sensor`: its name, which names the streams; `policy`: where a model can carry a return outside the limits;
/// `entities`: of the scene, of which a part takes the entry of its whole unless it has one of its own; `closes`:
/// whether the last column of the sensor stands next to the first one.
StagedChain stage_chain(std::string_view sensor, const NoiseChain& chain, RangePolicy policy,
                        std::span<const Entity> entities, bool closes = false);

/// How many random numbers of the chain are correlated.
[[nodiscard]] std::uint32_t count_correlated(const StagedChain& chain);

}  // namespace fathom

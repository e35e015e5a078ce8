// SPDX-License-Identifier: MIT
#pragma once
// A sensor's chain of noise: its models sorted by stage, checks against sensor and scene, and models with entries.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/model.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/kinds.hpp>

#include "render/field_math.hpp"

namespace fathom {

/// The entries of a model by entity or ring.
struct EntryTable {
  bool by_ring = false;                         ///< entries are for rings, else for entities
  std::vector<std::uint32_t> entry_by_id = {};  ///< [entities or rings]: 0 is the model's own parameters; beyond: 0

  [[nodiscard]] std::uint32_t entry_of(std::uint32_t id) const { return id < entry_by_id.size() ? entry_by_id[id] : 0; }
};

/// The correlated draws of a model: fields over the image.
struct CorrelatedDraws {
  Correlation correlation;
  FieldKernel kernel;
  DrawCount draws;
  std::uint32_t stream = 0;
  std::uint32_t first_number = 0;  ///< place of its first number among the numbers of all such models
  bool closes = false;             ///< whether the last column is next to the first
};

/// A model of the chain that changes something, with the stream of its random numbers.
struct ActiveNoise {
  static constexpr std::uint32_t kWhite = ~0U;

  Noise noise;  ///< entry 0
  std::uint32_t stream;
  std::vector<Noise> others = {};  ///< entries 1, 2, ...: other parameters, for some entities or for some rings
  EntryTable table = {};
  std::uint32_t correlated = kWhite;  ///< place in StagedChain::correlated
  static constexpr std::uint32_t kNoFrame = ~0U;
  std::uint32_t frame = kNoFrame;  ///< place in StagedChain::frames: of Receiver::placed
};

/// The tolerance of a model that needs lines of sight.
struct SightTolerance {
  std::vector<float> of_entry;  ///< [1 + others]
  EntryTable table;
};

/// A sensor's chain by stage, without models that have no effect.
struct StagedChain {
  std::vector<ActiveNoise> ray, angle_loss, loss, edge_loss, on_return, dropout;
  // loss: kShadow, then kEnergyLoss; on_return: kHitPoint, kRange, then kReading
  std::vector<ActiveNoise> velocity = {};  ///< models of stage kRange that act on the velocity
  std::vector<CorrelatedDraws> correlated = {};
  std::vector<EntityId> frames = {};      ///< of models with a place; kNoEntity: the world
  std::optional<WindowRule> window;       ///< of the model of stage kImage
  bool needs_motion = false;              ///< whether a correlation follows the motion of the sensor
  bool needs_surface = false;             ///< whether any model reads a Surface
  bool needs_angles = false;              ///< whether any model reads cosines
  bool needs_power = false;               ///< whether any model reads the power of returns
  bool needs_sight = false;               ///< whether any model needs lines of sight from the cameras
  bool noise_needs_angles = false;        ///< whether a model after the window reads angles; most need only the optics
  EdgeReads edge_reads = {false, false};  ///< by any edge loss
  bool differs_by_entity = false;         ///< whether any model has entries for entities
  bool edge_differs_by_entity = false;    ///< whether an edge loss has such entries
  /// Of each model that needs lines of sight; the smallest of a return counts. Empty if all are 0.
  std::vector<SightTolerance> sight_tolerance;
  EnergyAngle energy_angle = EnergyAngle::kCosine;  ///< of the array of energies
  EnergyGain energy_gain;                           ///< the same
  float least_power = 0.0F;                         ///< of the sensor: see Detection
  bool reads_power = false;                         ///< whether any model reads the power of returns
  bool is_filtered = false;                         ///< whether the sensor has filters, or is aligned to a camera
  RangePolicy range_policy = RangePolicy::kKeep;    ///< kKeep if no model can carry a return outside
};

/// The ring of a ray.
inline std::uint32_t ring_of(const RayPattern& rays, std::size_t ray) {
  return rays.ring.empty() ? static_cast<std::uint32_t>(ray / rays.cols) : rays.ring[ray];
}

/// The smallest tolerance of the models that need lines of sight; 0 without tolerances. entry_of(table): the entry that
/// the return takes.
template <class EntryOf>
float smallest_tolerance(const StagedChain& chain, EntryOf entry_of) {
  float least = chain.sight_tolerance.empty() ? 0.0F : 1.0F;
  for (const SightTolerance& t : chain.sight_tolerance) least = std::min(least, t.of_entry[entry_of(t.table)]);
  return least;
}

/// Whether a frame with these channels reads the cosines of surfaces. Lines of sight read them.
inline bool reads_angles(const StagedChain& chain, ChannelSet channels) {
  return channels.contains(Channel::kEnergy) || chain.needs_angles || chain.needs_sight;
}

/// Whether it reads normals, besides the models that turn rays.
inline bool reads_normals(const StagedChain& chain, ChannelSet channels) {
  return channels.contains(Channel::kNormal) || channels.contains(Channel::kIncidence) ||
         channels.contains(Channel::kIntensity) || reads_angles(chain, channels) || chain.edge_reads.jumps ||
         chain.least_power > 0.0F || chain.reads_power;
}

/// `sensor`: its name, which names the streams; `policy`: used if a model can carry a return outside the limits;
/// `entities`: of the scene; a part without an entry takes the entry of its whole; `closes`: whether the last column of
/// the sensor is next to the first one.
StagedChain stage_chain(std::string_view sensor, const NoiseChain& chain, RangePolicy policy,
                        std::span<const Entity> entities, bool closes = false);

/// Adds the models that act on the velocity. `closes`: as stage_chain().
void stage_velocity(std::string_view sensor, const NoiseChain& chain, std::span<const Entity> entities, bool closes,
                    StagedChain& staged);

/// Number of correlated random numbers of the chain.
[[nodiscard]] std::uint32_t count_correlated(const StagedChain& chain);

/// Applies a model whose parameters differ by entity or ring to a block: one pass per entry in the block, with the
/// other returns masked. The draws of a return do not depend on its entry. `entry`: [returns.count], overwritten.
void apply_entries(const ActiveNoise& n, std::uint32_t* entry, Isa isa, const NoiseKey& key, RayBlock& rays,
                   ReturnBlock& returns, DrawBuffer& draws);

/// Throws InputError if a model of the chain needs a property that the sensor lacks: two cameras apart, a camera, rays
/// from one point, or a condition of the model itself (check_on); or if it differs from another entry of the chain in a
/// parameter that must be the same.
void check_needs(const NoiseChain& chain, const Noise& noise, const SensorTraits& sensor);

/// Whether a model may have other parameters for rings and entities, on any sensor.
bool may_differ(const NoiseInfo& model);
/// Whether it may have entries for entities, on any sensor.
bool may_name_entities(const NoiseInfo& model);
/// Whether its draws may be correlated, on any sensor.
bool may_correlate(const NoiseInfo& model);

/// Throws InputError if an entry for a single entity or ring is of another model, its entity (of `entities`) or ring
/// does not exist, or it is listed twice.
void check_entries(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model, std::size_t entities);

/// Throws InputError if the correlation of an entry is outside its limits, the model draws nothing, or the sensor has
/// no rows and columns or too small a turn.
void check_correlation(const ChainEntry& entry, const SensorTraits& sensor);

/// Throws InputError unless the model suits a velocity: of stage kRange, without a camera, with a constant deviation.
void check_velocity_model(const Noise& noise);

/// All of these checks, for the whole chain.
void check_chain(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model, std::size_t entities);

}  // namespace fathom

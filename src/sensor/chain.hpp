#pragma once
// A sensor's noise models, sorted by when they act.

#include <cstdint>
#include <vector>

#include <fathom/noise/stereo_energy.hpp>
#include <fathom/sensor.hpp>

namespace fathom {

/// Which row of a model's table is whose.
struct RowTable {
  bool by_channel = false;                    ///< whether rows are for channels, else for entities
  std::vector<std::uint32_t> row_by_id = {};  ///< [entities or channels]: 0 is the chain's own line; beyond: 0

  [[nodiscard]] std::uint32_t row_of(std::uint32_t id) const { return id < row_by_id.size() ? row_by_id[id] : 0; }
};

/// A model of the chain that changes something, with the stream of its random numbers.
struct ActiveNoise {
  Noise noise;  ///< row 0
  std::uint32_t stream;
  std::vector<Noise> rows = {};  ///< rows 1, 2, ...: other parameters, for some entities or for some channels
  RowTable table = {};
};

/// The tolerance of a model that asks what the cameras see.
struct SightTolerance {
  std::vector<float> of_row;  ///< [1 + rows]
  RowTable table;
};

/// A sensor's chain by stage, models without effect left out.
struct NoiseChain {
  std::vector<ActiveNoise> ray, angle_loss, loss, edge_loss, on_return, dropout;
  // loss: kShadow, then kEnergyLoss; on_return: kHitPoint, kRange, then kReading
  bool needs_surface = false;           ///< whether any model reads a Surface
  bool needs_sight = false;             ///< whether any model asks what the cameras see
  bool differs_by_entity = false;       ///< whether any model has rows for entities
  bool edge_differs_by_entity = false;  ///< whether an edge loss has
  /// Of each model that asks what the cameras see: for a return, the smallest counts. Empty when it is 0 for all.
  std::vector<SightTolerance> sight_tolerance;
  EnergyAngle energy_angle = EnergyAngle::kCosine;  ///< of every stereo_energy
  RangePolicy range_policy = RangePolicy::kKeep;    ///< kKeep where no model can carry a return outside
};
NoiseChain make_chain(const Sensor& sensor);

/// Throws InputError when a model needs what the sensor does not have: two cameras apart, a camera, rays from one
/// point, the left camera as reference; or when it reads the energy otherwise than another model of the chain.
void check_needs(const Sensor& sensor, const Noise& noise, bool from_sensor_origin, bool rolling);

/// Throws InputError when a table by entity or channel names a slot, entity (of `entities`), channel or model that is
/// not there.
void check_tables(const Sensor& sensor, std::size_t entities);

/// Both, for the whole chain.
void check_chain(const Sensor& sensor, bool from_sensor_origin, bool rolling, std::size_t entities);

/// The optics that models may read; see noise/surface.hpp.
Optics optics_of(const SensorModel& model);

}  // namespace fathom

#pragma once
// A sensor's noise models, sorted by when they act.

#include <cstdint>
#include <vector>

#include <fathom/noise/stereo_energy.hpp>
#include <fathom/sensor.hpp>

namespace fathom {

/// A model of the chain that changes something, with the stream of its random numbers.
struct ActiveNoise {
  Noise noise;
  std::uint32_t stream;
  std::vector<Noise> rows = {};               ///< other parameters, for some entities or for some channels
  bool by_channel = false;                    ///< whether rows are for channels
  std::vector<std::uint32_t> row_by_id = {};  ///< [entities or channels]: 0 is `noise`, k is rows[k - 1]; beyond: 0

  [[nodiscard]] std::uint32_t row_of(std::uint32_t id) const { return id < row_by_id.size() ? row_by_id[id] : 0; }
};

/// A sensor's chain by stage, models without effect left out.
struct NoiseChain {
  std::vector<ActiveNoise> ray, angle_loss, loss, edge_loss, on_return, dropout;
  // loss: kShadow, then kEnergyLoss; on_return: kHitPoint, kRange, then kReading
  bool needs_surface = false;                       ///< whether any model reads a Surface
  bool needs_sight = false;                         ///< whether any model asks what the cameras see
  bool differs_by_entity = false;                   ///< whether any model has rows for entities
  float sight_tolerance = 0.0F;                     ///< of stereo_shadow
  EnergyAngle energy_angle = EnergyAngle::kCosine;  ///< of stereo_energy
  RangePolicy range_policy = RangePolicy::kKeep;    ///< kKeep where no model can carry a return outside
};
NoiseChain make_chain(const Sensor& sensor);

/// Throws InputError when a model needs what the sensor does not have: two cameras apart, a camera, rays from one
/// point, the left camera as reference.
void check_needs(const Sensor& sensor, const Noise& noise, bool from_sensor_origin, bool rolling);

/// Throws InputError when a table by entity or channel names a slot, entity (of `entities`), channel or model that is
/// not there.
void check_tables(const Sensor& sensor, std::size_t entities);

/// Both, for the whole chain.
void check_chain(const Sensor& sensor, bool from_sensor_origin, bool rolling, std::size_t entities);

/// The optics that models may read; see noise/surface.hpp.
Optics optics_of(const SensorModel& model);

}  // namespace fathom

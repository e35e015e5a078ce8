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
  std::vector<Noise> rows = {};  ///< for some entities, other parameters
  std::vector<std::uint32_t> row_by_entity =
      {};  ///< [entities]: 0 is `noise`, k is rows[k - 1]; shorter: the rest is 0

  [[nodiscard]] std::uint32_t row_of(EntityId entity) const {
    return entity < row_by_entity.size() ? row_by_entity[entity] : 0;
  }
};

/// A sensor's chain by stage, models without effect left out.
struct NoiseChain {
  std::vector<ActiveNoise> ray, angle_loss, loss, edge_loss, on_return, dropout;
  // loss: kShadow, then kEnergyLoss; on_return: kHitPoint, then kRange
  bool needs_surface = false;                       ///< whether any model reads a Surface
  bool needs_sight = false;                         ///< whether any model asks what the cameras see
  bool differs_by_entity = false;                   ///< whether any model has rows
  float sight_tolerance = 0.0F;                     ///< of stereo_shadow
  EnergyAngle energy_angle = EnergyAngle::kCosine;  ///< of stereo_energy
};
NoiseChain make_chain(const Sensor& sensor);

/// Throws InputError when a model of the chain needs what the sensor does not have (two cameras apart, a camera, rays
/// from one point), or the table by entity names a slot, entity (of `entities`) or model that is not there.
void check_chain(const Sensor& sensor, bool from_sensor_origin, bool rolling, std::size_t entities);

/// The optics that models may read; see noise/surface.hpp.
Optics optics_of(const SensorModel& model);

}  // namespace fathom

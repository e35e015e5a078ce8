// SPDX-License-Identifier: MIT
#pragma once
// Whether a chain of noise suits its sensor and its scene.

#include <cstddef>

#include <fathom/noise/chain.hpp>
#include <fathom/noise/sensor_traits.hpp>
#include <fathom/sensor/model.hpp>

namespace fathom {

/// Throws InputError when a model of the chain needs what the sensor does not have: two cameras apart, a camera, rays
/// from one point, what the model itself asks for (check_on); or when it differs from another entry of the chain in a
/// parameter that must be the same.
void check_needs(const NoiseChain& chain, const Noise& noise, const SensorTraits& sensor);

/// Whether a model may have parameters of its own for entities or rings, whatever the sensor is.
bool may_differ(const NoiseInfo& model);
/// Whether its draws may be alike in neighbours, whatever the sensor is.
bool may_correlate(const NoiseInfo& model);

/// Throws InputError when an entry of a chain for single entities or rings is of another model, for an entity (of
/// `entities`) or ring that is not there, or there twice.
void check_entries(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model, std::size_t entities);

/// Throws InputError when the correlation of an entry is outside its limits, or the model draws nothing, or the sensor
/// has no rows and columns, or a turn too small for it.
void check_correlation(const ChainEntry& entry, const SensorTraits& sensor);

/// All of them, for the whole chain.
void check_chain(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model, std::size_t entities);

}  // namespace fathom

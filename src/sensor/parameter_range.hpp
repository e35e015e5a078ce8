#pragma once
// Domain randomization: drawing a parameter from its range, keyed by seed, environment and episode.

#include <cstdint>

#include <fathom/environments.hpp>

namespace fathom {

/// Throws InputError when the range names no number of the sensor's chain or leaves the limits of the field.
void check_range(const Sensor& sensor, const ParameterRange& range);

/// The seed of all draws of an episode. Environment 0 in episode 0 has the run's own.
std::uint64_t episode_seed(std::uint64_t seed, std::uint32_t environment, std::uint32_t episode);

/// The value for an episode; the same whatever else is drawn.
double draw_parameter(const Sensor& sensor, const ParameterRange& range, std::uint64_t seed);

void set_parameter(Sensor& sensor, const ParameterRange& range, double value);

}  // namespace fathom

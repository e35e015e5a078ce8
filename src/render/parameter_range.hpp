// SPDX-License-Identifier: MIT
#pragma once
// The parts of drawing a parameter from its range; fathom/simulate/parameter_range.hpp tells what is drawn and when.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/simulate/parameter_range.hpp>

namespace fathom {

/// Throws InputError when the range names no number of the chain, or one that must be the same in the whole chain
/// (kSameInChain of its model), or leaves the limits of the field.
void check_range(const NoiseChain& chain, const ParameterRange& range);

/// Draws every range and sets it in the sensor; what was drawn, in the order of the ranges. A draw depends on the seed,
/// the sensor's name and the range alone. Throws InputError as check_range does.
std::vector<DrawnParameter> draw_ranges(Sensor& sensor, std::span<const ParameterRange> ranges,
                                        std::uint64_t episode_seed);

/// Draws the value for an episode and sets it in the chain of the sensor of that name. The value is the same whatever
/// else is drawn.
double draw_into(NoiseChain& chain, std::string_view sensor, const ParameterRange& range, std::uint64_t seed);

}  // namespace fathom

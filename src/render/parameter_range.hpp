// SPDX-License-Identifier: MIT
#pragma once
// The parts of drawing a parameter from its range; fathom/simulate/parameter_range.hpp tells what is drawn and when.

#include <cstdint>
#include <string_view>

#include <fathom/simulate/parameter_range.hpp>

namespace fathom {

/// Draws the value for an episode and sets it in the chain of the sensor of that name. The value is the same whatever
/// else is drawn.
double draw_into(NoiseChain& chain, std::string_view sensor, const ParameterRange& range, std::uint64_t seed);

}  // namespace fathom

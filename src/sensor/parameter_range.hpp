#pragma once
// The parts of drawing a parameter from its range; fathom/parameter_range.hpp tells what is drawn and when.

#include <cstdint>

#include <fathom/parameter_range.hpp>

namespace fathom {

/// The value for an episode; the same whatever else is drawn.
double draw_parameter(const Sensor& sensor, const ParameterRange& range, std::uint64_t seed);

void set_parameter(Sensor& sensor, const ParameterRange& range, double value);

}  // namespace fathom

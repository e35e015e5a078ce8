#pragma once

#include <cstdint>

#include <fathom/sensor.hpp>

namespace fathom {

/// make_pattern() into a pattern that already has its arrays: a frame of the same sensor allocates nothing more. The
/// model must have been accepted by make_pattern().
void update_pattern(const SensorModel& model, std::uint32_t frame, RayPattern& pattern);

}  // namespace fathom

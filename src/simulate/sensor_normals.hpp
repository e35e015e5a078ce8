// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// x, y and z of the normals of frame `index` of a sensor, in its own frame, [rays] each. Where it is rolling, that of
/// each ray's time.
void find_normals(Simulator& simulator, SensorId sensor, std::uint32_t index, const Frame& frame,
                  std::array<std::vector<float>, 3>& normals);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <fathom/parts/posed_rays.hpp>

namespace fathom {

/// The rows in which beams lie, if any: where the list comes back to the direction of its first beam.
BeamGrid find_grid(std::span<const Matrix34> sensor_from_beam);

}  // namespace fathom

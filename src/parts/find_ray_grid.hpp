// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <fathom/parts/posed_rays.hpp>

namespace fathom {

/// The rows in which rays lie, if any. A row ends where the list comes back to the direction of its first ray.
RayGrid find_grid(std::span<const Matrix34> sensor_from_ray);

}  // namespace fathom

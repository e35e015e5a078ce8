// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>

#include <fathom/base/geometry.hpp>

namespace fathom {

/// Throws InputError, naming the vertex, unless every coordinate is a number and within kMaxCoordinateM. `origin_m`:
/// Mesh::origin_m.
void check_vertices(std::span<const std::array<float, 3>> vertices_m, const Vec3& origin_m);

}  // namespace fathom

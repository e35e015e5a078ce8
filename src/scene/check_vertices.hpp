// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>

namespace fathom {

/// Throws InputError, naming the vertex, unless every coordinate is a number and within kMaxCoordinateM.
void check_vertices(std::span<const std::array<float, 3>> vertices_m);

}  // namespace fathom

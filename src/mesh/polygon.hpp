// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/base/geometry.hpp>

namespace fathom {

/// Cutting a polygon that is not convex takes up to the square of its corners, several times.
inline constexpr std::size_t kMaxConcaveCorners = 1024;

/// Cuts a polygon into corners - 2 triangles of indices into `corners`, wound as it is: a fan around the first corner
/// where it is convex, otherwise ear by ear in the plane that it faces most. A polygon that crosses itself or has no
/// area becomes a fan. Throws InputError for a polygon that is not convex and has more than kMaxConcaveCorners.
std::vector<std::array<std::uint32_t, 3>> triangulate(std::span<const Vec3> corners);

}  // namespace fathom

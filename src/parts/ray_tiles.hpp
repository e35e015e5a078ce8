// SPDX-License-Identifier: MIT
#pragma once
// Copies between arrays of rays and the lanes of a block.

#include <cstring>
#include <type_traits>

#include <fathom/parts/posed_rays.hpp>

namespace fathom {

/// sensor_from_ray := a sensor_from_ray.
void transform_rays(const Affine& a, Isa isa, PosedRayBlock& block);

/// Calls f(lane, ray) for each piece of `Cols` rays in a block of tiles that are `Cols` wide.
template <std::uint32_t Cols, class F>
void for_each_tile_row(const RayTiles& t, F f) {
  std::uint32_t lane = 0;
  for (std::uint32_t left = t.first; lane < t.count; left += Cols) {
    for (std::uint32_t row = 0; row < t.rows; ++row, lane += Cols) f(lane, left + row * t.stride);
  }
}

/// Calls f(lane, ray, n) for pieces of n consecutive rays. Where there are many pieces, n is a constant, and a copy is
/// an instruction or two.
template <class F>
void for_each_run(const RayTiles& t, F f) {
  if (t.rows == 1) return f(0U, t.first, t.count);
  if (t.rows == 2) {
    for_each_tile_row<8>(t, [&](auto lane, auto ray) { f(lane, ray, std::integral_constant<std::uint32_t, 8>{}); });
  } else {
    for_each_tile_row<4>(t, [&](auto lane, auto ray) { f(lane, ray, std::integral_constant<std::uint32_t, 4>{}); });
  }
}

/// Copies the values of lanes, `Parts` each, to their rays.
template <std::size_t Parts = 1, class T>
void store_lanes(const T* lanes, const RayTiles& t, T* values) {
  for_each_run(t, [&](std::size_t lane, std::size_t ray, auto n) {
    std::memcpy(values + Parts * ray, lanes + Parts * lane, Parts * sizeof(T) * n);
  });
}

}  // namespace fathom

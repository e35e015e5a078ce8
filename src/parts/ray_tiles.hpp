// SPDX-License-Identifier: MIT
#pragma once
// Between arrays of beams and the lanes of a block.

#include <cstring>
#include <type_traits>

#include <fathom/parts/posed_rays.hpp>

namespace fathom {

/// Calls f(lane, beam) for each piece of `Cols` beams in a block of tiles that are `Cols` wide.
template <std::uint32_t Cols, class F>
void for_each_tile_row(const BeamTiles& t, F f) {
  std::uint32_t lane = 0;
  for (std::uint32_t left = t.first; lane < t.count; left += Cols) {
    for (std::uint32_t row = 0; row < t.rows; ++row, lane += Cols) f(lane, left + row * t.stride);
  }
}

/// Calls f(lane, beam, n) for pieces of n beams that follow each other, n being known when compiling where there are
/// many of them: copies are then an instruction or two.
template <class F>
void for_each_run(const BeamTiles& t, F f) {
  if (t.rows == 1) return f(0U, t.first, t.count);
  if (t.rows == 2) {
    for_each_tile_row<8>(t, [&](auto lane, auto beam) { f(lane, beam, std::integral_constant<std::uint32_t, 8>{}); });
  } else {
    for_each_tile_row<4>(t, [&](auto lane, auto beam) { f(lane, beam, std::integral_constant<std::uint32_t, 4>{}); });
  }
}

/// Values of lanes, `Parts` each, to their beams.
template <std::size_t Parts = 1, class T>
void store_lanes(const T* lanes, const BeamTiles& t, T* values) {
  for_each_run(t, [&](std::size_t lane, std::size_t beam, auto n) {
    std::memcpy(values + Parts * beam, lanes + Parts * lane, Parts * sizeof(T) * n);
  });
}

}  // namespace fathom

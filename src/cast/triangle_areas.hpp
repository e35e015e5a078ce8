// SPDX-License-Identifier: MIT
#pragma once
// How large the triangles are that rays meet: casters choose by it how to cast rays that lie close together.

#include <array>
#include <cstdint>
#include <span>

#include <fathom/base/executor.hpp>

namespace fathom {

/// Of a mesh or a scene: what a ray meets is on average a triangle of sum(area^2) / sum(area).
struct TriangleAreas {
  double sum = 0.0, sum_of_squares = 0.0;

  void add(const TriangleAreas& o, double scale) {
    sum += scale * o.sum, sum_of_squares += scale * scale * o.sum_of_squares;
  }
  [[nodiscard]] double typical() const { return sum > 0.0 ? sum_of_squares / sum : 0.0; }
};

/// The same bits for any number of threads.
TriangleAreas add_up_areas(std::span<const std::array<float, 3>> vertices,
                           std::span<const std::array<std::uint32_t, 3>> triangles, Executor& executor);

}  // namespace fathom

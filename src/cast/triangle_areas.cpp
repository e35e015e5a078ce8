// SPDX-License-Identifier: MIT
#include "cast/triangle_areas.hpp"

#include <algorithm>
#include <vector>

#include <fathom/base/geometry.hpp>

namespace fathom {

TriangleAreas add_up_areas(std::span<const std::array<float, 3>> vertices,
                           std::span<const std::array<std::uint32_t, 3>> triangles, Executor& executor) {
  constexpr std::size_t kChunk = 16384;  // triangles of one task
  const auto corner = [&](std::uint32_t v) { return Vec3{vertices[v][0], vertices[v][1], vertices[v][2]}; };
  std::vector<TriangleAreas> chunks((triangles.size() + kChunk - 1) / kChunk);
  executor.parallel_for(chunks.size(), 1, [&](std::size_t chunk, std::size_t) {
    TriangleAreas areas;
    for (std::size_t i = chunk * kChunk; i < std::min((chunk + 1) * kChunk, triangles.size()); ++i) {
      const Vec3 a = corner(triangles[i][0]);
      const double area = 0.5 * norm(cross(corner(triangles[i][1]) - a, corner(triangles[i][2]) - a));
      areas.add({area, area * area}, 1.0);
    }
    chunks[chunk] = areas;
  });
  TriangleAreas all;
  for (const TriangleAreas& areas : chunks) all.add(areas, 1.0);
  return all;
}

}  // namespace fathom

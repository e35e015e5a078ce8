// SPDX-License-Identifier: MIT
#pragma once
// Terrain: a grid of heights as a mesh.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

/// Heights over a centred rectangle of the x-y plane. Those of the first and last column lie on its edges x = -size_x_m
/// / 2 and size_x_m / 2, those of the first and last row on y = -size_y_m / 2 and size_y_m / 2. A height field of
/// MuJoCo has the same order; its hfield_size (x, y, elevation, base) means size_x_m = 2 x, size_y_m = 2 y, heights_m =
/// elevation * hfield_data and base_m = base.
struct HeightField {
  std::uint32_t rows = 0, cols = 0;       ///< each at least 2
  std::vector<float> heights_m;           ///< [rows, cols], in [-kMostPrimitiveM, kMostPrimitiveM]
  double size_x_m = 1.0, size_y_m = 1.0;  ///< in (0, kMostPrimitiveM]
  double base_m = 0.0;                    ///< in [0, kMostPrimitiveM]: how far the body reaches below z = 0; 0: no body
  std::vector<std::string> notes = {};    ///< what its file holds and fathom does not read, a line each
};

/// Most triangles of a height field: a square one has up to 2890 heights a side.
inline constexpr std::size_t kMaxHeightFieldTriangles = std::size_t{1} << 24U;

/// Two triangles between any four neighbours, split from (row, col) to (row + 1, col + 1), facing +z. With a base also
/// four walls and a bottom at z = -base_m, so that the mesh is closed; all heights must then lie above the bottom.
/// Throws InputError naming the member, and for a height its row and column.
FATHOM_API Mesh make_height_field(const HeightField& field);

}  // namespace fathom

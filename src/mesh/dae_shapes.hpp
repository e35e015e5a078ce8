// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <fathom/base/geometry.hpp>

#include "mesh/dae_document.hpp"

namespace fathom {

/// The positions that an <accessor> picks from a <float_array>; every index below `count` is inside the array.
struct DaePositions {
  const std::vector<double>* values = nullptr;
  std::size_t count = 0, stride = 3, offset = 0;
  std::array<std::size_t, 3> axes = {0, 1, 2};  ///< where X, Y and Z stand in a stride

  Vec3 operator[](std::size_t i) const {
    const double* at = values->data() + offset + i * stride;
    return {at[axes[0]], at[axes[1]], at[axes[2]]};
  }
};

/// Triangles over one set of positions, in the file's unit and axes.
struct DaePart {
  DaePositions positions;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::string material;  ///< the symbol that the scene binds to a material; empty: none
};
using DaeShape = std::vector<DaePart>;

/// The shapes of a document; each is read once, when it is first asked for. Throws InputError.
class DaeShapes {
 public:
  explicit DaeShapes(const DaeDocument& document) : document_(document) {}

  /// <geometry>: triangles, polylist, polygons, tristrips and trifans of its <mesh>. Lines give nothing.
  const DaeShape& of(pugi::xml_node geometry);

 private:
  DaePositions positions_of(pugi::xml_node source);
  const std::vector<double>& array(pugi::xml_node float_array);
  DaePart read_part(pugi::xml_node primitives);

  const DaeDocument& document_;
  std::map<pugi::xml_node, DaeShape> shapes_;
  std::map<pugi::xml_node, std::vector<double>> arrays_;  // shared: many accessors may read one
};

}  // namespace fathom

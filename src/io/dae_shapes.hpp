#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <fathom/geometry.hpp>

#include "io/dae_document.hpp"

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
};
using DaeShape = std::vector<DaePart>;

/// The shapes of a document; each is read once, when it is first asked for. Throws InputError.
class DaeShapes {
 public:
  explicit DaeShapes(const DaeDocument& document) : document_(document) {}

  /// <geometry>: triangles, polylist, polygons, tristrips and trifans of its <mesh>. Lines give nothing.
  const DaeShape& of(const XmlElement& geometry);

 private:
  DaePositions positions_of(const XmlElement& source);
  const std::vector<double>& array(const XmlElement& float_array);
  DaePart read_part(const XmlElement& primitives);

  const DaeDocument& document_;
  std::unordered_map<const XmlElement*, DaeShape> shapes_;
  std::unordered_map<const XmlElement*, std::vector<double>> arrays_;  // shared: many accessors may read one
};

}  // namespace fathom

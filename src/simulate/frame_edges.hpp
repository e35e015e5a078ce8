// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

/// Surface::edge_rad, jump and jump_rad of all pixels of a frame.
struct FrameEdges {
  std::vector<float> edge_rad, jump, jump_rad;

  std::array<std::vector<float>, 3> normals;  ///< in the sensor frame; before find()

  void find(const RayPattern& p, const Frame& truth);
};

}  // namespace fathom

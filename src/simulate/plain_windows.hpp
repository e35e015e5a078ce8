// SPDX-License-Identifier: MIT
#pragma once
// Pixels of a camera whose matching window sees one plane, also where its rays are turned. What the window makes of
// turned rays is known there (calibrate/chain_turned.cpp), and not where an edge, a shadow or the border of the image
// may come into it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fathom/calibrate/turned_rays.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

class PlainWindows {
 public:
  /// `radius_px`: of the window; `reach_rad`: by which its rays may be turned in any direction.
  PlainWindows(std::int32_t radius_px, double reach_rad) : radius_px_(radius_px), reach_rad_(reach_rad) {}

  /// Of a frame: `rays` has the directions and normals of all its rays, `truth` their clean ranges, incidences and
  /// energies, along nominal rays, and `usable` says which the sensor sees within its limits.
  void find(const PatternShape& shape, const TurnedRays& rays, const Frame& truth,
            const std::vector<std::uint8_t>& usable);

  /// Whether pixel i of the frame is such a one.
  [[nodiscard]] bool operator[](std::size_t i) const { return is_plain_[i] != 0; }

 private:
  std::int32_t radius_px_;
  double reach_rad_;
  std::vector<std::uint32_t> breaks_;  // [rows + 1, cols + 1] of pixels above and to the left
  std::vector<std::uint8_t> is_plain_;
};

}  // namespace fathom

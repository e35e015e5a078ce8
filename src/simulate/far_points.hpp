// SPDX-License-Identifier: MIT
#pragma once
// Notices points in the world that are too far from its origin for single precision.

#include <optional>
#include <span>
#include <string>

#include <fathom/base/geometry.hpp>
#include <fathom/outputs/output.hpp>

namespace fathom {

class FarPoints {
 public:
  FarPoints(std::string sensor, std::span<const Output> outputs);

  /// A place of the sensor in the world.
  void add(const Vec3& at_m);
  /// "points of 'cam' in the world (pcd) have ...", where they are off by a millimetre or more.
  [[nodiscard]] std::optional<std::string> warning() const;

 private:
  std::string sensor_, outputs_;
  double farthest_m_ = 0.0;  // largest coordinate
};

}  // namespace fathom

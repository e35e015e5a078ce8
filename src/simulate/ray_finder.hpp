// SPDX-License-Identifier: MIT
#pragma once
// Which ray of a sensor a point lies on.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fathom/base/geometry.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

class RayFinder {
 public:
  static constexpr double kMostAngleRad = 1e-3;  ///< between a point and its ray

  explicit RayFinder(const RayPattern& rays);

  struct Found {
    std::uint32_t ray = 0;
    double range_m = 0.0;  ///< from where the ray starts
  };
  /// Of a point in the sensor frame, the ray nearest to it by angle; nothing: none is within kMostAngleRad.
  [[nodiscard]] std::optional<Found> find(const Vec3& point_m) const;

 private:
  /// Rays that start at one point, sorted by the cell of their direction.
  struct Source {
    Vec3 origin_m;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> rays;
  };
  [[nodiscard]] Vec3 direction(std::uint32_t ray) const { return {double{x_[ray]}, double{y_[ray]}, double{z_[ray]}}; }

  std::vector<float> x_, y_, z_;
  std::vector<Source> sources_;
};

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The rays of a sensor before a plane, whatever the sensor is: what is measured along ray i is 1 / (m . q[i]), for the
// plane m . p = 1. q of a camera has x = 1, so that it is a distance to the image plane; else it is a unit
// vector. Rays of a lidar may start beside its origin, at o: then it is (1 - m . o) / (m . q).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/base/geometry.hpp>
#include <fathom/calibrate/wall.hpp>

namespace fathom {

struct WallRays {
  std::uint32_t rows = 0, cols = 0;
  std::vector<Vec3> q;
  std::vector<Vec3> origin_m;        ///< empty: 0
  std::vector<double> length;        ///< of q: range per measured value
  double focal_baseline_px_m = 0.0;  ///< 0: errors are even along the ray, not in disparity
  bool is_planar = false;            ///< all q have z = 0
  bool sees_more = false;            ///< than the wall, which is to be found among other surfaces
  bool is_full_turn = false;         ///< the last column is beside the first
  std::uint32_t used_cols = 0;       ///< columns that there are: of turns, whose number of columns differs, not all
  double max_range_m = 0.0;          ///< 0: not known
  double reach_m = 0.0;              ///< beyond it a loss says nothing

  explicit WallRays(const WallSensor& sensor);

  [[nodiscard]] std::size_t size() const { return q.size(); }
  /// Whether ray i is one, and no place behind the last column of its turn.
  [[nodiscard]] bool is_there(std::size_t i) const { return used_cols == cols || i % cols < used_cols; }
  [[nodiscard]] bool has_disparity() const { return focal_baseline_px_m > 0.0; }
  [[nodiscard]] std::size_t unknowns() const { return is_planar ? 2 : 3; }
  /// The clean value of ray i before the plane m; 0: the plane is not before it.
  [[nodiscard]] double clean_m(std::size_t i, const Vec3& m) const {
    const double share = dot(m, q[i]), from = origin_m.empty() ? 1.0 : 1.0 - dot(m, origin_m[i]);
    return share > 0.0 && from > 0.0 ? from / share : 0.0;
  }
  /// Where a value lies, in the sensor frame.
  [[nodiscard]] Vec3 point(std::size_t i, double value_m) const {
    return origin_m.empty() ? value_m * q[i] : origin_m[i] + value_m * q[i];
  }
  /// What the error is counted in: px of disparity, or m.
  [[nodiscard]] double error(double measured_m, double clean_m) const {
    return has_disparity() ? focal_baseline_px_m / measured_m - focal_baseline_px_m / clean_m : measured_m - clean_m;
  }
  /// How the error of ray i moves with the plane m, where the clean value is that of m.
  [[nodiscard]] Vec3 slope(std::size_t i, double clean_m, const Vec3& m) const {
    // error = f B / v - f B m . q, or v - (1 - m . o) / (m . q)
    if (origin_m.empty()) return (has_disparity() ? -focal_baseline_px_m : clean_m * clean_m) * q[i];
    return (1.0 / dot(m, q[i])) * point(i, clean_m);
  }
};

/// Deviation of the error: `constant` px of a disparity, else constant + per_m times range, m, along the ray.
struct WallScale {
  double constant = 0.0, per_m = 0.0;
  double half_step_m = 0.0;  ///< of measured values: what is rounded deviates by so much at least

  /// In what WallRays::error() counts, of a clean value on ray i.
  [[nodiscard]] double at(const WallRays& rays, std::size_t i, double clean_m) const;
};

/// Whether a value is a reading of ray i.
bool is_reading(const WallRays& rays, std::size_t i, float measured_m);

}  // namespace fathom

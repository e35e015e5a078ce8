// SPDX-License-Identifier: MIT
#pragma once
// Poses as callers give them: one by one, or many as arrays.

#include <cstddef>
#include <span>
#include <string_view>

#include <fathom/base/geometry.hpp>

namespace fathom {

/// Whether checked_pose() takes it.
bool is_valid(const Pose& pose);

/// The pose with its quaternion normalised. Throws InputError, `what` naming it, when anything is not finite, the
/// position is not within kMaxCoordinateM, or the quaternion far from unit.
Pose checked_pose(const Pose& pose, std::string_view what);

/// Poses as two arrays of the caller's: positions [count, 3] and quaternions (w, x, y, z) [count, 4].
class PoseArrays {
 public:
  /// Throws InputError when an array does not hold `count` poses.
  PoseArrays(std::span<const double> positions_m, std::span<const double> quaternions_wxyz, std::size_t count);

  [[nodiscard]] Pose operator[](std::size_t i) const {
    const double *p = positions_m_ + 3 * i, *q = quaternions_ + 4 * i;
    return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  const double *positions_m_, *quaternions_;
  std::size_t count_;
};

}  // namespace fathom

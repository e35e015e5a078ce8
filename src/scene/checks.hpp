// SPDX-License-Identifier: MIT
#pragma once
// Checks of poses, vertices and places that callers give, and limits of materials.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <fathom/core/geometry.hpp>

namespace fathom {

/// Whether checked_pose() accepts it.
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

/// Throws InputError, `what` naming the thing, unless the place is a number and within kMaxCoordinateM.
void check_place(const Vec3& place_m, std::string_view what, std::string_view name);

/// Throws InputError, naming the vertex, unless every coordinate is a number and within kMaxCoordinateM. `origin_m`:
/// Mesh::origin_m.
void check_vertices(std::span<const std::array<float, 3>> vertices_m, const Vec3& origin_m);

inline constexpr std::size_t kMostIncidenceValues = 64;  ///< entries of a material's table
inline constexpr float kMostIncidenceValue = 1000.0F;    ///< of a table, or a gain

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Where a turned ray meets a plane, and how that changes with the angles.

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include <fathom/calibrate/turned_rays.hpp>

namespace fathom {

struct Vector64 {
  double x = 0.0, y = 0.0, z = 0.0;
};
inline double dot(const Vector64& a, const Vector64& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vector64 cross(const Vector64& a, const Vector64& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Turns rays about the axes of TurnedRays by one pair of angles.
class RayTurner {
 public:
  RayTurner() = default;
  RayTurner(std::span<const Axis> axes, const std::array<double, 2>& angles);

  [[nodiscard]] Vector64 turned(const Vector64& v) const;
  /// The axis about which a change of this angle turns the turned ray.
  [[nodiscard]] const Vector64& axis(std::size_t which) const { return turn_[which]; }
  [[nodiscard]] std::size_t axes() const { return count_; }

 private:
  struct Rotation {
    Axis axis = Axis::kX;
    double sin = 0.0, cos = 1.0;
  };
  static Vector64 rotated(const Rotation& by, const Vector64& v);

  std::size_t count_ = 0;
  std::array<Rotation, 2> rotations_;
  std::array<Vector64, 2> turn_;
};

/// A plane n . p = c, in the sensor frame.
struct TurnedSurface {
  Vector64 normal;
  double plane_m = 0.0;
  double energy = 1.0;  ///< over the cosine of incidence
};

/// What a turned ray meets on a plane. The reading is the range or, of a ray whose depth is put on the nominal one, the
/// range there of the same distance to the image plane.
struct TurnedHit {
  double reading_m = 0.0;
  double range_m = 0.0, x_m = 0.0, y_m = 0.0;  ///< along the turned ray
  double cosine = 1.0;                         ///< of incidence
  std::array<double, 2> rate = {0.0, 0.0};     ///< d log(reading) / d angle
  std::array<double, 2> bend = {0.0, 0.0};     ///< d^2 reading / d angle^2, over the reading
};

/// Nothing for a ray that does not meet the plane.
std::optional<TurnedHit> hit_of(const TurnedRays& rays, std::size_t i, const TurnedSurface& surface,
                                const RayTurner& turner, bool on_nominal_ray);

/// The plane of the clean hit of return i.
TurnedSurface own_surface(const TurnedRays& rays, std::size_t i, double clean_range_m);

}  // namespace fathom

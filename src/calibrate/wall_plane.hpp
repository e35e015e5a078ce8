// SPDX-License-Identifier: MIT
#pragma once
// The plane of one frame, among readings of which some are of something else.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/wall_rays.hpp"

namespace fathom {

inline constexpr double kWallGate = 5.0;  ///< deviations within which a reading is one of the wall

/// Rows of a symmetric matrix by the components of m. Row and column z are 0 where rays are planar.
using PlaneMatrix = std::array<Vec3, 3>;

inline Vec3 product(const PlaneMatrix& matrix, const Vec3& v) {
  return {dot(matrix[0], v), dot(matrix[1], v), dot(matrix[2], v)};
}
/// v' matrix v.
inline double quadratic_form(const PlaneMatrix& matrix, const Vec3& v) { return dot(v, product(matrix, v)); }

/// The inverse of the matrix of as many components as a plane has unknowns; nothing where readings do not determine it.
std::optional<PlaneMatrix> inverse_of(const PlaneMatrix& matrix, std::size_t unknowns);

/// Sums of one step of Gauss and Newton.
struct PlaneStep {
  PlaneMatrix information{};
  Vec3 right;
  double square = 0.0;  ///< of errors, unweighted
  std::size_t readings = 0;

  void add(const Vec3& slope, double error, double deviation) {
    const double weight = 1.0 / (deviation * deviation);
    right = right - (weight * error) * slope;
    information[0] = information[0] + (weight * slope.x) * slope;
    information[1] = information[1] + (weight * slope.y) * slope;
    information[2] = information[2] + (weight * slope.z) * slope;
    square += error * error, ++readings;
  }
};

/// The plane m . p = 1 through a frame's readings.
struct WallPlaneFit {
  Vec3 m;
  PlaneMatrix covariance{};  ///< of m, were errors white
  WallScale scale = {};      ///< by which readings were weighted
  double deviation = 0.0;    ///< root mean square of the errors within the gate, in what WallRays::error() counts
  std::size_t readings = 0, on_wall = 0;

  /// Share of its own white error that the reading of ray i loses to the plane.
  [[nodiscard]] double leverage(const WallRays& rays, std::size_t i) const;
};

/// The plane m through the readings of as many rays as it has unknowns; nothing where they do not tell.
std::optional<Vec3> plane_through(const WallRays& rays, std::span<const std::size_t> at,
                                  std::span<const float> measured_m);

/// Numbers that name the random triples.
struct WallKey {
  std::uint64_t seed = 0;
  std::uint32_t frame = 0;
};

/// `measured_m` [rays], NaN where a ray has no reading or is left out. With a scale the readings are weighted by it and
/// gated by it; without one they count alike, and the gate is of their own deviation. Returns nothing, and says why,
/// where no plane is found.
std::optional<WallPlaneFit> fit_plane(const WallRays& rays, std::span<const float> measured_m, double half_step_m,
                                      const std::optional<WallScale>& scale, const WallKey& key, std::string& why_not);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// The rays of a sensor before a plane, whatever the sensor is: what is measured along ray i is 1 / (m . q[i]), for the
// plane m . p = 1. q of a camera has x = 1, so that it is a distance to the image plane; else it is a unit
// vector. Rays of a lidar may start beside its origin, at o: then it is (1 - m . o) / (m . q).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/base/geometry.hpp>
#include <fathom/calibrate/wall.hpp>
#include <fathom/math/random.hpp>

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
  /// The ray that many rows and columns from ray i; nothing beyond the border.
  [[nodiscard]] std::optional<std::size_t> beside(std::size_t i, std::ptrdiff_t down, std::ptrdiff_t right) const;
  /// How many rays beside each other span an angle, rad, along columns or along rows.
  [[nodiscard]] std::ptrdiff_t rays_in(double angle_rad, bool are_across) const;
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
  /// The value without an error.
  [[nodiscard]] double without(double error, double value_m) const {
    return has_disparity() ? focal_baseline_px_m / (focal_baseline_px_m / value_m - error) : value_m - error;
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

/// Directions of the rays of frame f, unit, [rows, cols].
std::vector<Vec3> turn_directions(const WallTurns& turns, std::size_t rays, std::size_t f);

// The plane of one frame, where some readings are of other surfaces.

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

/// Sums of one Gauss-Newton step.
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

/// `measured_m` [rays], NaN where a ray has no reading or is left out. With a scale the readings are weighted by it and
/// gated by it; without one they count alike, and the gate is of their own deviation. Returns nothing, and says why,
/// where no plane is found. `key` names the random triples.
std::optional<WallPlaneFit> fit_plane(const WallRays& rays, std::span<const float> measured_m, double half_step_m,
                                      const std::optional<WallScale>& scale, const NoiseKey& key, std::string& why_not);

/// The readings of the wall among what else a lidar or a laser sees: 1 where a plane is to be fitted, [rows, cols].
/// `measured_m` as of fit_plane(). Returns nothing, and says why, where there is no wall.
std::optional<std::vector<std::uint8_t>> find_region(const WallRays& rays, std::span<const float> measured_m,
                                                     WallChoice choice, const NoiseKey& key, std::string& why_not);

/// Names each ray of a frame, given its wall. `measured_m` [rays]; `left_out` [rays] or empty: where it is not 0 the
/// ray is left out. A reading is within the gate of the wall, off it alone, or off it as a surface; of a lidar the wall
/// is then one piece. Without `border` that is all, and losses are kLost. With it, a loss is judged by the nearest
/// readings on all sides; among other surfaces a reading is, too, and counts only where a loss would, lest less seems
/// to be lost. Returns the losses that lie in the band which the right camera of a pair does not see.
std::size_t name_pixels(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                        const WallPlaneFit& fit, const WallScale& scale, std::optional<BorderLosses> border,
                        std::span<WallPixel> pixels);

}  // namespace fathom

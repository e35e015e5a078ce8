// SPDX-License-Identifier: MIT
#pragma once
// Clouds of a sensor, and the rays of its points.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

/// The points of a cloud, in the frame of the file.
struct CloudPoints {
  std::vector<Vec3> at_m;            ///< the finite ones, [points]
  std::vector<std::uint32_t> place;  ///< row * cols + col of each in the file, [points]
  std::uint32_t rows = 0, cols = 0;
  std::vector<std::uint32_t> ring;  ///< the field `ring` of each, [points]; empty: no field of whole numbers
};

/// Throws InputError as read_cloud() does, and for an x, y or z that is neither float32 nor float64.
CloudPoints read_cloud_points(const std::filesystem::path& file);

/// Finds the ray of a sensor for a point.
class RayFinder {
 public:
  static constexpr double kMostAngleRad = 1e-3;  ///< between a point and its ray

  explicit RayFinder(const RayPattern& rays);

  struct Found {
    std::uint32_t ray = 0;
    double range_m = 0.0;  ///< from the start of the ray
  };
  /// The ray with the smallest angle to a point in the sensor frame; nothing if all angles exceed kMostAngleRad.
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

/// Points of a cloud on the rays of a sensor.
struct CloudRanges {
  std::vector<float> range_m;  ///< of rays with a point, [rows, cols]; NaN for other rays
  std::vector<float> point_m;  ///< these points, [rows, cols, 3]; NaN for other rays
  std::size_t points = 0, strays = 0;
  std::optional<std::uint32_t> twice = {};  ///< the first ray with two points

  void put(std::size_t ray, double range, const Vec3& at);
  /// Whether at most one point in a hundred lies on no ray.
  [[nodiscard]] bool lies_on_rays() const;
};

CloudRanges find_ranges(const CloudPoints& points, const RayFinder& finder, const PatternShape& shape);

/// Throws InputError naming the file when more than one point in a hundred lies on no ray or two lie on one. `sensor`:
/// its name; `hint`: advice to the user, or empty.
void check_ranges(const CloudRanges& ranges, const std::filesystem::path& file, const std::string& sensor,
                  std::string_view hint = {});

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Clouds of a sensor, and the rays of its points.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/fit/wall.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/pattern.hpp>

#include "fit/frames/chain_frames.hpp"

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
  /// The ray with the smallest angle to a point in the sensor frame; empty if all angles exceed kMostAngleRad.
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

CloudRanges find_ranges(const CloudPoints& points, const RayFinder& finder, const RayPattern::Shape& shape);

/// Throws InputError naming the file when more than one point in a hundred lies on no ray or two lie on one. `sensor`:
/// its name; `hint`: advice to the user, or empty.
void check_ranges(const CloudRanges& ranges, const std::filesystem::path& file, const std::string& sensor,
                  std::string_view hint = {});

// Points of a lidar in the rows of its rings.

/// A point in the coordinates of its ray.
struct RevolutionPoint {
  std::uint32_t row = 0;
  double azimuth_rad = 0.0, elevation_rad = 0.0;  ///< of the ray through it, seen from the start of the rays of the row
  double range_m = 0.0;
};

class RingRows {
 public:
  /// Largest distances of points from their row. Units differ from their datasheet, and drivers let rays start beside
  /// the sensor's origin: for a VLP-16 up to 11 mm above it, for Ouster's lidars up to 28 mm ahead.
  static constexpr double kMostOffRad = 0.2 * kRadPerDeg, kMostStartOffM = 0.03;

  /// Nothing for a sensor whose rows are not cones about its z axis.
  static std::optional<RingRows> of(const WallSensor& lidar);

  /// The points that lie on rows. Throws InputError naming the file when more than one in a hundred lies on no row, or
  /// two rings on one row.
  [[nodiscard]] std::vector<RevolutionPoint> points_of(const CloudPoints& cloud,
                                                       const std::filesystem::path& file) const;

  [[nodiscard]] double elevation_rad(std::size_t row) const { return rows_[row].elevation_rad; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    double elevation_rad = 0.0, start_z_m = 0.0;
    double gap_rad = std::numeric_limits<double>::infinity();  ///< to the elevation of the nearest other row
    std::uint16_t ring = 0;
  };
  struct Cone;
  /// The row of each point, nothing for points off all rows, and the angle to the nearest row.
  struct Found {
    std::vector<std::optional<std::size_t>> row;
    std::vector<double> off_rad;
  };

  [[nodiscard]] double off_rad(const Vec3& at_m, const Row& row) const;
  [[nodiscard]] double off_rad(const Cone& cone, const Row& row) const;
  void find_nearest(const Vec3& at_m, std::size_t i, Found& found) const;
  [[nodiscard]] std::size_t row_of(const Cone& cone, std::uint32_t ring) const;
  [[nodiscard]] Found by_elevation(const CloudPoints& cloud) const;
  [[nodiscard]] Found by_ring(const CloudPoints& cloud, const std::filesystem::path& file) const;

  std::vector<Row> rows_;
  double farthest_start_m_ = 0.0;  ///< largest distance between a row's start and the sensor's origin
};

// Clouds of whole revolutions of a lidar, and the grid of firings in one of them.
//
// The head turns steadily. In each step every row fires once, at its own azimuth within the step. The rows are aligned
// by the azimuths between their points and the nearest points of one row, which needs no exact step over the whole
// revolution. Points that then coincide are a column. A row without a point in such a column was fired and lost. Empty
// columns are not counted as lost returns: the revolution may end there, or a packet may be missing. Nor are columns
// beside a fault of the grid, for example where the revolution begins.

struct RevolutionGrid {
  bool is_regular = false;                           ///< whether azimuths lie on such a grid
  double step_rad = 0.0;                             ///< from a column to the next
  std::vector<double> azimuth_rad;                   ///< of the columns, rising, [cols]
  std::vector<double> row_offset_rad;                ///< of a row's azimuth after that of the column, [rows]
  std::vector<std::optional<std::uint32_t>> column;  ///< of each point; nothing: in no column
};

/// `row_offset_rad`: how much later in azimuth the sensor fires each row. An offset of less than a step from the
/// fullest row decides which firing a row belongs to. If the azimuths lie on no grid, columns are cells about a step
/// wide, with at most one point of each row, in their order. Throws InputError when more than one point in a hundred
/// has the same azimuth as another point of its row.
RevolutionGrid find_revolution_grid(std::span<const RevolutionPoint> points, std::span<const double> row_offset_rad);

/// Clouds of a lidar whose revolutions start anywhere, as frames with WallFrames::Turns. A ray with a point passes
/// through it; a ray without a point has the elevation of its ring and the azimuth of its column. If most clouds lie on
/// grids, the others are left out. Otherwise all are taken, and losses are unknown. Throws InputError as RingRows and
/// find_revolution_grid() do.
WallFrames read_revolution_clouds(std::span<const FrameFile> files, const WallSensor& lidar, const RingRows& rows);

// Rays and clouds of a sensor before a wall.

/// The sensor as a model: a stereo_camera whose image is that of the left lens, a depth_camera where there is no
/// baseline, a laser_2d, whose rays are evenly spaced between the first azimuth and the last, or the rays of a lidar.
/// `farthest_m`: reaches at least so far where the sensor does not say how far it measures. Throws InputError for
/// azimuths that neither rise nor fall throughout.
SensorModel wall_sensor_model(const WallSensor& sensor, double farthest_m);

/// A lidar as a sensor of walls; `entry` as WallSensor::Lidar::entry. Throws InputError for a model whose rays vary
/// from frame to frame or have fewer than two rows or columns.
WallSensor wall_lidar(const SensorModel& model, std::string entry = {});

/// As read_wall_clouds() of a folder, a file for each frame.
WallFrames read_wall_clouds(std::span<const FrameFile> files, const WallSensor& lidar);

}  // namespace fathom

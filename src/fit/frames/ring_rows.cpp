// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "core/numbers.hpp"
#include "fit/frames/cloud_frames.hpp"

namespace fathom {

namespace {

constexpr double kMostStrayPoints = 0.01;  // of a cloud
constexpr double kSameRowRad = 1e-5, kSameStartM = 1e-6;
constexpr double kNearestShare = 0.45;  // of the gap between rows: a farther point may belong to the next row
constexpr double kSureShare = 0.2;      // of the gap, without rings: a row of points farther off is from another sensor
constexpr std::size_t kLeastInRow = 20;
constexpr double kLeastSpread = 0.05;  // of distances, relative: less does not determine the start of a row
constexpr double kDegPerRad = 1.0 / kRadPerDeg;

double elevation_of(const Vec3& d) { return math::atan2(d.z, std::hypot(d.x, d.y)); }

}  // namespace

/// The cone that the points of one row lie on. Noise moves points along rays, so it does not change the cone.
struct RingRows::Cone {
  double across_m = 0.0, z_m = 0.0;             ///< middle of the points
  double elevation_rad = 0.0, start_z_m = 0.0;  ///< of the line through the points, if is_known
  bool is_known = false;                        ///< false: too few points, or similar distances of all

  Cone(const CloudPoints& cloud, std::span<const std::size_t> points) {
    const auto n = static_cast<double>(points.size());
    const auto across = [&](std::size_t i) { return std::hypot(cloud.at_m[i].x, cloud.at_m[i].y); };
    for (const std::size_t i : points) across_m += across(i) / n, z_m += cloud.at_m[i].z / n;
    double square = 0.0, product = 0.0;
    for (const std::size_t i : points) {
      const double off = across(i) - across_m;
      square += off * off, product += off * (cloud.at_m[i].z - z_m);
    }
    is_known = points.size() >= kLeastInRow && square / n >= kLeastSpread * kLeastSpread * across_m * across_m;
    if (!is_known) return;
    elevation_rad = math::atan2(product / square, 1.0), start_z_m = z_m - product / square * across_m;
  }
};

std::optional<RingRows> RingRows::of(const WallSensor& lidar) {
  RingRows rows;
  const WallSensor::Lidar& l = *lidar.lidar;
  for (std::size_t row = 0; row < lidar.rows; ++row) {
    const std::size_t first = row * lidar.cols;
    const auto start = [&](std::size_t i) { return l.origin_m.empty() ? Vec3{} : l.origin_m[i]; };
    const Row of_row{
        .elevation_rad = elevation_of(l.direction[first]), .start_z_m = start(first).z, .ring = l.ring[first]};
    for (std::size_t i = first; i < first + lidar.cols; ++i) {
      if (!(std::abs(elevation_of(l.direction[i]) - of_row.elevation_rad) <= kSameRowRad) ||
          !(norm(start(i) - Vec3{0.0, 0.0, of_row.start_z_m}) <= kSameStartM)) {
        return std::nullopt;
      }
    }
    rows.farthest_start_m_ = std::max(rows.farthest_start_m_, std::abs(of_row.start_z_m));
    rows.rows_.push_back(of_row);
  }
  for (Row& a : rows.rows_) {
    for (const Row& b : rows.rows_) {
      if (&a != &b) a.gap_rad = std::min(a.gap_rad, std::abs(a.elevation_rad - b.elevation_rad));
    }
  }
  return rows;
}

double RingRows::off_rad(const Vec3& at_m, const Row& row) const {
  return elevation_of(at_m - Vec3{0.0, 0.0, row.start_z_m}) - row.elevation_rad;
}

double RingRows::off_rad(const Cone& cone, const Row& row) const {
  if (cone.is_known && std::abs(cone.start_z_m - row.start_z_m) <= kMostStartOffM) {
    return cone.elevation_rad - row.elevation_rad;
  }
  const double off = off_rad({cone.across_m, 0.0, cone.z_m}, row);
  return std::copysign(std::max(0.0, std::abs(off) - kMostStartOffM / cone.across_m), off);
}

void RingRows::find_nearest(const Vec3& at_m, std::size_t i, Found& found) const {
  const double elevation = elevation_of(at_m), range_m = norm(at_m);
  const auto rough = [&](const Row& row) { return std::abs(elevation - row.elevation_rad); };
  double nearest_rad = std::numeric_limits<double>::infinity(), least = nearest_rad;
  for (const Row& row : rows_) nearest_rad = std::min(nearest_rad, rough(row));
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    // The offset of the start changes the elevation of a point by less than this.
    if (rough(rows_[row]) > nearest_rad + 4.0 * farthest_start_m_ / range_m) continue;
    const double off = std::abs(off_rad(at_m, rows_[row]));
    if (off < least) least = off, found.row[i] = row;
  }
  found.off_rad[i] = least;
  const double most = kMostOffRad + kMostStartOffM / range_m;
  if (!found.row[i] || least > std::min(most, kNearestShare * rows_[*found.row[i]].gap_rad)) found.row[i].reset();
}

RingRows::Found RingRows::by_elevation(const CloudPoints& cloud) const {
  Found found{.row = std::vector<std::optional<std::size_t>>(cloud.at_m.size()),
              .off_rad = std::vector<double>(cloud.at_m.size(), 0.0)};
  for (std::size_t i = 0; i < cloud.at_m.size(); ++i) find_nearest(cloud.at_m[i], i, found);
  std::vector<std::vector<std::size_t>> of_row(rows_.size());
  for (std::size_t i = 0; i < cloud.at_m.size(); ++i) {
    if (found.row[i]) of_row[*found.row[i]].push_back(i);
  }
  // Points of another sensor are also near some row of a lidar with many rows.
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (of_row[row].size() < kLeastInRow) continue;
    const double off = off_rad(Cone(cloud, of_row[row]), rows_[row]);
    if (std::abs(off) <= std::min(kMostOffRad, kSureShare * rows_[row].gap_rad)) continue;
    for (const std::size_t i : of_row[row]) found.row[i].reset(), found.off_rad[i] = std::abs(off);
  }
  return found;
}

/// The row by elevation. Drivers number rings in several ways, so the number only decides between equal elevations.
std::size_t RingRows::row_of(const Cone& cone, std::uint32_t ring) const {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double off = std::abs(off_rad(cone, rows_[row]));
    const bool is_named = std::abs(off - least) <= kSameRowRad && rows_[row].ring == ring;
    if (off < least || is_named) least = off, best = row;
  }
  return best;
}

RingRows::Found RingRows::by_ring(const CloudPoints& cloud, const std::filesystem::path& file) const {
  std::map<std::uint32_t, std::vector<std::size_t>> rings;
  for (std::size_t i = 0; i < cloud.ring.size(); ++i) rings[cloud.ring[i]].push_back(i);
  std::map<std::size_t, std::uint32_t> taken;
  Found found{.row = std::vector<std::optional<std::size_t>>(cloud.at_m.size()),
              .off_rad = std::vector<double>(cloud.at_m.size(), 0.0)};
  for (const auto& [ring, points] : rings) {
    const Cone cone(cloud, points);
    const std::size_t row = row_of(cone, ring);
    const double off = std::abs(off_rad(cone, rows_[row]));
    for (const std::size_t i : points) {
      const double of_point = std::abs(off_rad(cloud.at_m[i], rows_[row]));
      found.off_rad[i] = off > kMostOffRad ? off : of_point;
      if (off <= kMostOffRad && of_point <= kMostOffRad + kMostStartOffM / norm(cloud.at_m[i])) found.row[i] = row;
    }
    if (off > kMostOffRad) continue;
    const auto [at, is_first] = taken.emplace(row, ring);
    if (is_first) continue;
    throw InputError(fmt::format("{}: rings {} and {} lie both at {:.2f} degrees", file.string(), at->second, ring,
                                 rows_[row].elevation_rad * kDegPerRad));
  }
  return found;
}

std::vector<RevolutionPoint> RingRows::points_of(const CloudPoints& cloud, const std::filesystem::path& file) const {
  const Found found = cloud.ring.empty() ? by_elevation(cloud) : by_ring(cloud, file);
  std::vector<RevolutionPoint> points;
  std::vector<double> of_strays;
  for (std::size_t i = 0; i < cloud.at_m.size(); ++i) {
    if (!found.row[i]) {
      of_strays.push_back(found.off_rad[i]);
      continue;
    }
    const std::size_t row = *found.row[i];
    const Vec3 from = cloud.at_m[i] - Vec3{0.0, 0.0, rows_[row].start_z_m};
    points.push_back({.row = static_cast<std::uint32_t>(row),
                      .azimuth_rad = math::atan2(from.y, from.x),
                      .elevation_rad = elevation_of(from),
                      .range_m = norm(from)});
  }
  const auto strays = static_cast<double>(of_strays.size()), all = static_cast<double>(cloud.at_m.size());
  if (strays <= kMostStrayPoints * all) return points;
  throw InputError(fmt::format(
      "{}: {} of {} points lie on no ring of the lidar: in the median they are {:.2f} degrees off the nearest one; are "
      "they in its frame, and is it the lidar that measured them? A file for the sensor may have other elevation_deg",
      file.string(), of_strays.size(), cloud.at_m.size(), median(of_strays) * kDegPerRad));
}

}  // namespace fathom

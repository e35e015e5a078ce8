// SPDX-License-Identifier: MIT
// Planar scanners (one mirror, one laser, one turn per scan), two-prism (Risley) scanners, and grids of parallel rays.

#include <array>
#include <cmath>
#include <numbers>

#include <fathom/core/f64.hpp>

#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr std::array<Field<Laser2d>, 7> kLaser2dFields = {{
    Field<Laser2d>{"rays", "1", &Laser2d::rays, 1, 16777216, "rays per scan", true}.formerly(
        "beams", "a beam is the statistical model of a laser's reading"),
    {"min_azimuth_rad", "rad", &Laser2d::min_azimuth_rad, -kTurnRad, kTurnRad, "azimuth of the first (rightmost) ray",
     true},
    {"max_azimuth_rad", "rad", &Laser2d::max_azimuth_rad, -kTurnRad, kTurnRad,
     "azimuth of the last ray, at most a revolution further", true},
    {"rate_hz", "Hz", &Laser2d::rate_hz, 0.01, 10000, "scans per second; the mirror turns once per scan"},
    {"clockwise", "1", &Laser2d::clockwise, 0, 1, "fires from the last ray to the first"},
    {"min_range_m", "m", &Laser2d::min_range_m, 0, kMaxRangeM, "nearest range"},
    {"max_range_m", "m", &Laser2d::max_range_m, 0, kMaxRangeM, "farthest range"},
}};

constexpr std::array<Field<Rosette>, 7> kRosetteFields = {{
    {"points", "1", &Rosette::points, 1, 16777216, "points per frame", true},
    {"field_of_view_rad", "rad", &Rosette::field_of_view_rad, 1e-3, kHalfTurnRad, "full angle of the cone", true},
    {"prism1_hz", "Hz", &Rosette::prism1_hz, -10000, 10000, "revolutions per second of one prism, signed", true},
    {"prism2_hz", "Hz", &Rosette::prism2_hz, -10000, 10000, "revolutions per second of the other prism, signed", true},
    {"points_per_s", "Hz", &Rosette::points_per_s, 1, 1e9, "points per second", true},
    {"min_range_m", "m", &Rosette::min_range_m, 0, kMaxRangeM, "nearest range"},
    {"max_range_m", "m", &Rosette::max_range_m, 0, kMaxRangeM, "farthest range"},
}};

constexpr double kMaxSizeM = 1e4;

constexpr std::array<Field<GridScanner>, 7> kGridScannerFields = {{
    {"size_x_m", "m", &GridScanner::size_x_m, 0, kMaxSizeM, "extent of the grid along x", true},
    {"size_y_m", "m", &GridScanner::size_y_m, 0, kMaxSizeM, "extent of the grid along y", true},
    {"resolution_m", "m", &GridScanner::resolution_m, 1e-4, kMaxSizeM, "distance of neighbouring points"},
    {"start_height_m", "m", &GridScanner::start_height_m, -kMaxSizeM, kMaxSizeM,
     "height of the rays' origins above the sensor"},
    {"alignment", "base|yaw|world", choice<&GridScanner::alignment>, 0, 2, "what the axes of the grid follow"},
    {"min_range_m", "m", &GridScanner::min_range_m, 0, kMaxRangeM, "nearest range"},
    {"max_range_m", "m", &GridScanner::max_range_m, 0, kMaxRangeM, "farthest range"},
}};

std::uint32_t points(double size_m, double resolution_m) {
  // 0.3 / 0.1 is 2.9999999999999996: a division alone would lose the last point.
  return static_cast<std::uint32_t>(std::floor(size_m / resolution_m + 1e-6)) + 1;
}

}  // namespace

std::span<const Field<Laser2d>> Laser2d::fields() { return kLaser2dFields; }

void Laser2d::check() const {
  const double span = max_azimuth_rad - min_azimuth_rad;
  const bool span_fits = rays == 1 ? span == 0.0 : span > 0.0 && span <= kTurnRad;
  if (!span_fits) {
    throw InputError(
        fmt::format("laser_2d.max_azimuth_rad = {} with min_azimuth_rad = {} and rays = {}: it must be {}",
                    number_text(max_azimuth_rad), number_text(min_azimuth_rad), rays,
                    rays == 1 ? "equal to min_azimuth_rad for a single ray" : "larger, by at most a full turn"));
  }
  check_range_limits(kSlug, min_range_m, max_range_m);
  check_ray_count(kSlug, "rows", 1, "rays", rays);
}

void write_rays(const Laser2d& laser, std::uint32_t /*frame*/, RayPattern& out) {
  start_pattern(out, shape_of(laser), laser.min_range_m, laser.max_range_m);
  out.time_offset_s.resize(laser.rays);
  const double span = laser.max_azimuth_rad - laser.min_azimuth_rad;
  const double step = laser.rays > 1 ? span / (laser.rays - 1) : 0.0;
  const double period_s = step / (2 * std::numbers::pi * laser.rate_hz);
  for (std::uint32_t i = 0; i < laser.rays; ++i) {
    const math::SinCos64 azimuth = math::sincos(laser.min_azimuth_rad + step * i);
    const std::uint32_t fired = laser.clockwise ? laser.rays - 1 - i : i;
    set_direction(out, i, azimuth.cos, azimuth.sin, 0.0);
    out.time_offset_s[i] = static_cast<float>(period_s * fired);
  }
}

void describe(const Laser2d& laser, SensorView& view) {
  view.timed = true;
  // The last ray is the first one again, or a step or two before it.
  const double span = laser.max_azimuth_rad - laser.min_azimuth_rad;
  view.closes = laser.rays > 1 && span + 1.5 * span / (laser.rays - 1) > 2 * std::numbers::pi;
}

std::string with_rays_in_one_plane() { return std::string(Laser2d::kSlug); }

std::span<const Field<Rosette>> Rosette::fields() { return kRosetteFields; }

void Rosette::check() const {
  check_range_limits(kSlug, min_range_m, max_range_m);
  check_ray_count(kSlug, "rows", 1, "points", points);
}

void describe(const Rosette& /*rosette*/, SensorView& view) {
  view.timed = true;
  view.rays_vary = true;
  view.seen_by_angle = true;
}

void write_rays(const Rosette& rosette, std::uint32_t frame, RayPattern& out) {
  start_pattern(out, shape_of(rosette), rosette.min_range_m, rosette.max_range_m);
  out.time_offset_s.resize(rosette.points);
  const std::uint64_t first = std::uint64_t{frame} * rosette.points;
  for (std::uint32_t i = 0; i < rosette.points; ++i) {
    const double seconds = static_cast<double>(first + i) / rosette.points_per_s;
    const math::SinCos64 prism1 = math::sincos(2 * std::numbers::pi * rosette.prism1_hz * seconds);
    const math::SinCos64 prism2 = math::sincos(2 * std::numbers::pi * rosette.prism2_hz * seconds);
    const double y = rosette.field_of_view_rad / 4 * (prism1.cos + prism2.cos);
    const double z = rosette.field_of_view_rad / 4 * (prism1.sin + prism2.sin);
    const double off_axis = std::sqrt(y * y + z * z);
    const double scale = off_axis > 0.0 ? math::sin(off_axis) / off_axis : 1.0;
    set_direction(out, i, math::cos(off_axis), scale * y, scale * z);
    out.time_offset_s[i] = static_cast<float>(i / rosette.points_per_s);
  }
}

std::span<const Field<GridScanner>> GridScanner::fields() { return kGridScannerFields; }

RayPattern::Shape shape_of(const GridScanner& grid) {
  return {points(grid.size_y_m, grid.resolution_m), points(grid.size_x_m, grid.resolution_m)};
}

void GridScanner::check() const {
  check_range_limits(kSlug, min_range_m, max_range_m);
  const RayPattern::Shape shape = shape_of(*this);
  check_ray_count(kSlug, "points along y", shape.rows, "points along x", shape.cols);
}

void describe(const GridScanner& grid, SensorView& view) {
  view.one_origin = false;
  switch (grid.alignment) {
    case GridAlignment::kBase:
      view.axes = AxesFollow::kBody;
      break;
    case GridAlignment::kYaw:
      view.axes = AxesFollow::kHeading;
      break;
    case GridAlignment::kWorld:
      view.axes = AxesFollow::kWorld;
      break;
  }
}

void write_rays(const GridScanner& grid, std::uint32_t /*frame*/, RayPattern& out) {
  const RayPattern::Shape shape = shape_of(grid);
  start_pattern(out, shape, grid.min_range_m, grid.max_range_m);
  const std::size_t count = std::size_t{shape.rows} * shape.cols;
  for (std::vector<float>* array : {&out.origin_x, &out.origin_y, &out.origin_z}) array->resize(count);
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    for (std::uint32_t col = 0; col < shape.cols; ++col) {
      const std::size_t i = std::size_t{row} * shape.cols + col;
      out.origin_x[i] = static_cast<float>((col - (shape.cols - 1) / 2.0) * grid.resolution_m);
      out.origin_y[i] = static_cast<float>((row - (shape.rows - 1) / 2.0) * grid.resolution_m);
      out.origin_z[i] = static_cast<float>(grid.start_height_m);
      set_direction(out, i, 0.0, 0.0, -1.0);
    }
  }
}

}  // namespace fathom

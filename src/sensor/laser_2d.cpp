// SPDX-License-Identifier: MIT
// Planar scanners: one mirror, one laser, one turn per scan.

#include <array>
#include <numbers>

#include <fathom/math/f64.hpp>

#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr std::array<Field<Laser2d>, 7> kLaser2dFields = {{
    Field<Laser2d>{"rays", "1", &Laser2d::rays, 1, 16777216, "rays per scan", true}.formerly(
        "beams", "a beam is the statistical model of a laser's reading"),
    {"min_azimuth_rad", "rad", &Laser2d::min_azimuth_rad, -kTurnRad, kTurnRad, "azimuth of the first (rightmost) ray",
     true},
    {"max_azimuth_rad", "rad", &Laser2d::max_azimuth_rad, -kTurnRad, kTurnRad,
     "azimuth of the last ray, at most a turn further", true},
    {"rate_hz", "Hz", &Laser2d::rate_hz, 0.01, 10000, "scans per second; the mirror turns once per scan"},
    {"clockwise", "1", &Laser2d::clockwise, 0, 1, "fires from the last ray to the first"},
    {"min_range_m", "m", &Laser2d::min_range_m, 0, kMaxRangeM, "nearest range measured"},
    {"max_range_m", "m", &Laser2d::max_range_m, 0, kMaxRangeM, "farthest range measured"},
}};

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
  // Where the last ray is the first one again, or a step or two before it.
  const double span = laser.max_azimuth_rad - laser.min_azimuth_rad;
  view.closes = laser.rays > 1 && span + 1.5 * span / (laser.rays - 1) > 2 * std::numbers::pi;
}

std::string with_rays_in_one_plane() { return std::string(Laser2d::kSlug); }

}  // namespace fathom

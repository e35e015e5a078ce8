// SPDX-License-Identifier: MIT
// Two-prism (Risley) scanners.

#include <array>
#include <cmath>
#include <numbers>

#include <fathom/math/f64.hpp>

#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr std::array<Field<Rosette>, 7> kRosetteFields = {{
    {"points", "1", &Rosette::points, 1, 16777216, "points per frame", true},
    {"field_of_view_rad", "rad", &Rosette::field_of_view_rad, 1e-3, kHalfTurnRad, "full angle of the cone", true},
    {"prism1_hz", "Hz", &Rosette::prism1_hz, -10000, 10000, "revolutions per second of one prism, signed", true},
    {"prism2_hz", "Hz", &Rosette::prism2_hz, -10000, 10000, "revolutions per second of the other prism, signed", true},
    {"points_per_s", "Hz", &Rosette::points_per_s, 1, 1e9, "points per second", true},
    {"min_range_m", "m", &Rosette::min_range_m, 0, kMaxRangeM, "nearest range measured"},
    {"max_range_m", "m", &Rosette::max_range_m, 0, kMaxRangeM, "farthest range measured"},
}};

}  // namespace

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

}  // namespace fathom

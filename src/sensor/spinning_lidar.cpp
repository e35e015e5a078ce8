// SPDX-License-Identifier: MIT
// Rotating lidars: the head turns at a steady rate while its rings fire one after the other.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fathom/core/f64.hpp>

#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr std::uint64_t kMaxRings = 65536;  // ring is 16 bits wide

constexpr std::array<Field<SpinningLidar>, 13> kSpinningLidarFields = {{
    {"elevation_rad", "rad", &SpinningLidar::elevation_rad, -kQuarterTurnRad, kQuarterTurnRad, "elevation of each ring",
     true},
    {"azimuth_offset_rad", "rad", &SpinningLidar::azimuth_offset_rad, -kHalfTurnRad, kHalfTurnRad,
     "per ring, added to the azimuth; empty: 0"},
    {"firing_time_s", "s", &SpinningLidar::firing_time_s, 0, 10,
     "per ring, after the start of its column; empty: all at once"},
    {"vertical_offset_m", "m", &SpinningLidar::vertical_offset_m, -10, 10,
     "per ring, height of the ray origin; empty: 0"},
    {"beam_origin_m", "m", &SpinningLidar::beam_origin_m, 0, 1, "distance of the ray origins from the axis"},
    {"ring", "1", &SpinningLidar::ring, 0, 65535, "per ring, its number; empty: counted from the lowest one"},
    {"columns", "1", &SpinningLidar::columns, 1, 65536, "firings of every ring per frame", true},
    {"start_azimuth_rad", "rad", &SpinningLidar::start_azimuth_rad, -kTurnRad, kTurnRad, "azimuth of the first column"},
    {"span_rad", "rad", &SpinningLidar::span_rad, 1e-6, kTurnRad, "angle turned in a frame"},
    {"rate_hz", "Hz", &SpinningLidar::rate_hz, 0.01, 10000, "revolutions per second"},
    {"clockwise", "1", &SpinningLidar::clockwise, 0, 1, "turns clockwise seen from above"},
    {"min_range_m", "m", &SpinningLidar::min_range_m, 0, kMaxRangeM, "nearest range"},
    {"max_range_m", "m", &SpinningLidar::max_range_m, 0, kMaxRangeM, "farthest range"},
}};

double column_period_s(const SpinningLidar& lidar) {
  return lidar.span_rad / (2 * std::numbers::pi * lidar.rate_hz * lidar.columns);
}

/// A list given per ring must have one value per ring.
void check_length(std::string_view name, std::size_t length, std::size_t rings) {
  if (length == 0 || length == rings) return;
  throw InputError(fmt::format("spinning_lidar.{} has {} values and elevation_rad has {}: one per ring is needed", name,
                               length, rings));
}

void check_firing_times(const SpinningLidar& lidar) {
  const double period_s = column_period_s(lidar);
  for (std::size_t i = 0; i < lidar.firing_time_s.size(); ++i) {
    if (lidar.firing_time_s[i] <= period_s) continue;
    throw InputError(fmt::format(
        "spinning_lidar.firing_time_s[{}] = {} is not in [0, {}] s, the time from one column to the next at "
        "rate_hz = {}: fewer columns are needed",
        i, number_text(lidar.firing_time_s[i]), number_text(period_s), number_text(lidar.rate_hz)));
  }
}

/// Rings from the highest to the lowest, equal ones as listed.
std::vector<std::size_t> rings_from_top(const SpinningLidar& lidar) {
  std::vector<std::size_t> order(lidar.elevation_rad.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lidar.elevation_rad[a] > lidar.elevation_rad[b]; });
  return order;
}

double value_or_zero(const std::vector<double>& list, std::size_t i) { return list.empty() ? 0.0 : list[i]; }

bool has_origins(const SpinningLidar& lidar) { return !lidar.vertical_offset_m.empty() || lidar.beam_origin_m > 0.0; }

/// Writes the rays of one ring into a row of the pattern.
void write_ring(const SpinningLidar& lidar, std::size_t listed, std::uint32_t row, RayPattern& out) {
  const double elevation = lidar.elevation_rad[listed];
  const auto [up, horizontal] = math::sincos(elevation);
  const double fired_s = value_or_zero(lidar.firing_time_s, listed);
  const double sense = lidar.clockwise ? -1.0 : 1.0;
  const double first = lidar.start_azimuth_rad + sense * 2 * std::numbers::pi * lidar.rate_hz * fired_s +
                       value_or_zero(lidar.azimuth_offset_rad, listed);
  const double step = sense * lidar.span_rad / lidar.columns;
  const double period_s = column_period_s(lidar);
  const std::size_t row_start = std::size_t{row} * lidar.columns;
  for (std::uint32_t c = 0; c < lidar.columns; ++c) {
    const math::SinCos64 azimuth = math::sincos(first + step * c);
    set_direction(out, row_start + c, horizontal * azimuth.cos, horizontal * azimuth.sin, up);
    out.time_offset_s[row_start + c] = static_cast<float>(period_s * c + fired_s);
  }
  const auto ring = lidar.ring.empty() ? static_cast<std::uint16_t>(out.rows - 1 - row) : lidar.ring[listed];
  std::fill_n(out.ring.begin() + static_cast<std::ptrdiff_t>(row_start), lidar.columns, ring);
  if (!has_origins(lidar)) return;
  std::fill_n(out.origin_z.begin() + static_cast<std::ptrdiff_t>(row_start), lidar.columns,
              static_cast<float>(value_or_zero(lidar.vertical_offset_m, listed)));
  if (!(lidar.beam_origin_m > 0.0)) return;
  const double head = first - value_or_zero(lidar.azimuth_offset_rad, listed);
  for (std::uint32_t c = 0; c < lidar.columns; ++c) {
    const math::SinCos64 azimuth = math::sincos(head + step * c);
    out.origin_x[row_start + c] = static_cast<float>(lidar.beam_origin_m * azimuth.cos);
    out.origin_y[row_start + c] = static_cast<float>(lidar.beam_origin_m * azimuth.sin);
  }
}

}  // namespace

std::span<const Field<SpinningLidar>> SpinningLidar::fields() { return kSpinningLidarFields; }

void SpinningLidar::check() const {
  const std::size_t rings = elevation_rad.size();
  if (rings > kMaxRings) {
    throw InputError(fmt::format("spinning_lidar.elevation_rad has {} values, more than {}", rings, kMaxRings));
  }
  check_length("azimuth_offset_rad", azimuth_offset_rad.size(), rings);
  check_length("firing_time_s", firing_time_s.size(), rings);
  check_length("vertical_offset_m", vertical_offset_m.size(), rings);
  check_length("ring", ring.size(), rings);
  check_range_limits(kSlug, min_range_m, max_range_m);
  check_ray_count(kSlug, "rings", rings, "columns", columns);
  check_firing_times(*this);
}

RayPattern::Shape shape_of(const SpinningLidar& lidar) {
  return {static_cast<std::uint32_t>(lidar.elevation_rad.size()), lidar.columns};
}

void write_rays(const SpinningLidar& lidar, std::uint32_t /*frame*/, RayPattern& out) {
  start_pattern(out, shape_of(lidar), lidar.min_range_m, lidar.max_range_m);
  const std::size_t rays = out.direction_x.size();
  out.time_offset_s.resize(rays);
  out.ring.resize(rays);
  if (has_origins(lidar)) {
    for (std::vector<float>* array : {&out.origin_x, &out.origin_y, &out.origin_z}) array->assign(rays, 0.0F);
  }
  const std::vector<std::size_t> order = rings_from_top(lidar);
  for (std::uint32_t row = 0; row < out.rows; ++row) write_ring(lidar, order[row], row, out);
}

namespace {

/// Velodynes fire the whole sequences that fit into a turn, so the last column may end a little short of it.
bool turns_once_round(const SpinningLidar& lidar) {
  return lidar.span_rad + lidar.span_rad / lidar.columns > 2 * std::numbers::pi;
}

}  // namespace

void describe(const SpinningLidar& lidar, SensorView& view) {
  view.one_origin = !has_origins(lidar);
  view.timed = true;
  view.closes = turns_once_round(lidar);
}

std::set<std::uint32_t> rings(const SpinningLidar& lidar) {
  if (lidar.ring.empty()) return count_rings(shape_of(lidar).rows);
  return {lidar.ring.begin(), lidar.ring.end()};
}

std::vector<std::int32_t> shifts(const SpinningLidar& lidar) {
  return turns_once_round(lidar) ? lidar.destagger_shifts() : std::vector<std::int32_t>();
}

std::string with_column_shifts() { return fmt::format("a {} that turns once round", SpinningLidar::kSlug); }

std::vector<std::int32_t> SpinningLidar::destagger_shifts() const {
  check();
  const double step = span_rad / columns, sense = clockwise ? -1.0 : 1.0;
  std::vector<std::int32_t> shifts;
  for (const std::size_t listed : rings_from_top(*this)) {
    const double ahead = sense * value_or_zero(azimuth_offset_rad, listed) +
                         2 * std::numbers::pi * rate_hz * value_or_zero(firing_time_s, listed);
    shifts.push_back(static_cast<std::int32_t>(std::lround(ahead / step)));
  }
  return shifts;
}

std::vector<double> even_elevations(std::uint32_t count, double first_rad, double last_rad) {
  std::vector<double> elevations(count, first_rad);
  for (std::uint32_t i = 1; i < count; ++i) elevations[i] = first_rad + (last_rad - first_rad) * i / (count - 1);
  return elevations;
}

}  // namespace fathom

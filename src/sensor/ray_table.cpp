// SPDX-License-Identifier: MIT
// Rays given one by one: everything to check, and a part to play in each frame.

#include <algorithm>
#include <array>
#include <cmath>

#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr double kMostPointsPerS = 1e9;

constexpr std::array<Field<RayPattern>, 5> kRayPatternFields = {{
    {"min_range_m", "m", &RayPattern::min_range_m, 0, kMaxRangeM, "nearest range, for all rays or per ray", true},
    {"max_range_m", "m", &RayPattern::max_range_m, 0, kMaxRangeM, "farthest range, for all rays or per ray", true},
    {"rays_per_frame", "1", &RayPattern::rays_per_frame, 0, 16777216, "rays of the table that a frame plays; 0: all"},
    {"loop", "1", &RayPattern::loop, 0, 0, "after its last ray the table starts again; else its last rays repeat"},
    {"points_per_s", "Hz", &RayPattern::points_per_s, 0, kMostPointsPerS,
     "rate of the rays, 1 or more; 0: as the table"},
}};

constexpr double kUnitTolerance = 1e-3;
constexpr float kMaxOriginM = static_cast<float>(kMaxRangeM);

/// `allowed` other than 0: a further length that is right (0 for absent, 1 for a common value).
void check_length(std::string_view name, std::size_t length, std::size_t rays, std::size_t allowed) {
  if (length == rays || length == allowed) return;
  throw InputError(fmt::format("ray_table.{} has {} values and the pattern {} rays", name, length, rays));
}

void check_lengths(const RayPattern& p, std::size_t rays) {
  check_length("direction_x", p.direction_x.size(), rays, rays);
  check_length("direction_y", p.direction_y.size(), rays, rays);
  check_length("direction_z", p.direction_z.size(), rays, rays);
  const bool has_origins = !(p.origin_x.empty() && p.origin_y.empty() && p.origin_z.empty());
  check_length("origin_x", p.origin_x.size(), rays, has_origins ? rays : 0);
  check_length("origin_y", p.origin_y.size(), rays, has_origins ? rays : 0);
  check_length("origin_z", p.origin_z.size(), rays, has_origins ? rays : 0);
  check_length("min_range_m", p.min_range_m.size(), rays, 1);
  check_length("max_range_m", p.max_range_m.size(), rays, 1);
  check_length("time_offset_s", p.time_offset_s.size(), rays, 0);
  check_length("ring", p.ring.size(), rays, 0);
  if (p.ring.empty() && p.rows > 65536) {
    throw InputError(fmt::format("ray_table.rows = {} is not in [1, 65536], and no ring is given", p.rows));
  }
}

void check_directions(const RayPattern& p) {
  for (std::size_t i = 0; i < p.direction_x.size(); ++i) {
    const double x = p.direction_x[i], y = p.direction_y[i], z = p.direction_z[i];
    const double length = std::sqrt(x * x + y * y + z * z);
    if (std::abs(length - 1.0) <= kUnitTolerance) continue;  // false for NaN
    throw InputError(fmt::format("ray_table.direction[{}] = ({}, {}, {}) is not a unit vector: its length is {}", i,
                                 number_text(x), number_text(y), number_text(z), number_text(length)));
  }
}

void check_finite(std::string_view name, const std::vector<float>& values, float limit, std::string_view unit) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) <= limit) continue;  // false for NaN
    check_in_range("ray_table", fmt::format("{}[{}]", name, i), values[i], -limit, limit, unit);
  }
}

void check_ranges(const RayPattern& p) {
  const std::size_t count = std::max(p.min_range_m.size(), p.max_range_m.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double low = p.min_range_m[p.min_range_m.size() == 1 ? 0 : i];
    const double high = p.max_range_m[p.max_range_m.size() == 1 ? 0 : i];
    if (low < high) continue;
    throw InputError(fmt::format("ray_table.min_range_m = {} is not below max_range_m = {} for ray {}",
                                 number_text(low), number_text(high), i));
  }
}

void check_playing(const RayPattern& p) {
  if (p.points_per_s > 0.0) check_in_range("ray_table", "points_per_s", p.points_per_s, 1, kMostPointsPerS, "Hz or 0");
  if (p.rays_per_frame == 0) return;
  if (p.rows != 1) {
    throw InputError(
        fmt::format("ray_table.rays_per_frame = {} needs a table of one row, not {}", p.rays_per_frame, p.rows));
  }
  if (p.rays_per_frame > p.cols) {
    throw InputError(
        fmt::format("ray_table.rays_per_frame = {} is more than the {} rays of the table", p.rays_per_frame, p.cols));
  }
}

/// `count` elements of a ring, from `first` on.
template <class T>
void play(const std::vector<T>& table, std::size_t first, std::size_t count, std::vector<T>& out) {
  if (table.size() <= 1) {
    out = table;
    return;
  }
  const std::size_t before_end = std::min(count, table.size() - first);
  const auto from = table.begin() + static_cast<std::ptrdiff_t>(first);
  out.assign(from, from + static_cast<std::ptrdiff_t>(before_end));
  out.insert(out.end(), table.begin(), table.begin() + static_cast<std::ptrdiff_t>(count - before_end));
}

std::size_t first_ray(const RayPattern& rays, std::size_t count, std::uint32_t frame) {
  const std::uint64_t total = std::uint64_t{rays.rows} * rays.cols, first = std::uint64_t{frame} * count;
  return rays.loop ? first % total : std::min<std::uint64_t>(first, total - count);
}

/// Times since the first ray of the frame. A table that starts again goes on after a mean step.
void play_times(const RayPattern& rays, std::size_t first, std::vector<float>& out) {
  const std::vector<float>& times = rays.time_offset_s;
  const double start = times[first], end = times.back(), begin = times.front();
  const double step = times.size() > 1 ? (end - begin) / static_cast<double>(times.size() - 1) : 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool starts_again = first + i >= times.size();
    out[i] = static_cast<float>(double{out[i]} - start + (starts_again ? end + step - begin : 0.0));
  }
}

}  // namespace

std::span<const Field<RayPattern>> RayPattern::fields() { return kRayPatternFields; }

std::set<std::uint32_t> rings(const RayPattern& rays) {
  if (rays.ring.empty()) return count_rings(rays.rows);
  return {rays.ring.begin(), rays.ring.end()};
}

double farthest_range_m(const RayPattern& rays) {
  double farthest_m = 0.0;
  for (const float limit_m : rays.max_range_m) farthest_m = std::max(farthest_m, double{limit_m});
  return farthest_m;
}

void write_rays(const RayPattern& rays, std::uint32_t frame, RayPattern& out) {
  const bool plays = rays.rays_per_frame > 0;
  const RayPattern::Shape shape = shape_of(rays);
  const std::size_t count = std::size_t{shape.rows} * shape.cols, first = plays ? first_ray(rays, count, frame) : 0;
  out.rows = shape.rows, out.cols = shape.cols;
  out.rays_per_frame = 0, out.loop = true, out.points_per_s = 0.0;
  for (std::vector<float> RayPattern::*const array :
       {&RayPattern::direction_x, &RayPattern::direction_y, &RayPattern::direction_z, &RayPattern::origin_x,
        &RayPattern::origin_y, &RayPattern::origin_z, &RayPattern::min_range_m, &RayPattern::max_range_m,
        &RayPattern::time_offset_s}) {
    play(rays.*array, first, count, out.*array);
  }
  play(rays.ring, first, count, out.ring);
  if (rays.points_per_s > 0.0) {
    out.time_offset_s.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      out.time_offset_s[i] = static_cast<float>(static_cast<double>(i) / rays.points_per_s);
    }
  } else if (plays && !rays.time_offset_s.empty()) {
    play_times(rays, first, out.time_offset_s);
  }
}

void describe(const RayPattern& rays, SensorView& view) {
  view.one_origin = rays.origin_x.empty();
  view.timed = !rays.time_offset_s.empty() || rays.points_per_s > 0.0;
  view.rays_vary = rays.rays_per_frame > 0 && rays.rays_per_frame < rays.cols;
  if (rays.rows != 1) return;
  // A single row of rays that do not lie in one plane shows nothing as a line of pixels.
  const std::vector<float>& z = rays.direction_z;
  view.seen_by_angle = std::any_of(z.begin(), z.end(), [&](float up) { return up != z.front(); });
}

void validate(const RayPattern& pattern) {
  check_ray_count(RayPattern::kSlug, "rows", pattern.rows, "cols", pattern.cols);
  check_lengths(pattern, std::size_t{pattern.rows} * pattern.cols);
  check_directions(pattern);
  check_finite("origin_x", pattern.origin_x, kMaxOriginM, "m");
  check_finite("origin_y", pattern.origin_y, kMaxOriginM, "m");
  check_finite("origin_z", pattern.origin_z, kMaxOriginM, "m");
  check_finite("time_offset_s", pattern.time_offset_s, 1e9F, "s");
  check_fields(pattern);
  check_ranges(pattern);
  check_playing(pattern);
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include "render/given_cloud.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/sensor/kinds.hpp>

#include "frame/frame_writer.hpp"

namespace fathom {

namespace {

Vec3 point_of(const GivenCloud& given, std::size_t i) {
  return {double{given.x_m[i]}, double{given.y_m[i]}, double{given.z_m[i]}};
}

/// m; 0: the point met nothing.
double distance_of(const Vec3& p) {
  const double distance = norm(p);
  return std::isfinite(distance) ? distance : 0.0;
}

void check_length(std::string_view name, std::size_t got, std::size_t points, std::size_t planes = 1) {
  if (got == 0 || got == planes * points) return;
  throw InputError(fmt::format("{} has {} values, and the cloud has {} points{}", name, got, points,
                               planes == 1 ? "" : fmt::format(" with {} each", planes)));
}

void check_cloud(const GivenCloud& given) {
  const std::size_t points = given.x_m.size();
  if (given.y_m.size() != points || given.z_m.size() != points) {
    throw InputError(fmt::format("x_m, y_m and z_m have {}, {} and {} values: they need one for each point", points,
                                 given.y_m.size(), given.z_m.size()));
  }
  if (given.rows != 0 && (given.cols == 0 || points / given.cols != given.rows || points % given.cols != 0)) {
    throw InputError(fmt::format("{} points are not {} x {}", points, given.rows, given.cols));
  }
  if (points > kMaxRays) throw InputError(fmt::format("{} points: the limit is {}", points, kMaxRays));
  check_length("ring", given.ring.size(), points);
  check_length("time_offset_s", given.time_offset_s.size(), points);
  check_length("range_m", given.range_m.size(), points);
  check_length("normal", given.normal.size(), points, 3);
  check_length("entity_id", given.entity_id.size(), points);
  check_length("reflectivity", given.reflectivity.size(), points);
  for (std::size_t i = 0; i < points; ++i) {
    if (distance_of(point_of(given, i)) > 0.0) return;
  }
  throw InputError(fmt::format("none of the {} points met anything: each is NaN or 0", points));
}

/// A point with its place in a row.
struct RingPoint {
  std::uint32_t row;
  double azimuth_rad;
  std::uint32_t point;
};

/// The usual step between neighbours of a ring; points at one azimuth do not count.
double usual_step_rad(std::span<const RingPoint> sorted) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    const double step = sorted[k].azimuth_rad - sorted[k - 1].azimuth_rad;
    if (sorted[k].row == sorted[k - 1].row && step > 0.0) steps.push_back(step);
  }
  if (steps.empty()) return 2 * std::numbers::pi;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

/// Most places of an image for each of its points.
constexpr std::size_t kMostGaps = 256;

std::size_t longest_row(std::span<const RingPoint> sorted, std::size_t rows) {
  std::vector<std::size_t> counts(rows, 0);
  for (const RingPoint& p : sorted) ++counts[p.row];
  return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

void CloudImage::prepare(const GivenCloud& given, const RayPattern& sensor) {
  check_cloud(given);
  arrange(given);
  const std::size_t count = std::size_t{rows_} * cols_;
  range_m_.assign(count, math::kInfinity);
  known_.assign(count, 0);
  on_sensor_rays_ = rows_ == sensor.rows && cols_ == sensor.cols && !sorted_ && find_sensor_ranges(given, sensor);
  if (!on_sensor_rays_) find_rays(given, sensor);
  image_ = {.range_m = range_m_,
            .normal = at_places(given.normal, normal_, 3),
            .normal_frame = given.normal_frame,
            .entity_id = at_places(given.entity_id, entity_),
            .reflectivity = at_places(given.reflectivity, reflectivity_),
            .reflectivity_has_incidence = given.reflectivity_has_incidence,
            .world_from_sensor = given.world_from_sensor};
}

void CloudImage::arrange(const GivenCloud& given) {
  const auto points = static_cast<std::uint32_t>(given.x_m.size());
  sorted_ = given.rows == 0 && !given.ring.empty();
  in_rows_ = given.rows > 0 || sorted_;
  places_.resize(points);
  if (sorted_) return sort_by_ring(given);
  rows_ = given.rows > 0 ? given.rows : 1, cols_ = given.rows > 0 ? given.cols : points;
  for (std::uint32_t i = 0; i < points; ++i) places_[i] = i;
}

/// Each ring is a row, and a column spans the usual step. A column that is taken pushes a point to the next one.
void CloudImage::sort_by_ring(const GivenCloud& given) {
  std::vector<std::uint16_t> rings;
  std::vector<RingPoint> sorted;
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const Vec3 p = point_of(given, i);
    places_[i] = kNoPlace;
    if (distance_of(p) > 0.0) rings.push_back(given.ring[i]), sorted.push_back({0, math::atan2(p.y, p.x), i});
  }
  std::sort(rings.begin(), rings.end());
  rings.erase(std::unique(rings.begin(), rings.end()), rings.end());
  for (RingPoint& p : sorted) {
    p.row =
        static_cast<std::uint32_t>(std::lower_bound(rings.begin(), rings.end(), given.ring[p.point]) - rings.begin());
  }
  std::sort(sorted.begin(), sorted.end(), [](const RingPoint& a, const RingPoint& b) {
    return std::tie(a.row, a.azimuth_rad, a.point) < std::tie(b.row, b.azimuth_rad, b.point);
  });
  const auto [first, last] = std::minmax_element(
      sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.azimuth_rad < b.azimuth_rad; });
  const double begin_rad = first->azimuth_rad, span_rad = last->azimuth_rad - begin_rad;
  const std::size_t longest = longest_row(sorted, rings.size());
  const double step_rad = std::max(usual_step_rad(sorted), span_rad / (4.0 * static_cast<double>(longest)));
  rows_ = static_cast<std::uint32_t>(rings.size()), cols_ = 0;
  std::vector<std::uint32_t> col(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const bool begins = k == 0 || sorted[k].row != sorted[k - 1].row;
    const auto wanted = static_cast<std::uint32_t>(std::lround((sorted[k].azimuth_rad - begin_rad) / step_rad));
    col[k] = begins ? wanted : std::max(wanted, col[k - 1] + 1);
    cols_ = std::max(cols_, col[k] + 1);
  }
  const std::uint64_t places = std::uint64_t{rows_} * cols_;
  if (places > kMaxRays || places > kMostGaps * sorted.size()) {
    throw InputError(fmt::format("{} points in {} rings of up to {} columns: the limit is {} places for each point",
                                 sorted.size(), rows_, cols_, kMostGaps));
  }
  for (std::size_t k = 0; k < sorted.size(); ++k) places_[sorted[k].point] = sorted[k].row * cols_ + col[k];
}

/// False if a point lies beside the sensor's ray at its place.
bool CloudImage::find_sensor_ranges(const GivenCloud& given, const RayPattern& sensor) {
  constexpr double kBeside = 1e-6;  // share of the range: a few rounding errors of single precision
  const bool own = !sensor.origin_x.empty();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Vec3 p = point_of(given, i);
    if (!(distance_of(p) > 0.0)) continue;
    const Vec3 d = {double{sensor.direction_x[i]}, double{sensor.direction_y[i]}, double{sensor.direction_z[i]}};
    const Vec3 v =
        own ? p - Vec3{double{sensor.origin_x[i]}, double{sensor.origin_y[i]}, double{sensor.origin_z[i]}} : p;
    const double range = v.x * d.x + v.y * d.y + v.z * d.z;
    const double beside = distance_of(v - Vec3{range * d.x, range * d.y, range * d.z});
    if (!(range > 0.0) || beside > kBeside * (range + distance_of(p))) return false;
    range_m_[i] = given.range_m.empty() ? static_cast<float>(range) : given.range_m[i];
  }
  return true;
}

void CloudImage::find_rays(const GivenCloud& given, const RayPattern& sensor) {
  const std::size_t count = range_m_.size();
  range_m_.assign(count, math::kInfinity);
  pattern_.rows = rows_, pattern_.cols = cols_;
  for (std::vector<float>* d : {&pattern_.direction_x, &pattern_.direction_y, &pattern_.direction_z}) {
    d->assign(count, 0.0F);
  }
  pattern_.min_range_m = {*std::min_element(sensor.min_range_m.begin(), sensor.min_range_m.end())};
  pattern_.max_range_m = {*std::max_element(sensor.max_range_m.begin(), sensor.max_range_m.end())};
  pattern_.time_offset_s.assign(given.time_offset_s.empty() ? 0 : count, 0.0F);
  pattern_.ring.assign(given.ring.empty() ? 0 : count, 0);
  if (given.ring.empty() && rows_ == sensor.rows && !sensor.ring.empty()) {  // rings need not count from the first row
    for (std::size_t at = 0; at < count; ++at) pattern_.ring.push_back(sensor.ring[at / cols_ * sensor.cols]);
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::size_t at = places_[i];
    if (at == kNoPlace) continue;
    if (!given.ring.empty()) pattern_.ring[at] = given.ring[i];
    if (!given.time_offset_s.empty()) pattern_.time_offset_s[at] = given.time_offset_s[i];
    const Vec3 p = point_of(given, i);
    const double distance = distance_of(p);
    if (!(distance > 0.0)) continue;
    known_[at] = 1;
    range_m_[at] = given.range_m.empty() ? static_cast<float>(distance) : given.range_m[i];
    pattern_.direction_x[at] = static_cast<float>(p.x / distance);
    pattern_.direction_y[at] = static_cast<float>(p.y / distance);
    pattern_.direction_z[at] = static_cast<float>(p.z / distance);
  }
  for (std::size_t row = 0; row < rows_; ++row) fill_gaps(row * cols_, (row + 1) * cols_);
  make_plan(pattern_, false, plan_, CastOrder::kRows);
}

/// Rays that no point shows lie between their neighbours in the row: plans and neighbours read them.
void CloudImage::fill_gaps(std::size_t begin, std::size_t end) {
  std::size_t gap = begin;
  for (std::size_t i = begin; i <= end; ++i) {
    if (i < end && known_[i] == 0) continue;
    const bool has_left = gap > begin, has_right = i < end;
    if (has_left || has_right) fill_gap(gap, i, has_left ? gap - 1 : i, has_right ? i : gap - 1);
    if (!has_left && !has_right)
      std::fill_n(pattern_.direction_x.begin() + static_cast<std::ptrdiff_t>(gap), i - gap, 1.0F);
    gap = i + 1;
  }
}

/// Rays [begin, end) between the rays `from` and `to`.
void CloudImage::fill_gap(std::size_t begin, std::size_t end, std::size_t from, std::size_t to) {
  RayPattern& p = pattern_;
  const auto direction = [&](std::size_t i) {
    return Vec3{double{p.direction_x[i]}, double{p.direction_y[i]}, double{p.direction_z[i]}};
  };
  const Vec3 first = direction(from), way = direction(to) - first;
  for (std::size_t i = begin; i < end; ++i) {
    const double share = from < to ? static_cast<double>(i - from) / static_cast<double>(to - from) : 0.0;
    const Vec3 mixed = first + share * way;
    const double length = distance_of(mixed);
    const Vec3 d = length > 0.0 ? (1.0 / length) * mixed : first;
    p.direction_x[i] = static_cast<float>(d.x), p.direction_y[i] = static_cast<float>(d.y);
    p.direction_z[i] = static_cast<float>(d.z);
  }
}

template <class T>
std::span<const T> CloudImage::at_places(std::span<const T> of_points, std::vector<T>& memory,
                                         std::size_t planes) const {
  if (!sorted_ || of_points.empty()) return of_points;
  memory.assign(planes * rows_ * cols_, T{});
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i] == kNoPlace) continue;
    std::copy_n(of_points.begin() + static_cast<std::ptrdiff_t>(planes * i), planes,
                memory.begin() + static_cast<std::ptrdiff_t>(planes * places_[i]));
  }
  return memory;
}

void CloudImage::lose_unknown(Frame& frame) const {
  if (on_sensor_rays_) return;
  FrameWriter writer(frame);
  const auto lose = [&](Channel channel, std::size_t planes) {
    float* const values = writer.floats(channel);
    for (std::size_t i = 0; values != nullptr && i < planes * known_.size(); ++i) {
      if (known_[i % known_.size()] == 0) values[i] = __builtin_nanf("");
    }
  };
  for (const Channel channel : {Channel::kRange, Channel::kDepth}) lose(channel, 1);
  for (const Channel channel : {Channel::kHitSensor, Channel::kHitWorld}) lose(channel, 3);
  Reason* const reason = writer.reason();
  for (std::size_t i = 0; reason != nullptr && i < known_.size(); ++i) {
    if (known_[i] == 0) reason[i] = Reason::kMiss;
  }
}

void check_cloud_chain(std::string_view sensor, const NoiseChain& chain, bool has_neighbours) {
  for (const ChainEntry& entry : chain) {
    const SurfaceNeeds needs = entry.noise.info().needs;
    const Stage stage = entry.noise.stage();
    if (needs.sight) {
      throw InputError(fmt::format("sensor '{}': {} needs an image, and this is a cloud", sensor, entry.noise.slug()));
    }
    if (has_neighbours) continue;
    const bool correlates = !entry.correlation.is_white();
    if (!needs.neighbours && stage != Stage::kImage && stage != Stage::kRay && !correlates) continue;
    throw InputError(fmt::format("sensor '{}': {}{} needs neighbours: give a cloud in rows, or with rings", sensor,
                                 correlates ? "the correlation of " : "", entry.noise.slug()));
  }
}

}  // namespace fathom

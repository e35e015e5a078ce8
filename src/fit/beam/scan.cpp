// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/fit/fit.hpp>

#include "core/compute.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "fit/beam/no_return_pile.hpp"
#include "fit/beam/scans.hpp"

namespace fathom {

namespace {

constexpr std::size_t kScansAtOnce = 16;

[[noreturn]] void fail_selection(std::string_view text, const std::string& what) {
  throw InputError(fmt::format("scans '{}': {}", text, what));
}

std::size_t parse_part(std::string_view text, std::string_view part, std::size_t fallback) {
  if (part.empty()) return fallback;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size()) {
    fail_selection(text, "is not all, odd, even or start:stop:step with whole numbers");
  }
  return value;
}

}  // namespace

double suspected_no_return_m(const ScanLog& log, double max_range_m) {
  NoReturnPile pile;
  pile.add(log.range_m);
  return pile.code(max_range_m).value_m;
}

std::vector<std::uint32_t> select_scans(std::string_view text, std::size_t scans) {
  std::size_t start = 0, stop = scans, step = 1;
  if (text == "odd" || text == "even") {
    start = text == "odd" ? 1 : 0;
    step = 2;
  } else if (text != "all") {
    const std::size_t first = text.find(':');
    if (first == std::string_view::npos) parse_part(text, "?", 0);
    const std::size_t second = std::min(text.find(':', first + 1), text.size());
    start = parse_part(text, text.substr(0, first), 0);
    stop = std::min(scans, parse_part(text, text.substr(first + 1, second - first - 1), scans));
    step = parse_part(text, second < text.size() ? text.substr(second + 1) : std::string_view{}, 1);
    if (step == 0) fail_selection(text, "the step is 0");
  }
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = start; i < stop; i += step) chosen.push_back(static_cast<std::uint32_t>(i));
  if (chosen.empty()) {
    fail_selection(text,
                   "selects none of " + counted(scans, "scan") + (scans > 0 && step > 1 ? ", all takes them" : ""));
  }
  return chosen;
}

ScanLog part_of(const ScanLog& log, std::span<const std::uint32_t> scans, std::size_t ray_step,
                const std::function<bool(std::size_t)>& keep) {
  ScanLog part = {.azimuth_rad = {},
                  .pose = {},
                  .range_m = {},
                  .ray_offset = {},
                  .has_own_rays = log.has_own_rays,
                  .max_range_m = log.max_range_m,
                  .laser = log.laser,
                  .skipped = log.skipped,
                  .notes = log.notes,
                  .name = log.name};
  std::vector<std::size_t> rays;
  for (std::size_t k = 0; k * ray_step < log.rays(); ++k) {
    if (!keep || keep(k)) rays.push_back(k * ray_step), part.azimuth_rad.push_back(log.azimuth_rad[k * ray_step]);
  }
  for (const std::uint32_t scan : scans) {
    part.pose.push_back(log.pose[scan]);
    for (const std::size_t ray : rays) {
      part.range_m.push_back(log.scan(scan)[ray]);
      if (!log.ray_offset.empty()) part.ray_offset.push_back(log.offsets(scan)[ray]);
    }
  }
  return part;
}

BeamData make_beam_data(const ScanLog& log, std::span<const std::uint32_t> scans, const ExpectedRanges& expected,
                        double max_range_m, const Compute& compute) {
  validate(compute);
  validate(log);
  if (scans.empty()) throw InputError("no scans are selected");
  for (const std::uint32_t scan : scans) {
    if (scan >= log.scans()) throw InputError(fmt::format("scan {} is not in [0, {})", scan, log.scans()));
  }
  const std::size_t rays = log.rays();
  const RayFan fan = RayFan::planar(log.azimuth_rad);
  BeamData data;
  std::vector<Pose> poses;
  for (const std::uint32_t scan : scans) {
    poses.push_back(log.pose[scan].at_height());
    const auto readings = log.scan(scan);
    data.reading_m.insert(data.reading_m.end(), readings.begin(), readings.end());
    data.scan.insert(data.scan.end(), rays, scan);
  }
  data.cell_m = expected.cell_m();
  data.expected_m.resize(data.reading_m.size());
  make_executor(compute.threads)->parallel_for(poses.size(), kScansAtOnce, [&](std::size_t begin, std::size_t end) {
    const std::span<float> ranges = std::span(data.expected_m).subspan(begin * rays, (end - begin) * rays);
    if (log.ray_offset.empty()) {
      expected.cast(std::span(poses).subspan(begin, end - begin), fan, max_range_m, ranges);
      return;
    }
    MovingRanges moving(expected, 1);
    for (std::size_t i = begin; i < end; ++i) {
      moving.follow(log.offsets(scans[i]));
      moving.cast({&poses[i], 1}, fan, max_range_m, ranges.subspan((i - begin) * rays, rays));
    }
  });
  return data;
}

namespace {

constexpr std::size_t kPlacesAtOnce = 64;

/// Turns x into a direction of the x-y plane: by the half angle, from the larger of the sums that it follows from.
Quaternion towards(double x, double y) {
  const Quaternion half = x > 0.0 ? Quaternion{1.0 + x, 0.0, 0.0, y} : Quaternion{y, 0.0, 0.0, 1.0 - x};
  return normalized(half);
}

}  // namespace

MovingRanges::MovingRanges(const ExpectedRanges& of, std::size_t step)
    : of_(of), step_(step), ahead_(RayFan::planar(std::array{0.0})) {}

void MovingRanges::cast(std::span<const Pose> world_from_sensor, const RayFan& rays, double max_range_m,
                        std::span<float> range_m) const {
  if (offsets_.empty()) return of_.cast(world_from_sensor, rays, max_range_m, range_m);
  std::array<Pose, kPlacesAtOnce> poses;
  for (std::size_t p = 0; p < world_from_sensor.size(); ++p) {
    for (std::size_t begin = 0; begin < rays.size(); begin += kPlacesAtOnce) {
      const std::size_t count = std::min(kPlacesAtOnce, rays.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        const ScanLog::RayOffset& offset = offsets_[(begin + i) * step_];
        const auto [s, c] = math::sincos(0.5 * double{offset.yaw_rad});
        const Pose sensor_from_moved = {{offset.x_m, offset.y_m, 0.0}, {c, 0.0, 0.0, s}};
        poses[i] = world_from_sensor[p] * sensor_from_moved;
        poses[i].rotation = poses[i].rotation * towards(rays.x[begin + i], rays.y[begin + i]);
      }
      of_.cast(std::span(poses).first(count), ahead_, max_range_m, range_m.subspan(p * rays.size() + begin, count));
    }
  }
}

namespace {

constexpr double kLeastStepM = 0.25;    // shorter ones may be jitter of the poses
constexpr double kTurnM = 1.0;          // that 1 rad counts as
constexpr double kMostUsualSteps = 10;  // of a step: beyond lies another log, or a pose that jumped
constexpr double kRounding = 1e-9;      // of blocks

double distance_m(const PlanarPose& a, const PlanarPose& b) { return std::hypot(b.x_m - a.x_m, b.y_m - a.y_m); }

double way_between_m(const PlanarPose& a, const PlanarPose& b) {
  return distance_m(a, b) + kTurnM * std::abs(std::remainder(b.yaw_rad - a.yaw_rad, 2.0 * std::numbers::pi));
}

/// Between scans that are kLeastStepM apart or more, and to the last one.
struct WayStep {
  std::size_t to;
  double length_m;
  bool is_usual;  ///< neither a rest of the way nor a jump
};

std::vector<WayStep> steps_of(std::span<const PlanarPose> poses) {
  std::vector<WayStep> steps;
  std::size_t from = 0;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    // The scans before a jump are of one place: the whole way is that of the jump.
    const bool is_jump = i - 1 > from && way_between_m(poses[i - 1], poses[i]) >= kLeastStepM;
    double step_m = way_between_m(poses[from], poses[i]);
    if (is_jump) steps.push_back({i - 1, 0.0, false}), from = i - 1;
    if (step_m < kLeastStepM && i + 1 < poses.size()) continue;
    const bool is_usual = step_m >= kLeastStepM;
    if (!is_usual && !steps.empty() && !steps.back().is_usual) step_m = 0.0;  // it waited since a jump
    steps.push_back({i, step_m, !is_jump && is_usual}), from = i;
  }
  return steps;
}

void cut_jumps(std::vector<WayStep>& steps) {
  std::vector<double> usual;
  for (const WayStep& step : steps) {
    if (step.is_usual) usual.push_back(step.length_m);
  }
  if (usual.empty()) usual.push_back(kLeastStepM);
  const double most_m = kMostUsualSteps * median(usual);
  for (WayStep& step : steps) step.length_m = std::min(step.length_m, most_m);
}

/// [scans], from 0; even between the ends of a step.
std::vector<double> way_to_each(std::span<const PlanarPose> poses) {
  std::vector<WayStep> steps = steps_of(poses);
  std::vector<double> way(poses.size());
  if (steps.empty()) return way;
  cut_jumps(steps);
  std::size_t from = 0;
  for (const WayStep& step : steps) {
    const double each_m = step.length_m / static_cast<double>(step.to - from), before_m = way[from];
    for (std::size_t i = from + 1; i <= step.to; ++i) way[i] = before_m + each_m * static_cast<double>(i - from);
    from = step.to;
  }
  return way;
}

}  // namespace

bool are_of_one_place(std::span<const PlanarPose> poses) {
  return std::ranges::all_of(poses,
                             [&](const PlanarPose& pose) { return distance_m(poses.front(), pose) < kLeastStepM; });
}

std::vector<std::uint32_t> blocks_of_way(std::span<const PlanarPose> poses, std::size_t most) {
  std::vector<std::uint32_t> block(poses.size());
  if (are_of_one_place(poses)) return block;
  const std::vector<double> way = way_to_each(poses);
  const auto scans = static_cast<double>(poses.size());
  const double all_m = way.back() * scans / (scans - 1.0);  // the last scan stands for as much as the others
  const double blocks =
      std::clamp(std::floor(all_m / kLeastStepM + kRounding), 1.0, static_cast<double>(std::max<std::size_t>(1, most)));
  double last = 0.0;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const double at = std::min(blocks - 1.0, std::floor(way[i] / all_m * blocks + kRounding));
    block[i] = block[i - 1] + (at > last ? 1 : 0);
    last = at;
  }
  return block;
}

}  // namespace fathom

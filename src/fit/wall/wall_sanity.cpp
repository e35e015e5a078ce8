// SPDX-License-Identifier: MIT
// Checks of the frames of a wall and of the options of their fit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/fit/wall.hpp>
#include <fathom/noise/disparity.hpp>

#include "core/numbers.hpp"
#include "fit/beam/no_return_pile.hpp"
#include "fit/wall/wall_work.hpp"

namespace fathom {

namespace {

constexpr double kMostPx = 1e7, kMostM = 1e6, kQuarterRad = 1.5708;

void check_within(const char* name, double value, double low, double high, const char* unit) {
  if (value >= low && value <= high) return;
  throw InputError(Setting{name}, fmt::format(" = {} is not in [{:g}, {:g}] {}", value, low, high, unit));
}

void check_count(std::size_t given, const char* what, std::size_t frames) {
  if (given != 0 && given != frames) throw InputError(fmt::format("{} {} given for {} frames", given, what, frames));
}

void check_lidar(const WallSensor& sensor, const WallSensor::Lidar& lidar) {
  const std::size_t rays = sensor.rays();
  if (sensor.rows < 2 || sensor.cols < 2) {
    throw InputError(
        fmt::format("a lidar of {} x {} rays: a plane needs two rows and two columns", sensor.rows, sensor.cols));
  }
  if (lidar.direction.size() != rays || lidar.ring.size() != rays ||
      (!lidar.origin_m.empty() && lidar.origin_m.size() != rays)) {
    throw InputError(fmt::format("a lidar of {} x {} rays has {} directions, {} rings and {} origins", sensor.rows,
                                 sensor.cols, lidar.direction.size(), lidar.ring.size(), lidar.origin_m.size()));
  }
  check_within("min_range_m", lidar.min_range_m, 0.0, kMostM, "m");
  for (std::size_t i = 0; i < rays; ++i) {
    if (!(std::abs(norm(lidar.direction[i]) - 1.0) <= 1e-3)) {
      throw InputError(fmt::format("direction of ray {} is no unit vector", i));
    }
    if (!lidar.origin_m.empty()) check_within("origin_m", norm(lidar.origin_m[i]), 0.0, kMostM, "m");
  }
}

void check_sensor(const WallSensor& sensor) {
  if (sensor.rays() == 0) {
    throw InputError(fmt::format("a sensor of {} x {} rays has no ray", sensor.rows, sensor.cols));
  }
  check_within("max_range_m", sensor.max_range_m, 0.0, kMostM, "m");
  if (sensor.camera && sensor.lidar) throw InputError("a sensor is both a camera and a lidar");
  if (sensor.camera) {
    const WallSensor::Camera& camera = *sensor.camera;
    check_within("fx_px", camera.fx_px, 1e-3, kMostPx, "px");
    check_within("fy_px", camera.fy_px, 1e-3, kMostPx, "px");
    // That of a part of an image may lie beside it.
    check_within("cx_px", camera.cx_px, -1.0 * sensor.cols, 2.0 * sensor.cols, "px");
    check_within("cy_px", camera.cy_px, -1.0 * sensor.rows, 2.0 * sensor.rows, "px");
    check_within("baseline_m", camera.baseline_m, 0.0, 1e3, "m");
    return;
  }
  if (sensor.lidar) return check_lidar(sensor, *sensor.lidar);
  if (sensor.rows != 1 || sensor.azimuth_rad.size() != sensor.cols) {
    throw InputError(fmt::format("a laser of {} x {} rays has {} azimuths, and one row", sensor.rows, sensor.cols,
                                 sensor.azimuth_rad.size()));
  }
  for (const double azimuth : sensor.azimuth_rad) check_within("azimuth_rad", azimuth, -100.0, 100.0, "rad");
}

void check_turns(const WallFrames& frames, const WallFrames::Turns& turns) {
  const std::size_t count = frames.frames(), rays = frames.measured_m.size();
  if (!frames.sensor.lidar) throw InputError("turns are for a lidar, and the sensor is no lidar");
  if (turns.azimuth_rad.size() != rays || turns.elevation_rad.size() != rays || turns.cols.size() != count ||
      (!turns.why_not.empty() && turns.why_not.size() != count)) {
    throw InputError(fmt::format("{} azimuths, {} elevations and {} numbers of columns say how {} rays of {} turns lie",
                                 turns.azimuth_rad.size(), turns.elevation_rad.size(), turns.cols.size(), rays, count));
  }
  for (std::size_t f = 0; f < count; ++f) {
    if (turns.cols[f] >= 1 && turns.cols[f] <= frames.sensor.cols) continue;
    throw InputError(
        fmt::format("turn {} has {} columns, which is not in [1, {}]", f, turns.cols[f], frames.sensor.cols));
  }
  for (std::size_t i = 0; i < rays; ++i) {
    check_within("azimuth_rad", double{turns.azimuth_rad[i]}, -100.0, 100.0, "rad");
    check_within("elevation_rad", double{turns.elevation_rad[i]}, -kQuarterRad, kQuarterRad, "rad");
  }
}

constexpr double kMostSteps = 256.0;  // no matcher interpolates finer
constexpr std::size_t kLeastSeenLevels = 20, kReadingsPerLevel = 10, kLeastNeighbours = 5;
constexpr double kMostOfLimit = 0.9;  // of a parameter: learned values are a little larger than measured ones
constexpr double kNearestWallM = 0.02, kFarthestWallM = 200.0;
constexpr double kMovedSquare = 50.0;  // of a chi square of 2 or 3 degrees
constexpr double kMostMoved = 0.6;     // where two frames are of one place it is half

/// The frame whose wall is in the middle by distance. At least one plane is found.
std::size_t middle_frame(std::span<const WallMeasure::Plane> planes) {
  std::vector<std::size_t> found;
  for (std::size_t f = 0; f < planes.size(); ++f) {
    if (planes[f].is_found) found.push_back(f);
  }
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::ranges::nth_element(found, middle, {}, [&](std::size_t f) { return planes[f].distance_m; });
  return *middle;
}

std::string wall_words(const WallFrames& frames, std::size_t frame, double distance_m) {
  return fmt::format("{}: its wall is {} m away", name_of(frames, frame), rough(distance_m));
}

/// What depths depend on: the levels of images that have some.
Message levels_of(const WallFrames& frames) {
  return frames.half_step_m > 0.0
             ? Message(Setting{"levels_per_m"}, fmt::format(" = {:.10g}", 0.5 / frames.half_step_m))
             : Message("the unit of the depths");
}

/// By how many steps neighbours among the levels that were seen differ in the median; 0: too few were seen.
double usual_gap(const WallFrames& frames, const WallWork& work, double steps_per_px) {
  std::vector<std::int64_t> levels;
  for (std::size_t i = 0; i < frames.measured_m.size(); ++i) {
    if (work.measure.pixels[i] != WallMeasure::Pixel::kWall) continue;
    levels.push_back(std::llround(work.rays.focal_baseline_px_m / double{frames.measured_m[i]} * steps_per_px));
  }
  const std::size_t readings = levels.size();
  std::ranges::sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (levels.size() < kLeastSeenLevels || readings < kReadingsPerLevel * levels.size()) return 0.0;
  std::vector<double> gaps;
  for (std::size_t k = 1; k < levels.size(); ++k) gaps.push_back(static_cast<double>(levels[k] - levels[k - 1]));
  return median(gaps);
}

/// The squared difference of two planes by its covariance; empty if readings do not determine it.
std::optional<double> square_apart(const WallPlaneFit& a, const WallPlaneFit& b) {
  const Eigen::Matrix3d both = a.covariance + b.covariance;
  const auto inverse = plane_inverse(both, both(2, 2) > 0.0 ? 3 : 2);
  if (!inverse) return std::nullopt;
  return quadratic_form(*inverse, a.m - b.m);
}

/// Of a planar laser: whether a value beyond all others, off the wall, means that nothing came back.
Message no_return_code_flag(const WallFrames& frames, const WallWork& work) {
  if (!work.rays.is_planar || frames.sensor.lidar) return "";
  const std::size_t rays = work.rays.size();
  NoReturnPile pile;
  std::vector<float> others(rays);
  for (std::size_t f = 0; f < frames.frames(); ++f) {
    for (std::size_t i = 0; i < rays; ++i) {
      const float reading = frames.measured_m[f * rays + i];
      const bool is_other =
          is_reading(work.rays, i, reading) && work.measure.pixels[f * rays + i] != WallMeasure::Pixel::kWall;
      others[i] = is_other ? reading : std::numeric_limits<float>::quiet_NaN();
    }
    pile.add(others);
  }
  const double max_range_m = frames.sensor.max_range_m;
  const NoReturnPile::Code code = pile.code(max_range_m > 0.0 ? max_range_m : std::numeric_limits<double>::infinity());
  if (!(code.value_m > 0.0)) return "";
  return Message(code.words(), ", and they are lost; now they count as another surface");
}

/// Whether no camera has the steps of the disparity that were read off its levels: then focal length times
/// baseline is another.
std::string levels_flag(const WallFrames& frames, const WallWork& work, double steps_per_px) {
  if (!(steps_per_px > 0.0)) return "";
  const double gap = usual_gap(frames, work, steps_per_px);
  if (steps_per_px <= kMostSteps && gap < 2.0) return "";
  const std::string seen = gap >= 2.0 ? fmt::format(", only one in {:.0f} ever seen", gap) : "";
  return fmt::format(
      "{:g} steps of the disparity in a px{}, are no steps of a camera: focal length times baseline, {:.6g} px m, may "
      "be "
      "wrong, and distances and deviation with it",
      steps_per_px, seen, work.rays.focal_baseline_px_m);
}

}  // namespace

void validate(const WallOptions& options) {
  validate(ChainFitOptions{.hold_out = options.hold_out, .block_frames = options.block_frames});
  check_within("rate_hz", options.rate_hz, 1e-3, 1e6, "Hz");
  if (options.most_returns < 1000) {
    throw InputError(Setting{"max_returns"}, fmt::format(" = {} is not at least 1000", options.most_returns));
  }
  validate(Compute{.threads = options.threads});
}

void validate(const WallFrames& frames) {
  check_sensor(frames.sensor);
  const std::size_t rays = frames.sensor.rays(), count = frames.frames();
  if (count == 0 || frames.measured_m.size() != count * rays) {
    throw InputError(fmt::format("{} measured values are no whole number of frames of {} x {} rays",
                                 frames.measured_m.size(), frames.sensor.rows, frames.sensor.cols));
  }
  if (count > std::numeric_limits<std::uint32_t>::max()) throw InputError(fmt::format("{} frames are too many", count));
  check_count(frames.names.size(), "names", count);
  check_count(frames.tape_m.size(), "distances", count);
  for (std::size_t f = 0; f < frames.tape_m.size(); ++f) {
    if (std::isnan(frames.tape_m[f])) continue;
    check_within(fmt::format("distance of {}", name_of(frames, f)).c_str(), frames.tape_m[f], WallFrames::kLeastTapeM,
                 WallFrames::kMostTapeM, "m");
  }
  const std::size_t out = frames.left_out.size();
  if (out != 0 && out != rays && out != count * rays) {
    throw InputError(fmt::format("{} numbers leave out rays of {} frames of {} x {} rays", out, count,
                                 frames.sensor.rows, frames.sensor.cols));
  }
  check_within("half_step_m", frames.half_step_m, 0.0, 1.0, "m");
  if (frames.turns) check_turns(frames, *frames.turns);
}

std::string rough(double value) { return value >= 100.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value); }

void check_depths(const WallFrames& frames, const WallWork& work) {
  if (!frames.sensor.camera) return;
  const std::vector<WallMeasure::Plane>& planes = work.measure.planes;
  const std::size_t middle = middle_frame(planes);
  const std::string words = wall_words(frames, middle, planes[middle].distance_m);
  const double max_range_m = frames.sensor.max_range_m;
  const auto within = std::ranges::count_if(
      planes, [&](const WallMeasure::Plane& plane) { return plane.is_found && plane.distance_m < max_range_m; });
  if (max_range_m > 0.0 && static_cast<double>(within) < kLeastShown * static_cast<double>(planes.size())) {
    throw InputError(words, ", beyond ", Setting{"max_range_m"},
                     fmt::format(" = {:g}, and {} of {} frames show one within it: see whether ", max_range_m, within,
                                 planes.size()),
                     levels_of(frames), " is right");
  }
  const double deviation_px = work.scale.constant, most_px = kMostOfLimit * Disparity::fields()[1].high;
  if (!work.rays.has_disparity() || deviation_px <= most_px) return;
  throw InputError(words,
                   fmt::format(", and disparities deviate by {:.3g} px, where {:g} px is the most: see whether ",
                               deviation_px, most_px),
                   levels_of(frames), ", focal length and baseline are right");
}

Message depths_flag(const WallFrames& frames, std::span<const WallMeasure::Plane> planes) {
  if (!frames.sensor.camera) return "";
  const std::size_t middle = middle_frame(planes);
  const double distance_m = planes[middle].distance_m;
  const std::string words = wall_words(frames, middle, distance_m);
  const double px = frames.sensor.camera->fx_px * frames.sensor.camera->baseline_m / distance_m;
  if (px > static_cast<double>(frames.sensor.cols)) {
    return Message(words,
                   fmt::format(", where the disparity is {:.3g} px, and the image {} px wide: see whether ", px,
                               frames.sensor.cols),
                   levels_of(frames), ", focal length and baseline are right");
  }
  if (frames.half_step_m == 0.0 || (distance_m >= kNearestWallM && distance_m <= kFarthestWallM)) return "";
  return Message(words, " by its readings: see whether ", levels_of(frames), " is right");
}

std::vector<Finding> sanity_findings(const WallFrames& frames, const WallWork& work, double steps_per_px) {
  std::vector<Finding> findings = {
      {Finding::Severity::kUnusable, "wrong_unit", depths_flag(frames, work.measure.planes)},
      {Finding::Severity::kNote, "no_return_code", no_return_code_flag(frames, work)},
      {Finding::Severity::kNote, "wrong_unit", levels_flag(frames, work, steps_per_px)}};
  std::erase_if(findings, [](const Finding& f) { return f.text.empty(); });
  return findings;
}

std::string moving_wall_flag(const WallWork& work, double sum) {
  std::size_t pairs = 0, moved = 0;
  for (std::size_t f = 1; f < work.fits.size(); ++f) {
    if (!work.fits[f] || !work.fits[f - 1]) continue;
    const auto square = square_apart(*work.fits[f - 1], *work.fits[f]);
    if (!square) continue;
    ++pairs, moved += *square > kMovedSquare * std::max(1.0, sum) ? 1 : 0;
  }
  if (pairs < kLeastNeighbours || !(static_cast<double>(moved) > kMostMoved * static_cast<double>(pairs))) return "";
  return fmt::format(
      "the wall moves between frames: {} of {} planes are not that of the frame before, so that frames are not still; "
      "the correlation in time is not known",
      moved, pairs);
}

}  // namespace fathom

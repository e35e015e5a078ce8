// SPDX-License-Identifier: MIT
// What frames of a wall and the options of their fit have to be.

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/base/compute.hpp>
#include <fathom/base/error.hpp>
#include <fathom/calibrate/wall.hpp>

namespace fathom {

namespace {

constexpr double kMostPx = 1e7, kMostM = 1e6, kQuarterRad = 1.5708;

void check_within(const char* name, double value, double low, double high, const char* unit) {
  if (value >= low && value <= high) return;
  throw InputError(Setting{name}, fmt::format(" = {} is not in [{:g}, {:g}] {}", value, low, high, unit));
}

void check_lidar(const WallSensor& sensor, const WallLidar& lidar) {
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
    throw InputError(fmt::format("a sensor of {} x {} rays has none", sensor.rows, sensor.cols));
  }
  check_within("max_range_m", sensor.max_range_m, 0.0, kMostM, "m");
  if (sensor.camera && sensor.lidar) throw InputError("a sensor is both a camera and a lidar");
  if (sensor.camera) {
    const WallCamera& camera = *sensor.camera;
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

void check_turns(const WallFrames& frames, const WallTurns& turns) {
  const std::size_t count = frames.frames(), rays = frames.measured_m.size();
  if (!frames.sensor.lidar) throw InputError("turns are those of a lidar, and there is none");
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

}  // namespace

void validate(const WallOptions& options) {
  validate(ChainFitOptions{.hold_out = options.hold_out, .block_frames = options.block_frames});
  check_within("rate_hz", options.rate_hz, 1e-3, 1e6, "Hz");
  if (options.most_returns < 1000) {
    throw InputError(Setting{"most_returns"}, fmt::format(" = {} is not at least 1000", options.most_returns));
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
  if (!frames.names.empty() && frames.names.size() != count) {
    throw InputError(fmt::format("{} names given for {} frames", frames.names.size(), count));
  }
  if (!frames.tape_m.empty() && frames.tape_m.size() != count) {
    throw InputError(fmt::format("{} distances given for {} frames", frames.tape_m.size(), count));
  }
  for (std::size_t f = 0; f < frames.tape_m.size(); ++f) {
    if (std::isnan(frames.tape_m[f])) continue;
    const std::string name = frames.names.empty() ? fmt::format("frame {}", f) : frames.names[f];
    check_within(fmt::format("distance of {}", name).c_str(), frames.tape_m[f], WallFrames::kLeastTapeM,
                 WallFrames::kMostTapeM, "m");
  }
  const std::size_t out = frames.left_out.size();
  if (out != 0 && out != rays && out != count * rays) {
    throw InputError(fmt::format("{} numbers say what is left out of {} frames of {} x {} rays", out, count,
                                 frames.sensor.rows, frames.sensor.cols));
  }
  check_within("half_step_m", frames.half_step_m, 0.0, 1.0, "m");
  if (frames.turns) check_turns(frames, *frames.turns);
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include "simulate/counted_run.hpp"

#include <chrono>
#include <utility>

#include "base/frame_writer.hpp"

namespace fathom {

namespace {

using CountClock = std::chrono::steady_clock;

}  // namespace

CountedRun::CountedRun(const SceneSetup& setup, PreparedRun& run, bool digests)
    : setup_(setup), run_(run), digests_(digests) {
  begin();
}

void CountedRun::begin() {
  counts_ = {};
  counts_.seed = run_.episode.seed;
  counts_.environment = run_.episode.environment;
  counts_.episode = run_.episode.episode;
  counts_.drawn = run_.drawn;
  std::vector<CountedSensor> before = std::move(sensors_);
  sensors_.clear();
  for (std::size_t i = 0; i < run_.sensors.size(); ++i) {
    const RunSensor& sensor = run_.sensors[i];
    const Sensor& description = run_.simulator.sensor(sensor.id);
    counts_.sensors.push_back(begun_counts(sensor));
    const bool reuse = i < before.size() && before[i].frame.channels() == sensor.channels;
    sensors_.push_back({.frame = reuse ? std::move(before[i].frame) : Frame(sensor.channels),
                        .carrier = CarrierWatch(setup_.scene, description),
                        .far_points = FarPoints(description.name, setup_.sensors[i].outputs)});
  }
}

SensorCounts CountedRun::begun_counts(const RunSensor& sensor) const {
  SensorCounts counts;
  counts.id = sensor.id;
  counts.name = run_.simulator.sensor(sensor.id).name;
  counts.drawn = sensor.drawn;
  return counts;
}

const Frame& CountedRun::render(std::size_t sensor, std::uint32_t index) {
  const RunSensor& of = run_.sensors[sensor];
  const FrameTime time = run_.simulator.frame_time(of.id, index);
  SensorCounts& counts = counts_.sensors[sensor];
  CountedSensor& counted = sensors_[sensor];
  if (run_.simulator.sensor(of.id).timing != Timing()) counts.times.push_back(time);
  if (time.is_dropped()) {
    mask(time, of, counted.frame);
    return counted.frame;
  }
  const CountClock::time_point begin = CountClock::now();
  run_.simulator.render(of.id, index, counted.frame);
  const std::chrono::duration<double> seconds = CountClock::now() - begin;
  watch_carrier(of, index, count(counted.frame, seconds.count(), counts), counted);
  ++counted.delivered;
  if (digests_) counted.digest.add(counted.frame);
  counted.far_points.add(run_.simulator.world_from_sensor(of.id, counted.frame.stamp_s()).translation_m);
  return counted.frame;
}

void CountedRun::mask(const FrameTime& time, const RunSensor& sensor, Frame& frame) const {
  const RayPattern& rays = run_.simulator.pattern(sensor.id, time.index);
  FrameWriter writer(frame);
  writer.resize(rays.rows, rays.cols, static_cast<std::uint32_t>(run_.simulator.sensor(sensor.id).returns.size()));
  writer.mask_all();
  writer.set_time(time.index, time.content, time.stamp_s, time.delivered_s);
}

ReasonCounts CountedRun::count(const Frame& frame, double seconds, SensorCounts& counts) {
  counts.rows = frame.rows();
  counts.cols = frame.cols();
  counts.rays += frame.rays();
  counts.seconds += seconds;
  const ReasonCounts reasons = frame.count_reasons();
  for (std::size_t r = 0; r < reasons.size(); ++r) counts.reasons[r] += reasons[r];
  counts_.progress.rays_done += frame.rays();
  counts_.progress.cast_seconds += seconds;
  return reasons;
}

/// Adds the channels of the watch once a frame is nearly all below the minimum range, and keeps them for the episode.
void CountedRun::watch_carrier(const RunSensor& sensor, std::uint32_t index, const ReasonCounts& reasons,
                               CountedSensor& counted) {
  if (!counted.carrier.suspects(reasons)) return;
  const ChannelSet wanted = counted.frame.channels() | counted.carrier.channels();
  if (wanted != counted.frame.channels()) {
    counted.frame = Frame(wanted);
    run_.simulator.render(sensor.id, index, counted.frame);
  }
  counted.carrier.count(counted.frame, run_.simulator.pattern(sensor.id, counted.frame.content_index()).min_range_m);
}

RunCounts& CountedRun::end() {
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const CountedSensor& sensor = sensors_[i];
    if (const auto warning = sensor.carrier.warning(sensor.delivered)) counts_.warnings.push_back(*warning);
    if (const auto warning = sensor.far_points.warning()) counts_.warnings.push_back(*warning);
    if (digests_) counts_.sensors[i].digest = sensor.digest.text();
  }
  return counts_;
}

}  // namespace fathom

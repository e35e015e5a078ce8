// SPDX-License-Identifier: MIT
#include "simulate/frame_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/simulator_options.hpp"

namespace fathom {

FrameSchedule::FrameSchedule(const Simulator& simulator, std::uint32_t sensors, std::uint32_t scene_frames)
    : simulator_(simulator) {
  constexpr std::uint64_t kMostFrames = std::numeric_limits<std::uint32_t>::max();
  streams_.push_back({event_of({}, 0), scene_frames});
  for (std::uint32_t i = 0; i < sensors; ++i) {
    const Timing& timing = simulator.sensor(SensorId{i}).timing;
    const std::uint64_t frames = count_frames(timing, clock_of(simulator.options()), scene_frames);
    streams_.push_back({{}, std::min(frames, kMostFrames)});
    if (frames > 0) streams_.back().next = event_of(SensorId{i}, 0);
  }
}

FrameEvent FrameSchedule::event_of(std::optional<SensorId> sensor, std::uint32_t index) const {
  if (!sensor) return {simulator_.stamp_s(index), index, {}, {}};
  const FrameTime time = simulator_.frame_time(*sensor, index);
  // What is dropped keeps its place among the others.
  const double place_s =
      time.is_dropped() ? time.stamp_s + simulator_.sensor(*sensor).timing.latency_s : time.delivered_s;
  return {place_s, index, sensor, time};
}

void FrameSchedule::advance(Stream& stream) {
  const std::uint64_t index = std::uint64_t{stream.next->index} + 1;
  stream.next = index < stream.count ? std::optional(event_of(stream.next->sensor, static_cast<std::uint32_t>(index)))
                                     : std::nullopt;
}

FrameSchedule::Stream* FrameSchedule::earliest() {
  Stream* found = nullptr;
  for (Stream& stream : streams_) {
    if (stream.next && (found == nullptr || stream.next->time_s < found->next->time_s)) found = &stream;
  }
  return found;
}

std::optional<FrameEvent> FrameSchedule::next() {
  Stream* const stream = earliest();
  if (stream == nullptr) return std::nullopt;
  std::optional<FrameEvent> event = stream->next;
  advance(*stream);
  return event;
}

const std::vector<FrameEvent>& FrameSchedule::next_together() {
  together_.clear();
  for (Stream* stream = earliest(); stream != nullptr; stream = earliest()) {
    if (!together_.empty() && stream->next->time_s != together_.front().time_s) break;
    together_.push_back(*next());
  }
  return together_;
}

std::optional<FrameTime> last_delivered(const Simulator& simulator, SensorId sensor, double time_s) {
  const Timing& timing = simulator.sensor(sensor).timing;
  const SceneClock clock = clock_of(simulator.options());
  const double rate_hz = timing.rate_hz.value_or(clock.rate_hz);
  const double frames = (time_s - clock.start_s - timing.phase_s - timing.latency_s) * rate_hz;
  // Jitter and rounding move a frame by at most half a period and a bit.
  const double first = std::min(std::floor(frames) + 2.0, double{std::numeric_limits<std::uint32_t>::max()});
  for (double k = first; k >= 0.0; --k) {
    const FrameTime time = simulator.frame_time(sensor, static_cast<std::uint32_t>(k));
    if (time.delivered_s <= time_s) return time;  // NaN fails
  }
  return std::nullopt;
}

}  // namespace fathom

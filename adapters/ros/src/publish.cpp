// SPDX-License-Identifier: MIT
#include <fathom/ros/publish.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "ros/participant.hpp"
#include "run/prepare_run.hpp"
#include "run/sensor_topics.hpp"

namespace fathom {

namespace {

using PublishClock = std::chrono::steady_clock;

constexpr double kPatienceS = 0.02;  // between checks of should_stop
constexpr double kFlushS = 0.5;      // for the last messages, while there are readers

double seconds_from(PublishClock::time_point begin) {
  return std::chrono::duration<double>(PublishClock::now() - begin).count();
}

/// The topics of a scene in DDS.
class TopicSink final : public MessageSink {
 public:
  TopicSink(const TopicDomain& domain, bool sensor_data)
      : participant_(open_participant(domain)), sensor_data_(sensor_data) {}

  std::uint16_t add_topic(std::string_view topic, const MessageType& type) override {
    const bool of_sensor = topic != "/clock" && topic != "/tf" && topic != "/tf_static";
    const std::uint16_t id = participant_->add_writer(topic, type, quality_of(topic, of_sensor));
    if (of_sensor) sensors_.push_back(id);
    return id;
  }
  void write(std::uint16_t topic, std::uint64_t /*time_ns*/, std::string bytes) override {
    ++messages_, bytes_ += bytes.size();
    participant_->write(topic, std::move(bytes));
  }

  [[nodiscard]] bool has_readers() const {
    return std::all_of(sensors_.begin(), sensors_.end(),
                       [this](std::uint16_t id) { return participant_->readers(id) > 0; });
  }
  void flush() { participant_->flush(kFlushS); }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] TopicQuality quality_of(std::string_view topic, bool of_sensor) const {
    if (topic == "/clock") return kClockQuality;
    if (topic == "/tf_static") return kStaticTfQuality;
    return of_sensor && sensor_data_ ? kSensorDataQuality : TopicQuality{};
  }

  std::unique_ptr<Participant> participant_;
  bool sensor_data_;
  std::vector<std::uint16_t> sensors_;
  std::uint64_t messages_ = 0, bytes_ = 0;
};

class Publisher {
 public:
  Publisher(const SceneSetup& setup, const PublishOptions& options)
      : options_(options),
        simulator_(make_simulator((check(setup, options), setup), options.run)),
        topics_(simulator_, setup.sensors),
        sink_(options.domain, options.sensor_data) {
    for (const SensorSetup& sensor : setup.sensors) frames_.emplace_back(SensorTopics::channels(sensor));
    topics_.open(sink_);
  }

  PublishResult run() {
    try {
      while (options_.wait && !sink_.has_readers()) pause(kPatienceS);
      FrameSchedule schedule(simulator_, static_cast<std::uint32_t>(frames_.size()),
                             options_.run.frames.value_or(kMaxFrames));
      begin_ = PublishClock::now();
      for (const auto* events = &schedule.next_together(); !events->empty(); events = &schedule.next_together()) {
        publish(*events);
      }
      sink_.flush();
    } catch (const Interrupted&) {
      // The frames that were published are whole.
    }
    return result_;
  }

 private:
  static void check(const SceneSetup& setup, const PublishOptions& options) {
    if (setup.sensors.empty()) throw InputError("the scene has no sensor");
    if (!(options.speed > 0)) throw InputError(fmt::format("speed {} is not above 0", options.speed));
    check_frames(options.run.frames.value_or(1));
  }

  void pause(double seconds) const {
    if (options_.run.should_stop && options_.run.should_stop()) throw Interrupted("publishing was stopped");
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }

  /// Publishes the events of one time. Casts first, so that messages are on time.
  void publish(const std::vector<FrameEvent>& events) {
    pause(0);
    const PublishClock::time_point begin = PublishClock::now();
    for (const FrameEvent& event : events) {
      if (arrives(event)) simulator_.render(*event.sensor, event.index, frames_[index(*event.sensor)]);
    }
    result_.cast_seconds += seconds_from(begin);
    wait_for(events.front().time_s);
    const PublishClock::time_point send = PublishClock::now();
    for (const FrameEvent& event : events) {
      if (event.is_of_scene()) topics_.begin_frame(event.index);
      if (arrives(event)) topics_.add(*event.sensor, frames_[index(*event.sensor)]);
    }
    result_.send_seconds += seconds_from(send);
    if (events.front().is_of_scene()) result_.frames = events.front().index + 1;
    result_.messages = sink_.messages(), result_.bytes = sink_.bytes();
    result_.seconds = seconds_from(begin_);
    if (options_.on_progress && events.front().is_of_scene()) options_.on_progress(result_);
  }

  static bool arrives(const FrameEvent& event) { return !event.is_of_scene() && !event.time.is_dropped(); }

  void wait_for(double time_s) {
    const double period_s = 1.0 / (simulator_.options().rate_hz * options_.speed);
    const double due_s = delay_s_ + (time_s - simulator_.options().start_s) / options_.speed;
    double left_s = due_s - seconds_from(begin_);
    if (left_s < -period_s && std::isfinite(options_.speed)) {
      delay_s_ -= left_s;
      ++result_.late;
    }
    for (; left_s > 0; left_s = due_s - seconds_from(begin_)) pause(std::min(left_s, kPatienceS));
  }

  const PublishOptions& options_;
  Simulator simulator_;
  SensorTopics topics_;
  TopicSink sink_;
  std::vector<Frame> frames_;
  PublishClock::time_point begin_;
  double delay_s_ = 0;  ///< of frame 0 after begin_: the sum of delays of late frames
  PublishResult result_;
};

}  // namespace

PublishResult publish_scene(const SceneSetup& setup, const PublishOptions& options) {
  return within_memory(
      setup.file, [&] { return Publisher(setup, options).run(); }, "the run does not fit into memory");
}

}  // namespace fathom

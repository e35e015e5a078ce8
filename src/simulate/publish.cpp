// SPDX-License-Identifier: MIT
#include <fathom/simulate/publish.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "simulate/bag/sensor_topics.hpp"
#include "topic/participant.hpp"

namespace fathom {

namespace {

using PublishClock = std::chrono::steady_clock;

constexpr double kPatienceS = 0.02;  // between questions whether to stop
constexpr double kFlushS = 0.5;      // for the last messages, while readers are there

double seconds_from(PublishClock::time_point begin) {
  return std::chrono::duration<double>(PublishClock::now() - begin).count();
}

/// The topics of a scene in DDS.
class TopicSink final : public MessageSink {
 public:
  TopicSink(const TopicDomain& domain, bool sensor_data) : participant_(domain), sensor_data_(sensor_data) {}

  std::uint16_t add_topic(std::string_view topic, const MessageType& type) override {
    const bool of_sensor = topic != "/clock" && topic != "/tf" && topic != "/tf_static";
    const std::uint16_t id = participant_.add_writer(topic, type, quality_of(topic, of_sensor));
    if (of_sensor) sensors_.push_back(id);
    return id;
  }
  void write(std::uint16_t topic, std::uint64_t /*time_ns*/, std::string bytes) override {
    ++messages_, bytes_ += bytes.size();
    participant_.write(topic, std::move(bytes));
  }

  [[nodiscard]] bool has_readers() const {
    return std::all_of(sensors_.begin(), sensors_.end(),
                       [this](std::uint16_t id) { return participant_.readers(id) > 0; });
  }
  void flush() { participant_.flush(kFlushS); }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] TopicQuality quality_of(std::string_view topic, bool of_sensor) const {
    if (topic == "/clock") return kClockQuality;
    if (topic == "/tf_static") return kStaticTfQuality;
    return of_sensor && sensor_data_ ? kSensorDataQuality : TopicQuality{};
  }

  Participant participant_;
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
      const std::uint32_t frames = options_.run.frames.value_or(kMaxFrames);
      begin_ = PublishClock::now();
      for (std::uint32_t index = 0; index < frames; ++index) publish(index);
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
    const std::uint32_t frames = options.run.frames.value_or(1);
    if (frames < 1 || frames > kMaxFrames) {
      throw InputError(fmt::format("frames = {} is not in [1, {}]", frames, kMaxFrames));
    }
  }

  void pause(double seconds) const {
    if (options_.run.should_stop && options_.run.should_stop()) throw Interrupted("publishing was stopped");
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }

  /// Casts first, so that what is published at its time does not wait for that.
  void publish(std::uint32_t index) {
    pause(0);
    const PublishClock::time_point begin = PublishClock::now();
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      simulator_.render(static_cast<SensorId>(i), index, frames_[i]);
    }
    result_.cast_seconds += seconds_from(begin);
    wait_for(index);
    const PublishClock::time_point send = PublishClock::now();
    topics_.begin_frame(index);
    for (std::size_t i = 0; i < frames_.size(); ++i) topics_.add(static_cast<SensorId>(i), frames_[i]);
    result_.send_seconds += seconds_from(send);
    result_.frames = index + 1;
    result_.messages = sink_.messages(), result_.bytes = sink_.bytes();
    result_.seconds = seconds_from(begin_);
    if (options_.on_progress) options_.on_progress(result_);
  }

  void wait_for(std::uint32_t index) {
    const double period_s = 1.0 / (simulator_.options().rate_hz * options_.speed);
    const double due_s = delay_s_ + index * period_s;
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
  double delay_s_ = 0;  ///< of the frame 0, behind begin_: what late frames have cost
  PublishResult result_;
};

}  // namespace

PublishResult publish_scene(const SceneSetup& setup, const PublishOptions& options) {
  return Publisher(setup, options).run();
}

}  // namespace fathom

// SPDX-License-Identifier: MIT
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/ros/publish.hpp>

#include "io/message/message_type.hpp"
#include "io/message/sensors.hpp"
#include "ros/participant.hpp"
#include "run/message_noise.hpp"

namespace fathom {

namespace {

/// A filter between two topics.
class TopicNoise {
 public:
  TopicNoise(const Sensor& sensor, const ApplyTopicOptions& options)
      : options_(options),
        noise_((check(options), sensor), options),
        type_(noise_.own_type()),
        participant_(open_participant(options.domain)),
        in_(participant_->add_reader(options.topic, type_)),
        out_(participant_->add_writer(options.publish, type_, {})) {
    if (noise_.lacks_camera(type_.name)) info_ = participant_->add_reader(noise_.info_topic(), msg::CameraInfo::kType);
  }

  ApplyTopicResult run() {
    constexpr double kLookS = 0.02, kLastS = 0.5;  // between checks of should_stop; for the last messages
    while (!is_done()) {
      participant_->wait(kLookS);
      take_cameras();
      for (auto message = next(); message; message = is_done() ? std::nullopt : next()) {
        publish(*message);
        take_cameras();  // a slow chain never empties the queue
      }
    }
    participant_->flush(kLastS);
    return std::move(result_);
  }

 private:
  static void check(const ApplyTopicOptions& options) {
    if (options.topic != options.publish) return;
    throw InputError(printable(options.publish) + ": noisy messages need another topic than clean ones");
  }

  [[nodiscard]] bool is_done() const {
    const bool stops = options_.noise.should_stop && options_.noise.should_stop();
    return stops || (options_.messages && result_.messages >= *options_.messages);
  }

  void take_cameras() {
    if (!info_) return;
    while (const auto info = participant_->take(*info_)) {
      attempt([&] { noise_.set_camera(std::as_bytes(std::span(*info))); });
    }
  }

  /// The next message that can get noise. Without a camera the latest image waits.
  std::optional<std::string> next() {
    const bool waits = noise_.lacks_camera(type_.name);
    if (!waits && held_) return std::exchange(held_, std::nullopt);
    auto message = participant_->take(in_);
    while (waits && message) {
      if (held_) refuse("no CameraInfo has come on " + noise_.info_topic());
      held_ = std::exchange(message, participant_->take(in_));
    }
    return message;
  }

  void publish(const std::string& message) {
    attempt([&] {
      std::string noisy = noise_.apply(type_.name, result_.messages, std::as_bytes(std::span(message)));
      result_.bytes += noisy.size();
      participant_->write(out_, std::move(noisy));
      ++result_.messages;
    });
    if (options_.on_progress) options_.on_progress(result_);
  }

  /// A bad message must not end the filter.
  template <class F>
  void attempt(F f) {
    try {
      f();
    } catch (const InputError& error) {
      refuse(error.what());
    } catch (const Interrupted&) {
      // Within a frame; is_done() ends the loop.
    }
  }

  void refuse(const std::string& why) {
    if (result_.refused++ == 0) result_.refusal = why;
  }

  const ApplyTopicOptions& options_;
  MessageNoise noise_;
  const MessageType& type_;
  std::unique_ptr<Participant> participant_;
  std::uint16_t in_, out_;
  std::optional<std::uint16_t> info_;
  std::optional<std::string> held_;
  ApplyTopicResult result_;
};

}  // namespace

ApplyTopicResult apply_to_topic(const Sensor& sensor, const ApplyTopicOptions& options) {
  return TopicNoise(sensor, options).run();
}

}  // namespace fathom

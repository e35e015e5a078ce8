// SPDX-License-Identifier: MIT
#pragma once
// The source of a live page, a simulated scene, a given image or cloud, or files of a run, and the clock that plays its
// frames.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/live/live.hpp>

#include "live/topic_hub.hpp"

namespace fathom {

/// Frames 0 to frames - 1; frame k is at start_s + k / rate_hz.
struct Timeline {
  std::uint32_t frames = 1;
  double rate_hz = 10.0, start_s = 0.0;

  [[nodiscard]] double time_s(std::uint32_t frame) const { return start_s + frame / rate_hz; }
};

inline constexpr double kLeastSpeed = 0.01, kMostSpeed = 100.0;

/// Determines the frame to show from real time and a speed. Frames 0 to frames - 1 repeat at `rate_hz`. A late frame is
/// skipped: time goes on.
class PlayClock {
 public:
  PlayClock(std::uint32_t frames, double rate_hz, LiveClock::time_point now);

  [[nodiscard]] std::uint32_t frame(LiveClock::time_point now) const;
  /// When the next frame begins; nothing while paused.
  [[nodiscard]] std::optional<LiveClock::time_point> next(LiveClock::time_point now) const;

  void pause(bool paused, LiveClock::time_point now);
  /// Pauses at the next frame.
  void step(LiveClock::time_point now);
  /// Throws InputError for a frame that does not exist.
  void seek(std::uint32_t frame, LiveClock::time_point now);
  /// Throws InputError unless kLeastSpeed <= speed <= kMostSpeed.
  void set_speed(double speed, LiveClock::time_point now);

  [[nodiscard]] bool is_paused() const { return paused_; }
  [[nodiscard]] double speed() const { return speed_; }

 private:
  /// Frames since frame 0, with the fraction of the present one that has passed.
  [[nodiscard]] double position(LiveClock::time_point now) const;
  void anchor(double position, LiveClock::time_point now);

  std::uint32_t frames_;
  double rate_hz_, speed_ = 1.0;
  bool paused_ = false;
  double anchor_ = 0;  ///< the position at anchored_
  LiveClock::time_point anchored_;
};

/// Used by one thread.
class LiveSource {
 public:
  LiveSource() = default;
  LiveSource(const LiveSource&) = delete;
  LiveSource& operator=(const LiveSource&) = delete;
  virtual ~LiveSource() = default;

  [[nodiscard]] virtual Timeline timeline() const = 0;
  [[nodiscard]] virtual std::vector<LiveTopic> topics() const = 0;
  /// "scene", "error", "sensors", "entities" of /fathom/state.
  [[nodiscard]] virtual nlohmann::ordered_json state() const = 0;
  /// The content of /fathom/knobs.
  [[nodiscard]] virtual nlohmann::ordered_json knobs() const = 0;
  [[nodiscard]] virtual std::vector<Parameter> parameters() const = 0;
  /// Throws InputError, and changes nothing, for an unknown name and for a value that the parameter does not take.
  virtual void set(const Parameter& parameter) = 0;
  /// Publishes a frame for the subscribers.
  virtual void show(std::uint32_t frame, TopicHub& hub) = 0;
  /// Whether files changed; then all of the above may have changed, too.
  virtual bool reload_if_saved() = 0;
  /// Writes the shown frame of a sensor, or the scene with its present knobs; returns the files. Throws InputError,
  /// SystemError.
  virtual std::vector<std::filesystem::path> save_frame(std::string_view sensor) = 0;
  virtual std::filesystem::path save_scene() = 0;
};

/// A scene file, simulated for its clients. Renders only sensors with subscribers. Reads the file again when it is
/// saved: its noise replaces values that clients have set, and while it has errors the last good scene stays. Throws
/// InputError as read_scene_file() and make_simulator() do.
std::unique_ptr<LiveSource> make_scene_source(const std::filesystem::path& file, const LiveOptions& options);

/// One image or cloud with the noise of a sensor. Reads the file again when it is saved. While that has errors, the
/// last good one stays. Throws InputError as SensorNoise does.
std::unique_ptr<LiveSource> make_given_source(GivenFile given, const LiveOptions& options);

/// The folder of a run, of one of its sensors, or a single cloud. Shows for each sensor the first kind of files that
/// exists: clouds in its frame, clouds in the world, channels as arrays. Nothing can be changed or saved. Throws
/// InputError for other paths, and when there is nothing to show.
std::unique_ptr<LiveSource> open_written(const std::filesystem::path& path);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once
// Which frame is shown when: real time, times a speed, around and around.

#include <cstdint>
#include <optional>

#include "live/exchange.hpp"

namespace fathom {

inline constexpr double kLeastSpeed = 0.01, kMostSpeed = 100.0;

/// Frames 0 to frames - 1 at `rate_hz`, and then frame 0 again. A frame that nobody could make in time is left out:
/// time goes on.
class PlayClock {
 public:
  PlayClock(std::uint32_t frames, double rate_hz, LiveClock::time_point now);

  [[nodiscard]] std::uint32_t frame(LiveClock::time_point now) const;
  /// When the next frame begins; nothing while paused.
  [[nodiscard]] std::optional<LiveClock::time_point> next(LiveClock::time_point now) const;

  void pause(bool paused, LiveClock::time_point now);
  /// Pauses at the frame after this one.
  void step(LiveClock::time_point now);
  /// Throws InputError for a frame that there is not.
  void seek(std::uint32_t frame, LiveClock::time_point now);
  /// Throws InputError unless kLeastSpeed <= speed <= kMostSpeed.
  void set_speed(double speed, LiveClock::time_point now);

  [[nodiscard]] bool is_paused() const { return paused_; }
  [[nodiscard]] double speed() const { return speed_; }
  [[nodiscard]] std::uint32_t frames() const { return frames_; }
  [[nodiscard]] double rate_hz() const { return rate_hz_; }

 private:
  /// Frames since frame 0, with the part of the present one that has passed.
  [[nodiscard]] double position(LiveClock::time_point now) const;
  void anchor(double position, LiveClock::time_point now);

  std::uint32_t frames_;
  double rate_hz_, speed_ = 1.0;
  bool paused_ = false;
  double anchor_ = 0;  ///< the position at anchored_
  LiveClock::time_point anchored_;
};

}  // namespace fathom

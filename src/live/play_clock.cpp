// SPDX-License-Identifier: MIT
#include "live/play_clock.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {
constexpr double kHair = 1e-6;  // of a frame: rounding must not show a frame twice
}  // namespace

PlayClock::PlayClock(std::uint32_t frames, double rate_hz, LiveClock::time_point now)
    : frames_(std::max(frames, 1U)), rate_hz_(rate_hz), anchored_(now) {}

double PlayClock::position(LiveClock::time_point now) const {
  if (paused_) return anchor_;
  const double passed_s = std::max(0.0, std::chrono::duration<double>(now - anchored_).count());
  return std::fmod(anchor_ + passed_s * speed_ * rate_hz_, frames_);
}

void PlayClock::anchor(double position, LiveClock::time_point now) {
  anchor_ = position;
  anchored_ = now;
}

std::uint32_t PlayClock::frame(LiveClock::time_point now) const {
  return static_cast<std::uint32_t>(position(now) + kHair) % frames_;
}

std::optional<LiveClock::time_point> PlayClock::next(LiveClock::time_point now) const {
  if (paused_) return std::nullopt;
  const double at = position(now);
  const double left = std::floor(at + kHair) + 1 - at;
  return now + std::chrono::duration_cast<LiveClock::duration>(std::chrono::duration<double>(left / rate_hz_ / speed_));
}

void PlayClock::pause(bool paused, LiveClock::time_point now) {
  if (paused == paused_) return;
  anchor(paused ? frame(now) : position(now), now);
  paused_ = paused;
}

void PlayClock::step(LiveClock::time_point now) {
  anchor((frame(now) + 1) % frames_, now);
  paused_ = true;
}

void PlayClock::seek(std::uint32_t frame, LiveClock::time_point now) {
  if (frame >= frames_) throw InputError(fmt::format("frame {} is not in [0, {}]", frame, frames_ - 1));
  anchor(frame, now);
}

void PlayClock::set_speed(double speed, LiveClock::time_point now) {
  if (!(speed >= kLeastSpeed && speed <= kMostSpeed)) {
    throw InputError(fmt::format("speed = {} is not in [{}, {}]", speed, kLeastSpeed, kMostSpeed));
  }
  anchor(position(now), now);
  speed_ = speed;
}

}  // namespace fathom

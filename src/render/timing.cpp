// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>
#include <fathom/simulate/sensor.hpp>

#include "core/text.hpp"
#include "render/simulators.hpp"

namespace fathom {

namespace {

constexpr double kCut = 4.0;                         // of the jitter, in standard deviations
constexpr double kBelowCut = 3.167124183311992e-05;  // the share of a normal below -kCut
constexpr std::uint32_t kTimingEntry = 0xffffffffU;  // never the number of an entry of a noise chain
constexpr double kMostJitterOfPeriod = 0.5 / kCut;

double rate_of(const Timing& timing, const SceneClock& clock) { return timing.rate_hz.value_or(clock.rate_hz); }

/// Standard normal, cut at -kCut and kCut, from 53 bits.
double cut_normal(const PhiloxBlock& block) {
  const std::uint64_t bits = (std::uint64_t{block.word[0]} << 21U) ^ (block.word[1] >> 11U);
  const double u = (static_cast<double>(bits) + 0.5) * 0x1p-53;
  const double lower = u < 0.5 ? u : 1.0 - u;  // the quantile is most accurate in the lower tail
  const double value = math::normal_quantile(kBelowCut + lower * (1.0 - 2.0 * kBelowCut));
  return u < 0.5 ? std::max(value, -kCut) : std::min(-value, kCut);
}

bool happens(std::uint32_t word, double probability) {
  return (static_cast<double>(word) + 0.5) * 0x1p-32 < probability;
}

/// The draws of the frames of a sensor.
class FrameDraws {
 public:
  FrameDraws(const Timing& timing, std::uint64_t seed, std::string_view sensor)
      : timing_(timing), seed_(seed), stream_(make_stream(sensor, kTimingEntry, Timing::kSlug)) {}

  [[nodiscard]] double jitter_s(std::uint32_t index) const {
    return timing_.jitter_s == 0.0 ? 0.0 : timing_.jitter_s * cut_normal(block(index));
  }
  [[nodiscard]] bool drops(std::uint32_t index) const {
    return timing_.drop_frame > 0.0 && happens(block(index).word[2], timing_.drop_frame);
  }
  [[nodiscard]] bool freezes(std::uint32_t index) const {
    return timing_.freeze > 0.0 && happens(block(index).word[3], timing_.freeze);
  }

 private:
  [[nodiscard]] PhiloxBlock block(std::uint32_t index) const { return keyed_block({seed_, index, stream_}, 0, 0); }

  const Timing& timing_;
  std::uint64_t seed_;
  std::uint32_t stream_;
};

}  // namespace

void SensorMotion::advance(const Pose& pose) {
  const Vec3 step = pose.translation_m - pose_.translation_m;
  const Quaternion turn = conjugate(pose_.rotation) * pose.rotation;
  motion_.way_m += norm(step);
  motion_.angle_rad += 2.0 * math::atan2(norm({turn.x, turn.y, turn.z}), std::abs(turn.w));
  pose_ = pose, ++frame_;
}

void check_timing(const Timing& timing, const SceneClock& clock) {
  validate(timing);
  const double most_s = kMostJitterOfPeriod / rate_of(timing, clock);
  if (timing.jitter_s <= most_s) return;
  throw InputError(fmt::format("timing.jitter_s = {} is above {} s, an eighth of the time between two frames",
                               number_text(timing.jitter_s), number_text(most_s)));
}

FrameTime frame_time(const Timing& timing, const SceneClock& clock, std::uint64_t seed, std::string_view sensor,
                     std::uint32_t index) {
  FreshFrames fresh;
  return frame_time(timing, clock, seed, sensor, index, fresh);
}

FrameTime frame_time(const Timing& timing, const SceneClock& clock, std::uint64_t seed, std::string_view sensor,
                     std::uint32_t index, FreshFrames& fresh) {
  const FrameDraws draws(timing, seed, sensor);
  const auto measured_s = [&](std::uint32_t k) {
    return clock.start_s + k / rate_of(timing, clock) + timing.phase_s + draws.jitter_s(k);
  };
  FrameTime time = {index, index, measured_s(index), 0.0};
  time.delivered_s = time.stamp_s + timing.latency_s;
  if (draws.drops(index)) {
    time.delivered_s = std::numeric_limits<double>::quiet_NaN();
  } else if (draws.freezes(index)) {
    time.content = fresh.last_before(draws, index);
    time.stamp_s = measured_s(time.content);
  }
  return time;
}

FrameTime frame_time_without_draws(Timing timing, const SceneClock& clock, std::uint32_t index) {
  timing.jitter_s = timing.drop_frame = timing.freeze = 0.0;
  return frame_time(timing, clock, 0, {}, index);
}

std::uint64_t count_frames(const Timing& timing, const SceneClock& clock, std::uint32_t scene_frames) {
  if (!timing.rate_hz && timing.phase_s == 0.0) return scene_frames;
  constexpr double kSlack = 1e-9;  // of a frame: rounding must not add a frame that starts at the end of the run
  constexpr double kMost = 0x1p62;
  const double seconds = scene_frames / clock.rate_hz - timing.phase_s;
  const double frames = std::min(seconds * rate_of(timing, clock), kMost);
  return frames > kSlack ? static_cast<std::uint64_t>(std::ceil(frames - kSlack * (1.0 + frames * 1e-3))) : 0;
}

}  // namespace fathom

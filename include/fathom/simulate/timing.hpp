// SPDX-License-Identifier: MIT
#pragma once
// When a sensor measures and when its frames arrive: a rate of its own, latency, jitter, frames that are dropped and
// frames that are frozen.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

/// The time of a sensor's frames. Without anything set, frame k is measured at start_s + k / rate_hz of the scene and
/// arrives at once.
///
///   measured(k)  = start_s + phase_s + k / rate_hz + j(k)    j: normal, cut at 4 jitter_s
///   delivered(k) = measured(k) + latency_s
///
/// The jitter is at most half a period, so stamps never go backwards, neither those of measuring nor those of delivery.
/// A frame that is dropped never arrives. A frozen frame arrives in its turn, but its content is that of the last frame
/// before it that was neither frozen nor dropped, with that one's stamp of measuring; the first that arrives is never
/// frozen. Whether a frame is dropped or frozen is drawn for each frame alone; a frame that both draws hit is dropped.
///
/// The draws have a stream of their own (math/random.hpp): they depend on the seed, the name of the sensor and the
/// number of the frame alone, and no other draw changes. What it does not model: latency that varies, which would let
/// frames overtake each other, and losses that come in bursts.
struct Timing {
  std::optional<double> rate_hz = {};
  double phase_s = 0.0;
  double latency_s = 0.0;
  double jitter_s = 0.0;
  double drop_frame = 0.0;
  double freeze = 0.0;

  static constexpr std::string_view kSlug = "timing";
  static constexpr std::string_view kDoc = "When a sensor measures, and when its frames arrive.";
  static constexpr auto fields() {
    return std::array<Field<Timing>, 6>{{
        {.name = "rate_hz",
         .unit = "Hz",
         .member = &Timing::rate_hz,
         .low = 1e-3,
         .high = 1e6,
         .doc = "frames in a second",
         .default_text = "the scene's"},
        {"phase_s", "s", &Timing::phase_s, 0, 1000, "from the start of the scene to the first frame"},
        {"latency_s", "s", &Timing::latency_s, 0, 1000, "from the start of a frame to its delivery"},
        {"jitter_s", "s", &Timing::jitter_s, 0, 1000,
         "standard deviation of the start of a frame, at most an eighth of the time between two"},
        {"drop_frame", "1", &Timing::drop_frame, 0, 1, "probability that a frame never arrives"},
        {"freeze", "1", &Timing::freeze, 0, 1, "probability that a frame is the one before it once more"},
    }};
  }

  friend bool operator==(const Timing&, const Timing&) = default;
};

/// The clock of a scene: its frame k starts at start_s + k / rate_hz.
struct SceneClock {
  double rate_hz = 10.0;
  double start_s = 0.0;
};

/// The time of one frame of one sensor.
struct FrameTime {
  std::uint32_t index = 0;    ///< of the frame
  std::uint32_t content = 0;  ///< of the frame that was measured: `index`, unless it is frozen
  double stamp_s = 0.0;       ///< when the content was measured: the start of that frame
  double delivered_s = 0.0;   ///< when the frame arrives; NaN: never

  [[nodiscard]] bool is_frozen() const { return content != index; }
  [[nodiscard]] bool is_dropped() const { return std::isnan(delivered_s); }
};

/// Throws InputError for a value outside its limits, and for a jitter of more than an eighth of the time between two
/// frames.
FATHOM_API void check_timing(const Timing& timing, const SceneClock& clock);

/// The time of frame `index` of a sensor of that name; `seed` is the run's, or episode_seed() of the episode. A pure
/// function: frame 17 alone is frame 17 of a run. Takes some 20 ns, and as much again for each frame that a frozen one
/// goes back. Simulator and Environments remember what they looked over: for them frames in order cost the same each.
FATHOM_API FrameTime frame_time(const Timing& timing, const SceneClock& clock, std::uint64_t seed,
                                std::string_view sensor, std::uint32_t index);

/// How many frames a sensor begins, but for jitter, in the time of so many frames of the scene, from start_s on.
FATHOM_API std::uint64_t count_frames(const Timing& timing, const SceneClock& clock, std::uint32_t scene_frames);

}  // namespace fathom

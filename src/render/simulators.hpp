// SPDX-License-Identifier: MIT
#pragma once
// The inside of Simulator for the rest of the library: shared trees, checked options, and frozen frames.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fathom/core/compute.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/simulate/sensor.hpp>
#include <fathom/simulate/simulator.hpp>

#include "render/field_math.hpp"
#include "trace/caster.hpp"

namespace fathom {

class FrameDevice;

/// Several simulators of one scene, each with its own seed, over one set of trees: the trees of meshes are built once.
class SharedTrees {
 public:
  /// Builds the trees on the threads of `compute`. With one thread, simulators may work in parallel, each on its own
  /// thread. Throws InputError if an entity is too far out at `stamp_s`.
  SharedTrees(const Scene& scene, const Compute& compute, double stamp_s);

  /// Simulators made from now on render on separate devices that `make_device` makes.
  void render_on(std::unique_ptr<FrameDevice> (*make_device)()) { make_device_ = make_device; }

  /// A simulator of the scene that the trees were built for, with the same meshes and vertices. The trees must outlive
  /// it. It has the caster and the instructions of the trees, not of `options`.
  [[nodiscard]] Simulator make_simulator(Scene scene, const SimulatorOptions& options) const;

  /// Changes the seed of the simulator, and keeps everything that does not depend on it.
  static void set_seed(Simulator& simulator, std::uint64_t seed);
  /// Replaces the sensor by one with its name and number of rays. Throws InputError as PreparedSensor::replace().
  static void set_sensor(Simulator& simulator, SensorId id, Sensor sensor);
  /// Replaces the reflectivity of the scene's entity.
  static void set_reflectivity(Simulator& simulator, EntityId entity, float reflectivity);

 private:
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Caster> root_;
  std::unique_ptr<FrameDevice> (*make_device_)() = nullptr;
};

/// Frames per second, above 0.
inline constexpr double kMostRateHz = 1e6;

/// Throws InputError for an option outside its limits, and for instructions that this computer lacks.
void check(const SimulatorOptions& options);

/// The clock of a scene: its frame k starts at start_s + k / rate_hz.
struct SceneClock {
  double rate_hz = 10.0;
  double start_s = 0.0;
};
inline SceneClock clock_of(const SimulatorOptions& options) { return {options.rate_hz, options.start_s}; }

/// Throws InputError if the timing of the sensor does not suit this clock.
void check_clock(const Sensor& sensor, const SimulatorOptions& options);

/// Finds the frame that a frozen one repeats, for one sensor and one seed (Timing). It remembers the frames that it
/// examined last, so frames in about their order cost one examination each, however long they stay frozen. In any other
/// order a frame costs one examination for each frame that it goes back, with the same answer.
class FreshFrames {
 public:
  FreshFrames() = default;
  FreshFrames(const FreshFrames& other) noexcept : known_(other.known_.load(std::memory_order_relaxed)) {}
  FreshFrames& operator=(const FreshFrames& other) noexcept {
    known_.store(other.known_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
  ~FreshFrames() = default;

  /// For other draws: another seed, or another sensor.
  void forget() { known_.store(0, std::memory_order_relaxed); }

  /// The last frame before `index` that was neither frozen nor dropped; without such a frame the first that was not
  /// dropped, which has nothing to repeat; else `index` itself. `draws`: drops(k) and freezes(k) of frame k.
  /// Thread-safe.
  template <class Draws>
  [[nodiscard]] std::uint32_t last_before(const Draws& draws, std::uint32_t index) {
    const Known known = unpacked(known_.load(std::memory_order_relaxed));
    if (known.last < index && index <= known.end) return known.last;
    std::uint32_t last = index;
    for (std::uint32_t k = index; k-- > 0;) {
      if (k + 1 == known.end) {  // the frames from there on were examined before, and are not fresh
        if (known.last < known.end) last = known.last;
        break;
      }
      if (draws.drops(k)) continue;
      last = k;
      if (!draws.freezes(k)) break;
    }
    known_.store(packed({index, last}), std::memory_order_relaxed);
    return last;
  }

 private:
  /// The answer for `end`, and so for all indices in (last, end].
  struct Known {
    std::uint32_t end = 0, last = 0;
  };
  static std::uint64_t packed(const Known& known) { return std::uint64_t{known.end} << 32U | known.last; }
  static Known unpacked(std::uint64_t known) {
    return {static_cast<std::uint32_t>(known >> 32U), static_cast<std::uint32_t>(known)};
  }

  std::atomic<std::uint64_t> known_ = 0;
};

/// A search for poses checks for a stop after this many poses.
inline constexpr std::uint32_t kPosesAtOnce = 4096;

/// The motion of a sensor from frame 0 on, for one seed. It remembers the last frame, so frames in their order cost one
/// pose each. A frame before it costs the poses of all frames from 0 on, with the same answer.
class SensorMotion {
 public:
  /// Up to `frame`. `pose_at(k)`: world from sensor in frame k.
  template <class PoseAt>
  [[nodiscard]] Travel up_to(std::uint32_t frame, const PoseAt& pose_at) {
    if (!begun_ || frame < frame_) begin(pose_at(0));
    while (frame_ < frame) advance(pose_at(frame_ + 1));
    return motion_;
  }
  /// Up to the pose that a program set for `frame`. The poses between are unknown, so the way is the straight one.
  [[nodiscard]] Travel up_to(std::uint32_t frame, const Pose& pose) {
    if (!begun_ || frame < frame_) begin(pose);
    if (frame_ < frame) advance(pose);
    frame_ = frame;
    return motion_;
  }
  void forget() { begun_ = false; }

 private:
  void begin(const Pose& pose) { pose_ = pose, motion_ = {}, frame_ = 0, begun_ = true; }
  void advance(const Pose& pose);

  bool begun_ = false;
  std::uint32_t frame_ = 0;
  Pose pose_ = {};
  Travel motion_ = {};
};

/// Throws InputError for a value outside its limits, and for a jitter of more than an eighth of the time between two
/// frames.
void check_timing(const Timing& timing, const SceneClock& clock);

/// The time of frame `index` of a sensor with that name; `seed` is the run's, or episode_seed() of the episode. A pure
/// function: frame 17 alone is frame 17 of a run. Takes some 20 ns, and as much again for each frame that a frozen one
/// goes back. Simulator and Environments remember these frames: for them frames in order cost the same each.
FrameTime frame_time(const Timing& timing, const SceneClock& clock, std::uint64_t seed, std::string_view sensor,
                     std::uint32_t index);

/// Number of frames that a sensor begins, without jitter, in the time of `scene_frames` frames of the scene from
/// start_s on.
std::uint64_t count_frames(const Timing& timing, const SceneClock& clock, std::uint32_t scene_frames);
/// The time of frame `index`. `fresh`: of the sensor and the seed.
FrameTime frame_time(const Timing& timing, const SceneClock& clock, std::uint64_t seed, std::string_view sensor,
                     std::uint32_t index, FreshFrames& fresh);

/// The same for many environments, whose draws differ: without jitter, dropped and frozen frames.
FrameTime frame_time_without_draws(Timing timing, const SceneClock& clock, std::uint32_t index);

}  // namespace fathom

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>
#include <fathom/base/ids.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

struct SimulatorOptions {
  std::uint64_t seed = 0;
  Compute compute = {};
  double rate_hz = 10.0;  ///< frame k starts at start_s + k / rate_hz, unless Sensor::timing says otherwise
  double start_s = 0.0;
  /// Asked every 1024 rays or so, from any of the threads; when it says yes, render() throws Interrupted, and the frame
  /// holds nothing of use until it is rendered again.
  std::function<bool()> should_stop = {};
};

/// Casts the sensors of a scene and applies their noise. The same scene, sensors, seed and frame give the same bits on
/// any computer, for any number of threads and order of calls; with Embree as the caster, on one kind of processor. For
/// one thread at a time; several may run at once.
class FATHOM_API Simulator {
 public:
  explicit Simulator(Scene scene, const SimulatorOptions& options = {});
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  /// Throws InputError when anything about the sensor is invalid, or its rays would not fit in memory.
  SensorId add_sensor(Sensor sensor);

  /// Replaces a sensor's chain; the next frame rendered uses it. Throws InputError as add_sensor does, and then changes
  /// nothing.
  void set_noise(SensorId sensor, NoiseChain noise);

  /// Renders frame `index` of a sensor into `frame`, filling the channels that `frame` was made with. With a timing it
  /// is the sensor's own frame of that number: a frozen one holds what its content was when measured, in the scene as
  /// it is now, and one that is dropped what would have been seen (Frame::is_dropped).
  void render(SensorId sensor, std::uint32_t index, Frame& frame);

  /// The scene may be changed between frames: poses, parents, vertices; also entities and meshes added.
  [[nodiscard]] Scene& scene();
  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] const Sensor& sensor(SensorId sensor) const;
  /// The noise-free rays of frame `index`.
  [[nodiscard]] const RayPattern& pattern(SensorId sensor, std::uint32_t index);
  [[nodiscard]] double stamp_s(std::uint32_t index) const;  ///< when frame `index` of the scene starts
  /// The time of frame `index` of a sensor, as its timing says.
  [[nodiscard]] FrameTime frame_time(SensorId sensor, std::uint32_t index) const;
  [[nodiscard]] Pose world_from_sensor(SensorId sensor, double stamp_s) const;
  [[nodiscard]] const SimulatorOptions& options() const;
  [[nodiscard]] int threads() const;  ///< as resolved

 private:
  friend class SharedTrees;  // of the library: simulators of one scene
  class Impl;
  FATHOM_HIDDEN explicit Simulator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The version of fathom, and of what it was built with, one per line of summary.json. `embree` is empty in a build
/// without it.
struct Versions {
  std::string_view fathom, embree, compiler;
};
FATHOM_API Versions versions();

}  // namespace fathom

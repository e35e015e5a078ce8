// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

struct SimulatorOptions {
  std::uint64_t seed = 0;
  Compute compute = {};
  double rate_hz = 10.0;  ///< frame k starts at start_s + k / rate_hz, unless Sensor::timing says otherwise
  double start_s = 0.0;
  /// Asked about every 1024 rays, from any of the threads. If it returns true, render() throws Interrupted, and the
  /// frame is unusable until it is rendered again.
  std::function<bool()> should_stop = {};
};

/// Casts the sensors of a scene and applies their noise. The same scene, sensors, seed and frame give the same bits on
/// any computer, for any number of threads and order of calls. For one thread at a time; several may run at once.
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
  /// is the sensor's own frame of that number: a frozen frame shows the scene at the time of its content, and a dropped
  /// frame (Frame::is_dropped) is rendered too. With a temporal filter the frames from 0 on that the filter lacks are
  /// rendered before, with the present scene and chain: frames in their order cost one each.
  void render(SensorId sensor, std::uint32_t index, Frame& frame);

  /// The scene may be changed between frames: poses, parents, vertices; also entities and meshes added.
  [[nodiscard]] Scene& scene();
  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] const Sensor& sensor(SensorId sensor) const;
  /// The noise-free rays of frame `index`.
  [[nodiscard]] const RayPattern& pattern(SensorId sensor, std::uint32_t index);
  [[nodiscard]] double stamp_s(std::uint32_t index) const;  ///< when frame `index` of the scene starts
  /// The time of frame `index` of a sensor, by its timing.
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

/// The versions of fathom and of the compiler that built it, as in summary.json.
struct Versions {
  std::string_view fathom, compiler;
};
FATHOM_API Versions versions();

/// A frame of fixed shape with these channels in the memory of a GPU, which is freed with the last of the frame and its
/// copies. A Simulator or Environments of the same device fill it there; Frame::data() has the addresses. kAuto is the
/// first GPU. Throws InputError for an empty frame, for the processor, and if the GPU, its driver or the code for it is
/// missing; SystemError if its memory does not suffice.
FATHOM_API Frame make_gpu_frame(const Device& device, std::uint32_t rows, std::uint32_t cols, ChannelSet channels,
                                std::uint32_t returns = 1);

/// Waits until a GPU has done the work queued in this stream (a CUstream; 1 and 2 are CUDA's default streams).
/// `memory`: an address in the memory of that GPU. Throws InputError when no GPU has that address.
FATHOM_API void wait_for_stream(const void* memory, std::uintptr_t stream);

}  // namespace fathom

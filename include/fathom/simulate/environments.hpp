// SPDX-License-Identifier: MIT
#pragma once
// Many environments at once, as the training of robots needs: one scene and one sensor, with poses and noise parameters
// of each environment's own, rendered as arrays [environments, rows, cols].

#include <cstdint>
#include <memory>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/parameter_range.hpp>
#include <fathom/simulate/sensor.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom {

struct EnvironmentsOptions {
  SimulatorOptions simulator = {};
  std::uint32_t count = 1;
  std::uint32_t first = 0;                  ///< number of the first: environment 17 alone is {count = 1, first = 17}
  std::vector<ParameterRange> ranges = {};  ///< of a scene file: SensorSetup::ranges
};

/// A batch of environments. The frame of one depends on its number, its episode, its poses and its noise alone, never
/// on the others: environment 17 alone equals environment 17 of 64, bit by bit, and equals what a Simulator renders
/// with that episode's seed and parameters. An environment is named by its number, in [first, first + count). Use it
/// from one thread at a time.
class FATHOM_API Environments {
 public:
  /// Throws InputError as Simulator does, for a count of 0, for more than kMaxRays rays in all, and for a range that
  /// names no number of the chain or one that must be the same in the whole chain, or that leaves its limits.
  Environments(Scene scene, Sensor sensor, EnvironmentsOptions options);
  ~Environments();
  Environments(Environments&&) noexcept;
  Environments& operator=(Environments&&) noexcept;

  /// Places an entity in one environment, relative to its parent, from now on; elsewhere it stays where it is or moves
  /// as the scene says.
  void set_entity_pose(std::uint32_t environment, EntityId entity, const Pose& parent_from_entity);
  /// Places the sensor in one environment, from now on; elsewhere it stays where it is or moves as its trajectory says.
  void set_sensor_pose(std::uint32_t environment, const Pose& parent_from_sensor);
  /// Gives one environment a chain of its own; the next frame rendered uses it. Numbers with a range
  /// keep what the episode draws for them. Throws InputError as Simulator::set_noise does, and when the chain lacks a
  /// number that has a range; then nothing changes.
  void set_noise(std::uint32_t environment, NoiseChain noise);
  /// Starts an episode: draws the parameters anew. All environments start in episode 0.
  void reset(std::uint32_t environment, std::uint32_t episode);
  /// The values drawn for the present episode, in the order of the ranges.
  [[nodiscard]] std::vector<DrawnParameter> drawn(std::uint32_t environment) const;

  /// Renders frame `index` of all environments: arrays [environments, rows, cols], that is a frame of count * rows
  /// rows. In steady state nothing is allocated.
  void render(std::uint32_t index, Frame& frame);

  [[nodiscard]] std::uint32_t count() const;
  [[nodiscard]] std::uint32_t rows() const;  ///< of one environment
  [[nodiscard]] std::uint32_t cols() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom

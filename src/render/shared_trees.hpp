// SPDX-License-Identifier: MIT
#pragma once
// Several simulators of one scene, each with a seed of its own, over one set of trees: those of the meshes are built
// once.

#include <memory>

#include <fathom/base/compute.hpp>
#include <fathom/simulate/simulator.hpp>

#include "cast/caster.hpp"

namespace fathom {

class FrameDevice;

class SharedTrees {
 public:
  /// Builds the trees on so many threads as `compute` says. With one thread, simulators may work side by side, each on
  /// a thread of its own. Throws InputError when an entity stands too far out at `stamp_s`.
  SharedTrees(const Scene& scene, const Compute& compute, double stamp_s);

  /// Simulators made from now on render on a device of their own that `make_device` makes.
  void render_on(std::unique_ptr<FrameDevice> (*make_device)()) { make_device_ = make_device; }

  /// A simulator of the scene that the trees were built for: without other meshes or vertices. The trees must outlive
  /// it. Of the options, the caster and its instructions are those of the trees.
  [[nodiscard]] Simulator make_simulator(Scene scene, const SimulatorOptions& options) const;

  /// The simulator renders with another seed from now on, and keeps everything that does not depend on it.
  static void set_seed(Simulator& simulator, std::uint64_t seed);
  /// The sensor becomes another of its name and number of rays. Throws InputError as PreparedSensor::replace().
  static void set_sensor(Simulator& simulator, SensorId id, Sensor sensor);
  /// The entity reflects so from now on, whatever the scene says.
  static void set_reflectivity(Simulator& simulator, EntityId entity, float reflectivity);

 private:
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Caster> root_;
  std::unique_ptr<FrameDevice> (*make_device_)() = nullptr;
};

}  // namespace fathom

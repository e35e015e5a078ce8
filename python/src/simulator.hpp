// SPDX-License-Identifier: MIT
#pragma once
// A simulator as Python holds it.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fathom/simulate/run.hpp>
#include <fathom/simulate/simulator.hpp>

#include "arguments.hpp"
#include "frame.hpp"

namespace fathom::python {

/// The motions of entities whose pose was drawn, as the scene had them then, by id.
using NominalMotions = std::map<std::uint32_t, Trajectory>;

/// Brings a copy of a scene, made when it had fewer changes, to what the scene is now. Entities that were drawn stay so
/// until the scene moves them; then they leave `nominal`.
void follow(const Scene& master, Scene& copy, NominalMotions& nominal);

/// A Simulator has a copy of the scene of Python, which several simulators may share. A simulator updates its copy
/// before it renders, so threads never share a scene.
class SimulatorHandle {
 public:
  /// `setup` holds a copy of `scene`.
  SimulatorHandle(std::shared_ptr<Scene> scene, const SceneSetup& setup, RunOptions options);

  std::uint32_t add_sensor(const py::dict& spec);
  void set_noise(py::handle sensor, const py::iterable& chain);
  [[nodiscard]] SensorId find(py::handle name_or_id) const;
  void refresh();
  Pose world_from_sensor(py::handle sensor, double stamp_s);
  [[nodiscard]] FrameTime frame_time(py::handle sensor, py::handle number) const;
  std::shared_ptr<FrameHandle> render(py::handle sensor, py::handle number, py::handle channels, py::handle out);

  [[nodiscard]] Simulator& simulator() { return simulator_; }
  [[nodiscard]] std::shared_ptr<Scene> scene() const { return scene_; }
  [[nodiscard]] std::vector<std::string> sensor_names() const {
    std::vector<std::string> names;
    for (const Known& known : sensors_) names.push_back(known.name);
    return names;
  }

 private:
  struct Known {
    std::string name;
    FrameLayout layout;
    double farthest_m;
    FramePool pool;
  };
  void note(const std::string& name);

  std::shared_ptr<Scene> scene_;
  std::shared_ptr<SignalWatch> watch_;
  Simulator simulator_;
  std::uint64_t revision_;
  NominalMotions nominal_;
  std::vector<Known> sensors_;
  InUse in_use_;
};

}  // namespace fathom::python

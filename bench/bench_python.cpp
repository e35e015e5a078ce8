// SPDX-License-Identifier: MIT
// The side of C++ of bench_python.py: the same work, timed without Python.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <fathom/frame/digest.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {
namespace {

namespace py = pybind11;
using Doubles = py::array_t<double, py::array::c_style>;

template <class F>
double seconds(F&& work) {
  const py::gil_scoped_release release;
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

RunOptions on_one_thread() {
  RunOptions options;
  options.compute.threads = 1;
  return options;
}

/// Renders the first sensor of a scene file.
class Renderer {
 public:
  explicit Renderer(const std::string& file) : simulator_(make_simulator(read_scene_file(file), on_one_thread())) {}

  double render(std::uint32_t calls) {
    return seconds([&] {
      for (std::uint32_t k = 0; k < calls; ++k) simulator_.render(SensorId{0}, k, frame_);
    });
  }

 private:
  Simulator simulator_;
  Frame frame_{{Channel::kRange, Channel::kReason}};
};

/// Environments of the second sensor of a scene file.
class Batch {
 public:
  Batch(const std::string& file, std::uint32_t count) : batch_(make(read_scene_file(file), count)) {}

  double set_poses(const Doubles& positions, const Doubles& quaternions) {
    const std::span<const double> p(positions.data(), static_cast<std::size_t>(positions.size()));
    const std::span<const double> q(quaternions.data(), static_cast<std::size_t>(quaternions.size()));
    std::vector<EntityId> bodies;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(positions.shape(1)); ++i)
      bodies.push_back(EntityId{i + 1});
    return seconds([&] { batch_->set_entity_poses(bodies, p, q); });
  }
  double render(std::uint32_t index) {
    return seconds([&] { batch_->render(index, frame_); });
  }
  std::string digest(std::uint32_t index) {
    batch_->render(index, frame_);
    FrameDigest digest;
    digest.add(frame_);
    return digest.text();
  }

 private:
  static std::unique_ptr<Environments> make(const SceneSetup& setup, std::uint32_t count) {
    Environments::Options options;
    options.simulator.seed = 1;
    options.count = count;
    return std::make_unique<Environments>(setup.scene, setup.sensors.at(1).sensor, options);
  }

  std::unique_ptr<Environments> batch_;
  Frame frame_{{Channel::kDepth, Channel::kReason}};
};

}  // namespace

PYBIND11_MODULE(python_bench, m) {
  py::class_<Renderer>(m, "Renderer").def(py::init<const std::string&>()).def("render", &Renderer::render);
  py::class_<Batch>(m, "Batch")
      .def(py::init<const std::string&, std::uint32_t>())
      .def("set_poses", &Batch::set_poses)
      .def("render", &Batch::render)
      .def("digest", &Batch::digest);
}

}  // namespace fathom

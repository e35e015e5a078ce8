// SPDX-License-Identifier: MIT
#include <fathom/base/isa.hpp>
#include <fathom/simulate/simulator.hpp>

#include "binding.hpp"

namespace fathom::python {

PYBIND11_MODULE(_fathom, m) {
  m.doc() = "What fathom has in C++; the package fathom shows it.";
  bind_errors(m);
  bind_geometry(m);
  bind_tables(m);
  bind_scene(m);
  bind_shapes(m);
  bind_robots(m);
  bind_maps(m);
  bind_sensors(m);
  bind_frame(m);
  bind_frame_files(m);
  bind_simulator(m);
  bind_environments(m);
  bind_scene_files(m);
  bind_beam(m);
  bind_beam_logs(m);
  bind_calibrate(m);
  bind_random(m);
  m.def(
      "versions",
      [] {
        const Versions v = versions();
        py::dict d;
        d["fathom"] = v.fathom, d["embree"] = v.embree, d["compiler"] = v.compiler;
        return d;
      },
      "The versions of fathom and of what it was built with; 'embree' is empty in a build without it.");
  m.def(
      "detect_isa", [] { return to_string(detect_isa()); },
      "The widest instruction set that this computer can run: 'sse2', 'avx2' or 'avx512'.");
  m.def(
      "_is_made",
      [](py::handle object) {
        return reinterpret_cast<py::detail::instance*>(object.ptr())->get_value_and_holder().holder_constructed();
      },
      py::arg("object"), py::pos_only(),
      "Whether the __init__ of an object of one of these classes has come to its end.");
}

}  // namespace fathom::python

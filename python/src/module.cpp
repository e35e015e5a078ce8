// SPDX-License-Identifier: MIT
#include <fathom/base/isa.hpp>
#include <fathom/simulate/simulator.hpp>

#include "binding.hpp"

namespace fathom::python {

namespace {

bool is_made(py::handle object) {
  return reinterpret_cast<py::detail::instance*>(object.ptr())->get_value_and_holder().holder_constructed();
}

/// Debuggers and test programs show what stands in a frame of the stack: also an object whose __init__ threw, which has
/// no C++ object behind it.
void let_unmade_objects_be_shown(py::module_& m) {
  const py::object plain = py::module_::import("builtins").attr("object").attr("__repr__");
  for (const auto& [name, member] : m.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(member) || !member.attr("__dict__").contains("__repr__")) continue;
    const py::object own = member.attr("__repr__");
    member.attr("__repr__") = py::cpp_function(
        [own, plain](const py::object& object) { return is_made(object) ? own(object) : plain(object); },
        py::name("__repr__"), py::is_method(member));
  }
}

}  // namespace

PYBIND11_MODULE(_fathom, m) {
  m.doc() = "What fathom has in C++; the package fathom shows it.";
  bind_errors(m);
  bind_geometry(m);
  bind_tables(m);
  bind_scene(m);
  bind_shapes(m);
  bind_robots(m);
  bind_maps(m);
  bind_bags(m);
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
  m.def("_is_made", &is_made, py::arg("object"), py::pos_only(),
        "Whether the __init__ of an object of one of these classes has come to its end.");
  let_unmade_objects_be_shown(m);
}

}  // namespace fathom::python

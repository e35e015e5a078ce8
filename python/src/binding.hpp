// SPDX-License-Identifier: MIT
#pragma once
// The parts of the module _fathom. Each file binds one subject; fathom/*.py builds what users see on top.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fathom/base/error.hpp>
#include <fathom/sensor/model.hpp>

// A variant is one type here, and not to be read as one of its alternatives.
PYBIND11_MAKE_OPAQUE(fathom::SensorModel)

/// Python sees a message as its text.
template <>
struct pybind11::detail::type_caster<fathom::Message> {
  PYBIND11_TYPE_CASTER(fathom::Message, const_name("str"));
  static handle cast(const fathom::Message& message, return_value_policy policy, handle parent) {
    return make_caster<std::string>::cast(message.text(), policy, parent);
  }
};

namespace fathom::python {

namespace py = pybind11;

void bind_bags(py::module_& m);
void bind_errors(py::module_& m);
void bind_geometry(py::module_& m);
void bind_scene(py::module_& m);
void bind_shapes(py::module_& m);
void bind_robots(py::module_& m);
void bind_maps(py::module_& m);
void bind_tables(py::module_& m);
void bind_sensors(py::module_& m);
void bind_frame(py::module_& m);
void bind_frame_files(py::module_& m);
void bind_simulator(py::module_& m);
void bind_environments(py::module_& m);
void bind_scene_files(py::module_& m);
void bind_beam(py::module_& m);
void bind_beam_logs(py::module_& m);
void bind_beam_fit(py::module_& m);
void bind_beam_field(py::module_& m);
void bind_calibrate(py::module_& m);
void bind_chain_fits(py::module_& m);
void bind_walls(py::module_& m);
void bind_datasets(py::module_& m);
void bind_random(py::module_& m);

}  // namespace fathom::python

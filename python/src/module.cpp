// SPDX-License-Identifier: MIT
#include <cstring>
#include <string>

#include <fathom/base/isa.hpp>
#include <fathom/simulate/simulator.hpp>

#include "binding.hpp"

namespace fathom::python {

namespace {

/// Whether the __init__ of an object of a bound class has come to its end. Before that it has no C++ object, and
/// pybind11 would give its methods memory that nobody has filled.
bool is_made(py::handle object) {
  PyObject* const base = py::detail::get_internals().instance_base;
  if (PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(base)) == 0) return false;
  return reinterpret_cast<py::detail::instance*>(object.ptr())->get_value_and_holder().value_ptr() != nullptr;
}

[[noreturn]] void refuse_unmade(py::handle object) {
  throw py::type_error(std::string(Py_TYPE(object.ptr())->tp_name) +
                       " is not made yet: call super().__init__() before anything else");
}

/// Whether an attribute of a class is of C++: a method, or a property that one reads.
bool is_bound(py::handle attribute) {
  if (PyInstanceMethod_Check(attribute.ptr()) != 0) return true;
  if (Py_TYPE(attribute.ptr()) != &PyProperty_Type) return false;
  const py::object getter = attribute.attr("fget");
  return PyInstanceMethod_Check(getter.ptr()) != 0 || PyCFunction_Check(getter.ptr()) != 0;
}

/// PyObject_GenericGetAttr, but of an object that is not made it gives nothing of C++.
PyObject* attribute_of(PyObject* self, PyObject* name) {
  if (!is_made(self)) {
    PyObject* const found = _PyType_Lookup(Py_TYPE(self), name);
    const char* const text = PyUnicode_AsUTF8(name);
    if (text != nullptr && found != nullptr && std::strncmp(text, "__", 2) != 0 && is_bound(found)) {
      try {
        refuse_unmade(self);
      } catch (const py::type_error& error) {
        PyErr_SetString(PyExc_TypeError, error.what());
      }
      return nullptr;
    }
  }
  return PyObject_GenericGetAttr(self, name);
}

/// Gives a class an operator that looks first whether the object is made. `otherwise`: what it does if not.
template <class Otherwise>
void guard(const py::object& made_class, const char* name, Otherwise otherwise) {
  if (!made_class.attr("__dict__").contains(name) || made_class.attr(name).is_none()) return;
  const py::object own = made_class.attr(name);
  made_class.attr(name) = py::cpp_function(
      [own, otherwise](const py::object& self, const py::args& others) -> py::object {
        return is_made(self) ? own(self, *others) : otherwise(self);
      },
      py::name(name), py::is_method(made_class));
}

/// A subclass may call a method before super().__init__(), and debuggers show what stands in a frame of the stack, also
/// an object whose __init__ threw.
void guard_unmade_objects(py::module_& m) {
  const py::object object = py::module_::import("builtins").attr("object");
  const py::object plain = object.attr("__repr__"), getter = object.attr("__getattribute__");
  const auto* const slot = reinterpret_cast<PyWrapperDescrObject*>(getter.ptr());
  const auto refuse = [](const py::object& self) -> py::object { refuse_unmade(self); };
  for (const auto& [name, member] : m.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(member) ||
        PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(member.ptr()),
                         reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base)) == 0)
      continue;
    const auto made_class = py::reinterpret_borrow<py::object>(member);
    // As a slot's own wrapper, which costs no call of Python and which subclasses inherit.
    made_class.attr("__getattribute__") = py::reinterpret_steal<py::object>(PyDescr_NewWrapper(
        reinterpret_cast<PyTypeObject*>(member.ptr()), slot->d_base, reinterpret_cast<void*>(&attribute_of)));
    guard(made_class, "__repr__", [plain](const py::object& self) -> py::object { return plain(self); });
    for (const char* const word :
         {"__eq__", "__hash__", "__matmul__", "__contains__", "__getitem__", "__len__", "__getstate__"}) {
      guard(made_class, word, refuse);
    }
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
  bind_datasets(m);
  bind_beam(m);
  bind_beam_logs(m);
  bind_beam_fit(m);
  bind_heatmap(m);
  bind_beam_field(m);
  bind_calibrate(m);
  bind_chain_fits(m);
  bind_walls(m);
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
  guard_unmade_objects(m);
}

}  // namespace fathom::python

// SPDX-License-Identifier: MIT
#include <exception>

#include <fathom/base/error.hpp>

#include "binding.hpp"

namespace fathom::python {

namespace {

// Kept as long as the process: exceptions are translated until the end.
PyObject* g_error = nullptr;
PyObject* g_input_error = nullptr;

PyObject* make_error(py::module_& m, const char* name, PyObject* base, const char* doc) {
  const std::string full = std::string("fathom.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (made == nullptr) throw py::error_already_set();
  m.attr(name) = py::handle(made);
  return made;
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    PyErr_SetString(g_input_error, error.what());
  } catch (const SystemError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const Interrupted& error) {
    PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
  } catch (const Error& error) {
    PyErr_SetString(g_error, error.what());
  } catch (const py::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "a value of another type is wanted here, or a text that UTF-8 can hold");
  }
}

}  // namespace

void bind_errors(py::module_& m) {
  g_error = make_error(m, "Error", PyExc_RuntimeError, "A computation that cannot go on.");
  g_input_error =
      make_error(m, "InputError", PyExc_ValueError,
                 "A value, key or file that the caller can mend. One line names what is wrong, where, and the limit.");
  py::register_exception_translator(&translate);
}

}  // namespace fathom::python

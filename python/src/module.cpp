// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/simulate/simulator.hpp>

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

void bind_errors(py::module_& m) {
  g_error = make_error(m, "Error", PyExc_RuntimeError, "A computation that cannot go on.");
  g_input_error =
      make_error(m, "InputError", PyExc_ValueError,
                 "A value, key or file that the caller can mend. One line names what is wrong, where, and the limit.");
  py::register_exception_translator(&translate);
}

/// Whether the __init__ of an object of a bound class has ended. Before that it has no C++ object, and pybind11 would
/// give its methods uninitialised memory.
bool is_made(py::handle object) {
  PyObject* const base = py::detail::get_internals().instance_base;
  if (PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(base)) == 0) return false;
  return reinterpret_cast<py::detail::instance*>(object.ptr())->get_value_and_holder().value_ptr() != nullptr;
}

[[noreturn]] void refuse_unmade(py::handle object) {
  throw py::type_error(std::string(Py_TYPE(object.ptr())->tp_name) +
                       " is not made yet: call super().__init__() before anything else");
}

/// Whether an attribute of a class comes from C++: a method, or a readable property.
bool is_bound(py::handle attribute) {
  if (PyInstanceMethod_Check(attribute.ptr()) != 0) return true;
  if (Py_TYPE(attribute.ptr()) != &PyProperty_Type) return false;
  const py::object getter = attribute.attr("fget");
  return PyInstanceMethod_Check(getter.ptr()) != 0 || PyCFunction_Check(getter.ptr()) != 0;
}

/// PyObject_GenericGetAttr, which refuses attributes from C++ for an object that is not made.
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

/// Gives a class an operator that checks first that the object is made. If not, it calls `otherwise`.
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

/// A subclass may call a method before super().__init__(), and debuggers show the objects of a stack frame, including
/// one whose __init__ threw.
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
    // A wrapper of the slot costs no call of Python, and subclasses inherit it.
    made_class.attr("__getattribute__") = py::reinterpret_steal<py::object>(PyDescr_NewWrapper(
        reinterpret_cast<PyTypeObject*>(member.ptr()), slot->d_base, reinterpret_cast<void*>(&attribute_of)));
    guard(made_class, "__repr__", [plain](const py::object& self) -> py::object { return plain(self); });
    for (const char* const word :
         {"__eq__", "__hash__", "__matmul__", "__contains__", "__getitem__", "__len__", "__getstate__"}) {
      guard(made_class, word, refuse);
    }
  }
}

// pybind11 refuses arguments without a matching signature in several lines. The functions below make it one line.

PyObject* g_refusal = nullptr;
PyCFunctionWithKeywords g_call = nullptr;  // of pybind11

/// The first text in `value` that UTF-8 cannot hold, also within lists, tuples and dicts; null if all are valid.
PyObject* broken_text(PyObject* value, int depth) {  // NOLINT(misc-no-recursion)
  PyObject* found = nullptr;
  if (PyUnicode_Check(value) != 0) {
    if (PyUnicode_AsUTF8(value) == nullptr) PyErr_Clear(), found = value;
  } else if (depth > 0 && (PyList_Check(value) != 0 || PyTuple_Check(value) != 0)) {
    for (Py_ssize_t i = 0; found == nullptr && i < PySequence_Fast_GET_SIZE(value); ++i) {
      found = broken_text(PySequence_Fast_GET_ITEM(value, i), depth - 1);
    }
  } else if (depth > 0 && PyDict_Check(value) != 0) {
    PyObject *key = nullptr, *item = nullptr;
    for (Py_ssize_t at = 0; found == nullptr && PyDict_Next(value, &at, &key, &item) != 0;) {
      found = broken_text(key, 0);
      if (found == nullptr) found = broken_text(item, depth - 1);
    }
  }
  return found;
}

/// The result of repr() on one line, shortened if it is long.
std::string shown(py::handle value) {
  constexpr std::size_t kMost = 60;
  std::string text;
  for (const char letter : py::cast<std::string>(py::repr(value))) {
    const bool is_space = letter == ' ' || letter == '\n';
    if (!is_space || (!text.empty() && text.back() != ' ')) text += is_space ? ' ' : letter;
  }
  if (text.size() <= kMost) return text;
  std::size_t cut = kMost;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;  // between two letters of UTF-8
  return text.substr(0, cut) + "...";
}

std::string given_text(py::handle args, py::handle kwargs, std::size_t first) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
  const auto positional = py::reinterpret_borrow<py::tuple>(args);
  for (std::size_t i = first; i < positional.size(); ++i) add(shown(positional[i]));
  if (kwargs) {
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(kwargs)) {
      add(py::cast<std::string>(name) + "=" + shown(value));
    }
  }
  return "(" + text + ")";
}

std::string without(std::string text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word)) text.erase(at, word.size());
  return text;
}

/// "plane: (8, 6) given, (size_m: object) wanted". `text`: "plane(): incompatible function arguments ..." with a
/// numbered line for each signature, then the arguments, whose repr() may have lines too.
std::string refusal(std::string text, py::handle args, py::handle kwargs) {
  constexpr std::string_view kNumber = ". ", kSelf = "self: ";
  text.resize(std::min(text.size(), text.find("\n\nInvoked with")));
  std::string name = text.substr(0, text.find('(')), wanted;
  std::size_t first = 0;
  for (std::size_t line = text.find("\n    "); line != std::string::npos; line = text.find("\n    ", line + 1)) {
    const std::size_t begin = text.find(kNumber, line) + kNumber.size(), open = text.find('(', begin);
    std::string signature = text.substr(open, text.find('\n', open) - open);
    signature = without(signature.substr(0, signature.rfind(" -> ")), "fathom._fathom.");
    if (name == "__init__") {
      name = text.substr(begin, open - begin);
      name = name.substr(name.rfind('.') + 1), first = 1;
    }
    if (signature.compare(1, kSelf.size(), kSelf) == 0) {
      const std::size_t comma = signature.find(", ");
      signature.erase(1, comma == std::string::npos ? signature.find(')') - 1 : comma + 1);
      first = 1;
    }
    wanted += (wanted.empty() ? "" : " or ") + signature;
  }
  return name + ": " + given_text(args, kwargs, first) + " given, " + wanted + " wanted";
}

void reword(PyObject* args, PyObject* kwargs) {
  constexpr int kDepth = 3;
  py::error_already_set refused;
  try {
    PyObject* broken = broken_text(args, kDepth);
    if (broken == nullptr && kwargs != nullptr) broken = broken_text(kwargs, kDepth);
    if (broken != nullptr) {
      const std::string text = shown(broken) + " is no valid text: it has a lone surrogate";
      return PyErr_SetString(g_refusal, text.c_str());
    }
    const std::string text = py::cast<std::string>(py::str(refused.value()));
    if (text.find("arguments. The following argument types are supported:") != std::string::npos) {
      return PyErr_SetString(PyExc_TypeError, refusal(text, args, kwargs).c_str());
    }
  } catch (const std::exception&) {  // of a repr() of the caller's
    PyErr_Clear();
  }
  refused.restore();
}

PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* const result = g_call(self, args, kwargs);
  if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) reword(args, kwargs);
  return result;
}

void guard_function(PyObject* object) {
  if (PyInstanceMethod_Check(object) != 0) object = PyInstanceMethod_GET_FUNCTION(object);
  if (PyCFunction_Check(object) == 0) return;
  PyObject* const record = PyCFunction_GET_SELF(object);
  if (record == nullptr || PyCapsule_CheckExact(record) == 0) return;  // not made by pybind11
  PyMethodDef& definition = *reinterpret_cast<PyCFunctionObject*>(object)->m_ml;
  const auto now = reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(definition.ml_meth));
  if (g_call == nullptr) g_call = now;
  if (now == g_call) definition.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call));
}

void guard_calls(py::module_& m) {
  g_refusal = m.attr("InputError").ptr();
  for (const auto& [name, member] : m.attr("__dict__").cast<py::dict>()) {
    guard_function(member.ptr());
    if (!py::isinstance<py::type>(member)) continue;
    for (const auto& [word, attribute] : py::dict(member.attr("__dict__"))) {
      guard_function(attribute.ptr());
      for (const char* part : {"fget", "fset", "__func__"}) {  // of properties and static methods
        if (py::hasattr(attribute, part)) guard_function(attribute.attr(part).ptr());
      }
    }
  }
}

}  // namespace

PYBIND11_MODULE(_fathom, m) {
  m.doc() = "The C++ part of the package fathom.";
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
  bind_sensor_noise(m);
  bind_environments(m);
  bind_scene_files(m);
  bind_datasets(m);
  bind_beam(m);
  bind_beam_logs(m);
  bind_beam_fit(m);
  bind_calibrate(m);
  bind_chain_fits(m);
  bind_walls(m);
  bind_random(m);
  m.def(
      "versions",
      [] {
        const Versions v = versions();
        py::dict d;
        d["fathom"] = v.fathom, d["compiler"] = v.compiler;
        return d;
      },
      "The versions of fathom and of the compiler.");
  m.def(
      "detect_isa", [] { return to_string(detect_isa()); },
      "The widest instruction set that this computer can run: 'sse2', 'avx2' or 'avx512'; 'neon' on aarch64.");
  m.def("_is_made", &is_made, py::arg("object"), py::pos_only(),
        "Whether the __init__ of an object of one of these classes has ended.");
  guard_unmade_objects(m);
  guard_calls(m);
}

}  // namespace fathom::python

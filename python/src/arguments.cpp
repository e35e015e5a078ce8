// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <cmath>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>

namespace fathom::python {

namespace {

[[noreturn]] void fail(std::string_view name, const std::string& what) {
  throw InputError(std::string(name) + ": " + what);
}

void check_shape(const py::array& array, std::string_view name, const Shape& shape) {
  bool fits = static_cast<std::size_t>(array.ndim()) == shape.sizes.size();
  for (std::size_t i = 0; fits && i < shape.sizes.size(); ++i) {
    const py::ssize_t wanted = shape.sizes.begin()[i];
    fits = wanted < 0 || array.shape(static_cast<py::ssize_t>(i)) == wanted;
  }
  if (!fits) fail(name, "shape " + shape_text(array) + " given, " + shape.text + " wanted");
}

void check_kind(const py::array& array, std::string_view name, std::string_view kinds, const char* wanted) {
  if (kinds.find(array.dtype().kind()) == std::string_view::npos) {
    fail(name, py::cast<std::string>(py::str(py::object(array.dtype()))) + " given, " + wanted + " wanted");
  }
}

/// Where in an array an element is, as Python writes it: "[3, 1]".
std::string place_text(const py::array& array, std::size_t i) {
  std::string text;
  for (py::ssize_t axis = array.ndim(); axis-- > 0;) {
    const auto size = static_cast<std::size_t>(array.shape(axis));
    text = (axis > 0 ? ", " : "") + std::to_string(i % size) + text;
    i /= size;
  }
  return "[" + text + "]";
}

/// As contiguous numbers. Throws the error of NumPy: after a check of the type, only MemoryError.
template <class T>
py::array_t<T, py::array::c_style> contiguous(const py::array& given) {
  constexpr int kHow = py::array::c_style | py::array::forcecast | py::detail::npy_api::NPY_ARRAY_ENSUREARRAY_;
  const auto made = py::reinterpret_steal<py::object>(py::detail::npy_api::get().PyArray_FromAny_(
      given.ptr(), py::dtype::of<T>().release().ptr(), 0, 0, kHow, nullptr));
  if (!made) throw py::error_already_set();
  return py::reinterpret_borrow<py::array_t<T, py::array::c_style>>(made);
}

template <class T>
py::array_t<T, py::array::c_style> numbers(py::handle value, std::string_view name, const Shape& shape, Finite finite) {
  const py::array given = any_array(value, name);
  check_shape(given, name, shape);
  if (given.size() > 0) check_kind(given, name, "fiu", "numbers");
  const auto made = contiguous<T>(given);
  if (finite == Finite::kYes) {
    const T* data = made.data();
    for (std::size_t i = 0; i < static_cast<std::size_t>(made.size()); ++i) {
      if (!std::isfinite(data[i])) fail(name, "element " + place_text(made, i) + " is not finite");
    }
  }
  return made;
}

Quaternion unit(const Quaternion& q, std::string_view name, const std::string& place) {
  const double length = std::sqrt(dot(q, q));
  if (!(length >= 0.99 && length <= 1.01)) {
    fail(name, place + "length " + py::cast<std::string>(py::str(py::float_(length))) + " given, 1 within 0.01 wanted");
  }
  return std::abs(length - 1.0) < 1e-15 ? q : normalized(q);
}

}  // namespace

// Other memory than the host's is named instead of copied silently.
py::array any_array(py::handle value, std::string_view name) {
  if (py::isinstance<py::array>(value)) return py::reinterpret_borrow<py::array>(value);
  if (py::hasattr(value, "__dlpack_device__")) {
    const auto device = py::cast<py::tuple>(value.attr("__dlpack_device__")());
    if (py::cast<int>(device[0]) != 1) fail(name, "an array on another device given, one in the host's memory wanted");
  }
  try {
    if (py::hasattr(value, "__dlpack__") && !py::hasattr(value, "__array__")) {
      return py::cast<py::array>(py::module_::import("numpy").attr("from_dlpack")(value));
    }
    const auto made = py::reinterpret_steal<py::object>(
        py::detail::npy_api::get().PyArray_FromAny_(value.ptr(), nullptr, 0, 0, 0, nullptr));
    if (!made) throw py::error_already_set();
    return py::cast<py::array>(made);
  } catch (py::error_already_set& error) {
    if (error.matches(PyExc_KeyboardInterrupt) || error.matches(PyExc_MemoryError)) throw;
    fail(name, "not an array of numbers");
  }
}

py::array ravelled(py::handle value, std::string_view name) {
  return py::cast<py::array>(any_array(value, name).attr("ravel")());
}

std::string shape_text(const py::array& array) { return py::cast<std::string>(py::str(array.attr("shape"))); }

Doubles doubles(py::handle value, std::string_view name, const Shape& shape, Finite finite) {
  return numbers<double>(value, name, shape, finite);
}

Floats floats(py::handle value, std::string_view name, const Shape& shape, Finite finite) {
  return numbers<float>(value, name, shape, finite);
}

Integers integers(py::handle value, std::string_view name, const Shape& shape, std::int64_t low, std::int64_t high) {
  const py::array given = any_array(value, name);
  check_shape(given, name, shape);
  if (given.size() > 0) check_kind(given, name, "iu", "whole numbers");
  auto made = contiguous<std::int64_t>(given);
  const std::int64_t* data = made.data();
  for (std::size_t i = 0; i < static_cast<std::size_t>(made.size()); ++i) {
    if (!(data[i] >= low && data[i] <= high)) {
      fail(name, "element " + place_text(made, i) + " = " + std::to_string(data[i]) + " is not in [" +
                     std::to_string(low) + ", " + std::to_string(high) + "]");
    }
  }
  return made;
}

void check_lengths(const py::array& a, std::string_view a_name, const py::array& b, std::string_view b_name) {
  if (a.shape(0) == b.shape(0)) return;
  fail(b_name, "shape " + shape_text(b) + " given, as many entries as " + std::string(a_name) +
                   " wanted, whose shape is " + shape_text(a));
}

double finite_number(double value, std::string_view name) {
  if (!std::isfinite(value)) fail(name, "it is not finite");
  return value;
}

std::uint64_t whole(py::handle value, std::string_view name, std::uint64_t low, std::uint64_t high) {
  const auto text = [&] { return py::cast<std::string>(py::repr(value)); };
  if (PyBool_Check(value.ptr()) != 0 || PyIndex_Check(value.ptr()) == 0) fail(name, text() + " is not a whole number");
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  const std::uint64_t read = PyLong_AsUnsignedLongLong(number.ptr());
  const bool failed = PyErr_Occurred() != nullptr;
  if (failed) PyErr_Clear();
  if (failed || read < low || read > high) {
    fail(name, text() + " is not in [" + std::to_string(low) + ", " + std::to_string(high) + "]");
  }
  return read;
}

std::uint32_t whole32(py::handle value, std::string_view name) {
  return static_cast<std::uint32_t>(whole(value, name, 0, 0xffffffffU));
}

std::uint64_t seed_of(py::handle value) { return whole(value, "seed", 0, ~std::uint64_t{0}); }

double real(py::handle value, std::string_view name) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    fail(name, py::cast<std::string>(py::repr(value)) + " is not a number");
  }
  return number;
}

Vec3 vec3(py::handle value, std::string_view name) {
  const Doubles v = doubles(value, name, {{3}, "(3,)"});
  return {v.data()[0], v.data()[1], v.data()[2]};
}

Pose pose_of(py::handle value, std::string_view name) {
  if (py::isinstance<Pose>(value)) return py::cast<Pose>(value);
  return {vec3(value, name), {}};
}

Trajectory trajectory_of(py::handle value, std::string_view name) {
  if (py::isinstance<Trajectory>(value)) return py::cast<Trajectory>(value);
  return pose_of(value, name);
}

PlanarPose planar_pose_of(py::handle value, std::string_view name) {
  const Doubles v = doubles(value, name, {{3}, "(3,): x, y, yaw"});
  return {v.data()[0], v.data()[1], v.data()[2]};
}

std::vector<Quaternion> quaternions(py::handle quat_wxyz, py::handle quat_xyzw, py::ssize_t count) {
  if (quat_wxyz.is_none() && quat_xyzw.is_none()) return {};
  if (!quat_wxyz.is_none() && !quat_xyzw.is_none()) fail("quat_xyzw", "and quat_wxyz are both given; one is enough");
  const bool is_wxyz = !quat_wxyz.is_none();
  const char* name = is_wxyz ? "quat_wxyz" : "quat_xyzw";
  const std::string wanted = "(" + std::to_string(count) + ", 4)";
  const Doubles given = doubles(is_wxyz ? quat_wxyz : quat_xyzw, name, {{count, 4}, wanted.c_str()});
  std::vector<Quaternion> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double* q = given.data() + 4 * i;
    made[i] = is_wxyz ? Quaternion{q[0], q[1], q[2], q[3]} : Quaternion{q[3], q[0], q[1], q[2]};
    const double square = dot(made[i], made[i]);
    if (!(square > 1 - 1e-15 && square < 1 + 1e-15))
      made[i] = unit(made[i], name, "element [" + std::to_string(i) + "] ");
  }
  return made;
}

std::vector<Pose> poses_of(const Doubles& positions, py::handle quat_wxyz, py::handle quat_xyzw) {
  const std::vector<Quaternion> rotations = quaternions(quat_wxyz, quat_xyzw, positions.shape(0));
  std::vector<Pose> poses(static_cast<std::size_t>(positions.shape(0)));
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double* p = positions.data() + 3 * i;
    poses[i].translation_m = {p[0], p[1], p[2]};
    if (!rotations.empty()) poses[i].rotation = rotations[i];
  }
  return poses;
}

EntityId entity_of(const Scene& scene, py::handle name_or_id, std::string_view name) {
  if (py::isinstance<py::str>(name_or_id)) return scene.find_entity(py::cast<std::string>(name_or_id));
  const std::size_t count = scene.entities().size();
  if (count == 0) fail(name, "the scene has no entity");
  return static_cast<EntityId>(whole(name_or_id, name, 0, count - 1));
}

ChannelSet channels_of(py::handle names) {
  ChannelSet set;
  const auto add = [&](py::handle name) {
    if (!py::isinstance<py::str>(name)) fail("channels", py::cast<std::string>(py::repr(name)) + " is not a name");
    set.insert(static_cast<Channel>(position_of(py::cast<std::string_view>(name), kChannelNames, "channels")));
  };
  if (py::isinstance<py::str>(names)) return add(names), set;
  if (!py::isinstance<py::iterable>(names)) fail("channels", "not a list of names");
  for (const py::handle name : names) add(name);
  if (set == ChannelSet{}) fail("channels", "no channel given, at least one wanted");
  return set;
}

Compute compute_of(int threads, const std::optional<std::string>& isa, std::string_view device,
                   std::uintptr_t cuda_stream) {
  Compute compute;
  compute.threads = threads;
  if (isa) compute.isa = static_cast<Isa>(position_of(*isa, kIsaWords, "isa"));
  compute.device = device_named(device), compute.cuda_stream = cuda_stream;
  validate(compute);
  return compute;
}

std::size_t position_of(std::string_view word, std::span<const std::string_view> words, std::string_view name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
  }
  std::string text = "'" + std::string(word) + "' is not one of ";
  for (std::size_t i = 0; i < words.size(); ++i) text += (i > 0 ? ", " : "") + std::string(words[i]);
  const std::string_view likely = likely_name(word, words);
  if (!likely.empty()) text += "; did you mean '" + std::string(likely) + "'?";
  fail(name, text);
}

py::array_t<double> array_of(const Vec3& v) {
  const std::array<double, 3> values = {v.x, v.y, v.z};
  return copied<double>(values);
}

py::array_t<double> array_wxyz(const Quaternion& q) {
  const std::array<double, 4> values = {q.w, q.x, q.y, q.z};
  return copied<double>(values);
}

py::array_t<double> array_xyzw(const Quaternion& q) {
  const std::array<double, 4> values = {q.x, q.y, q.z, q.w};
  return copied<double>(values);
}

py::tuple tuple_of(const PlanarPose& pose) { return py::make_tuple(pose.x_m, pose.y_m, pose.yaw_rad); }

py::array readonly_view(const py::dtype& type, std::vector<py::ssize_t> shape, const void* data, py::object owner) {
  py::array view(type, std::move(shape), std::vector<py::ssize_t>{}, data, owner);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

}  // namespace fathom::python

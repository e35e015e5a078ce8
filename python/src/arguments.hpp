// SPDX-License-Identifier: MIT
#pragma once
// Arguments as the library takes them. Every refusal is an InputError that names the argument, what was given and what
// is wanted: "positions: shape (3, 2) given, (K, 3) wanted".

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/files/meshes.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/scene/trajectory.hpp>

#include "binding.hpp"

namespace fathom::python {

/// The shape that an array must have: -1 stands for any number, `text` for people.
struct Shape {
  std::initializer_list<py::ssize_t> sizes;
  const char* text;
};
enum class Finite : std::uint8_t { kYes, kNo };  ///< whether NaN and infinities are refused

/// Any array as one of NumPy's, of any type and shape; ravelled: of one axis.
py::array any_array(py::handle value, std::string_view name);
py::array ravelled(py::handle value, std::string_view name);

/// Arrays of numbers as contiguous ones: the array itself where it is that already, else a copy. Takes whatever NumPy
/// or DLPack reads from the host's memory; strided arrays too.
using Doubles = py::array_t<double, py::array::c_style>;
using Floats = py::array_t<float, py::array::c_style>;
using Integers = py::array_t<std::int64_t, py::array::c_style>;
Doubles doubles(py::handle value, std::string_view name, const Shape& shape, Finite finite = Finite::kYes);
Floats floats(py::handle value, std::string_view name, const Shape& shape, Finite finite = Finite::kYes);
Integers integers(py::handle value, std::string_view name, const Shape& shape, std::int64_t low, std::int64_t high);

template <class T>
std::span<const T> span_of(const py::array_t<T, py::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}
/// The shape of an array as Python writes it: "(3, 2)".
std::string shape_text(const py::array& array);
/// Throws unless two arrays have one entry for each other.
void check_lengths(const py::array& a, std::string_view a_name, const py::array& b, std::string_view b_name);

double finite_number(double value, std::string_view name);
std::uint64_t whole(py::handle value, std::string_view name, std::uint64_t low, std::uint64_t high);
std::uint32_t whole32(py::handle value, std::string_view name);
std::uint64_t seed_of(py::handle value);
double real(py::handle value, std::string_view name);
Vec3 vec3(py::handle value, std::string_view name);
Pose pose_of(py::handle value, std::string_view name);              ///< a Pose, or a position [3]
Trajectory trajectory_of(py::handle value, std::string_view name);  ///< the same, or a Trajectory
PlanarPose planar_pose_of(py::handle value, std::string_view name);
/// Quaternions [K, 4] from at most one of the arguments. Both None: no rotations, and an empty result. Checks that the
/// lengths are 1 within 0.01, and normalises.
std::vector<Quaternion> quaternions(py::handle quat_wxyz, py::handle quat_xyzw, py::ssize_t count);
/// Poses from positions [K, 3] and quaternions as above.
std::vector<Pose> poses_of(const Doubles& positions, py::handle quat_wxyz, py::handle quat_xyzw);
/// The rotation from the axes of fathom to a camera's convention: "fathom", "ros", "opengl".
Quaternion convention_axes(std::string_view convention);
EntityId entity_of(const Scene& scene, py::handle name_or_id, std::string_view name);
ChannelSet channels_of(py::handle names);
std::optional<UpAxis> up_axis_of(const std::optional<std::string>& word);
/// From threads and the names of isa and device.
Compute compute_of(int threads, const std::optional<std::string>& isa, std::string_view device = "cpu",
                   std::uintptr_t cuda_stream = 0);

/// The position of a word among others; the refusal lists them and names the nearest.
std::size_t position_of(std::string_view word, std::span<const std::string_view> words, std::string_view name);
template <class E>
E word_of(std::string_view word, std::string_view name) {
  return static_cast<E>(position_of(word, kChoiceWords<E>, name));
}

// Values of fields (fathom/core/field.hpp): numbers, flags, words, lists, pairs and poses.
std::vector<double> field_numbers(const FieldInfo& field, py::handle value, std::string_view owner);
py::object field_object(const FieldInfo& field, std::span<const double> numbers);
py::dict field_dict(const FieldInfo& field);

// Small arrays as copies.
py::array_t<double> array_of(const Vec3& v);
py::array_t<double> array_wxyz(const Quaternion& q);
py::array_t<double> array_xyzw(const Quaternion& q);
py::tuple tuple_of(const PlanarPose& pose);
template <class T>
py::array_t<T> copied(std::span<const T> values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}
/// Memory that lives as long as `owner`, which is what the view keeps, as an array that cannot be written.
py::array readonly_view(const py::dtype& type, std::vector<py::ssize_t> shape, const void* data, py::object owner);

}  // namespace fathom::python

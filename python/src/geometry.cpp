// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <optional>

#include <fathom/core/error.hpp>
#include <fathom/scene/trajectory.hpp>

#include "arguments.hpp"

namespace fathom::python {

namespace {

// Of a camera whose own axes are x right, y down, z forward (ROS), or x right, y up, z backward (OpenGL, MuJoCo): what
// turns the axes of fathom, x forward, y left, z up, into them.
constexpr std::array<std::string_view, 3> kConventions = {"fathom", "ros", "opengl"};
constexpr std::array<Quaternion, 3> kConventionFromFathom = {Quaternion{}, Quaternion{0.5, 0.5, -0.5, 0.5},
                                                             Quaternion{0.5, -0.5, 0.5, 0.5}};

/// Of a rotation matrix [3][3], by its largest component (Shepperd 1978).
Quaternion from_matrix(const double (&m)[3][3]) {
  const double trace = m[0][0] + m[1][1] + m[2][2];
  const std::array<double, 4> squares = {trace, m[0][0], m[1][1], m[2][2]};
  const auto largest = std::max_element(squares.begin(), squares.end()) - squares.begin();
  Quaternion q;
  if (largest == 0) {
    q = {1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
  } else if (largest == 1) {
    q = {m[2][1] - m[1][2], 1 + 2 * m[0][0] - trace, m[0][1] + m[1][0], m[0][2] + m[2][0]};
  } else if (largest == 2) {
    q = {m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + 2 * m[1][1] - trace, m[1][2] + m[2][1]};
  } else {
    q = {m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + 2 * m[2][2] - trace};
  }
  return normalized(q);
}

void check_rotation(const double (&m)[3][3]) {
  const Vec3 x = {m[0][0], m[1][0], m[2][0]}, y = {m[0][1], m[1][1], m[2][1]}, z = {m[0][2], m[1][2], m[2][2]};
  const double worst = std::max({std::abs(dot(x, y)), std::abs(dot(y, z)), std::abs(dot(z, x)), std::abs(norm(x) - 1),
                                 std::abs(norm(y) - 1), std::abs(norm(z) - 1)});
  if (!(worst <= 1e-3 && dot(cross(x, y), z) > 0)) throw InputError("matrix: not a rotation within 0.001");
}

/// A matrix [3, 3] of rotation, or [3, 4] or [4, 4] with the position in the last column.
Pose pose_from_matrix(py::handle matrix, bool has_position) {
  const Doubles a = doubles(matrix, "matrix", {{-1, -1}, "(4, 4), (3, 4) or (3, 3)"});
  const py::ssize_t rows = a.shape(0), cols = a.shape(1);
  if (!((rows == 4 && cols == 4) || (rows == 3 && (cols == 3 || cols == 4)))) {
    throw InputError("matrix: shape " + shape_text(a) + " given, (4, 4), (3, 4) or (3, 3) wanted");
  }
  double m[3][3];
  for (py::ssize_t i = 0; i < 3; ++i) {
    for (py::ssize_t j = 0; j < 3; ++j) m[i][j] = a.at(i, j);
  }
  check_rotation(m);
  if (rows == 4 && !(a.at(3, 0) == 0 && a.at(3, 1) == 0 && a.at(3, 2) == 0 && a.at(3, 3) == 1)) {
    throw InputError("matrix: its last row is not 0, 0, 0, 1");
  }
  Pose pose = {{}, from_matrix(m)};
  if (cols == 4) {
    if (has_position) throw InputError("matrix: a position and one in the matrix are both given; one is enough");
    pose.translation_m = {a.at(0, 3), a.at(1, 3), a.at(2, 3)};
  }
  return pose;
}

Quaternion one_quaternion(py::handle value, const char* name) {
  const Doubles q = doubles(value, name, {{4}, "(4,)"});
  const bool is_wxyz = std::string_view(name) == "quat_wxyz";
  const py::object row = q.attr("reshape")(1, 4), none = py::none();
  return quaternions(is_wxyz ? row : none, is_wxyz ? none : row, 1)[0];
}

Pose make_pose(const py::object& position_m, const py::object& quat_wxyz, const py::object& quat_xyzw,
               const py::object& rpy_rad, const py::object& rpy_deg, const py::object& matrix,
               const std::string& convention) {
  const std::array<const py::object*, 5> rotations = {&quat_wxyz, &quat_xyzw, &rpy_rad, &rpy_deg, &matrix};
  if (std::count_if(rotations.begin(), rotations.end(), [](const py::object* r) { return !r->is_none(); }) > 1) {
    throw InputError("Pose: more than one rotation given; give one of quat_wxyz, quat_xyzw, rpy_rad, rpy_deg, matrix");
  }
  Pose pose;
  if (!matrix.is_none()) pose = pose_from_matrix(matrix, !position_m.is_none());
  if (!position_m.is_none()) pose.translation_m = vec3(position_m, "position_m");
  if (!quat_wxyz.is_none()) pose.rotation = one_quaternion(quat_wxyz, "quat_wxyz");
  if (!quat_xyzw.is_none()) pose.rotation = one_quaternion(quat_xyzw, "quat_xyzw");
  if (!rpy_rad.is_none()) {
    const Vec3 a = vec3(rpy_rad, "rpy_rad");
    pose.rotation = from_roll_pitch_yaw(a.x, a.y, a.z);
  }
  if (!rpy_deg.is_none()) {
    const Vec3 a = vec3(rpy_deg, "rpy_deg");
    pose.rotation = from_roll_pitch_yaw(a.x * kRadPerDeg, a.y * kRadPerDeg, a.z * kRadPerDeg);
  }
  const Quaternion axes = convention_axes(convention);
  if (!(axes == Quaternion{})) pose.rotation = pose.rotation * axes;
  return Trajectory(pose).keys()[0].pose;  // refuses poses that are too far
}

py::array_t<double> matrix_of(const Pose& pose) {
  py::array_t<double> m({4, 4});
  auto a = m.mutable_unchecked<2>();
  const std::array<Vec3, 3> columns = {rotate(pose.rotation, {1, 0, 0}), rotate(pose.rotation, {0, 1, 0}),
                                       rotate(pose.rotation, {0, 0, 1})};
  for (py::ssize_t j = 0; j < 3; ++j) {
    const Vec3 c = columns[static_cast<std::size_t>(j)];
    a(0, j) = c.x, a(1, j) = c.y, a(2, j) = c.z, a(3, j) = 0;
  }
  const Vec3 t = pose.translation_m;
  a(0, 3) = t.x, a(1, 3) = t.y, a(2, 3) = t.z, a(3, 3) = 1;
  return m;
}

/// Points [..., 3] carried by a pose, as a new array.
py::array_t<double> transformed(const Pose& pose, const py::object& points) {
  const py::array any = any_array(points, "points");
  if (any.ndim() < 1 || any.shape(any.ndim() - 1) != 3) {
    throw InputError("points: shape " + shape_text(any) + " given, (..., 3) wanted");
  }
  const py::object rows = any.attr("reshape")(-1, 3);
  const Doubles given = doubles(rows, "points", {{-1, 3}, "(..., 3)"}, Finite::kNo);
  py::array_t<double> made(std::vector<py::ssize_t>(any.shape(), any.shape() + any.ndim()));
  const double* in = given.data();
  double* out = made.mutable_data();
  for (py::ssize_t i = 0; i < given.size(); i += 3) {
    const Vec3 p = pose * Vec3{in[i], in[i + 1], in[i + 2]};
    out[i] = p.x, out[i + 1] = p.y, out[i + 2] = p.z;
  }
  return made;
}

std::string numbers_text(std::initializer_list<double> numbers) {
  std::string text;
  for (const double number : numbers) {
    text += (text.empty() ? "" : ", ") + py::cast<std::string>(py::str("{:.6g}").format(number));
  }
  return "[" + text + "]";
}

std::string pose_text(const Pose& pose) {
  const Vec3 t = pose.translation_m;
  const Quaternion q = pose.rotation;
  std::string text = "Pose(" + numbers_text({t.x, t.y, t.z});
  if (!(q == Quaternion{})) text += ", quat_wxyz=" + numbers_text({q.w, q.x, q.y, q.z});
  return text + ")";
}

void bind_pose(py::module_& m) {
  using namespace py::literals;
  py::class_<Pose>(m, "Pose",
                   "A place and a rotation: rotate, then translate. Frames are x forward, y left, z up; lengths are m.")
      .def(py::init(&make_pose), "position_m"_a = py::none(), py::kw_only(), "quat_wxyz"_a = py::none(),
           "quat_xyzw"_a = py::none(), "rpy_rad"_a = py::none(), "rpy_deg"_a = py::none(), "matrix"_a = py::none(),
           "convention"_a = "fathom",
           "position_m [3]; and one rotation, or none: a quaternion [4] of length 1 within 0.01; roll, pitch and yaw\n"
           "[3] about the fixed axes x, y, z, as in ROS and URDF; or a matrix [4, 4], [3, 4] (with the position) or\n"
           "[3, 3].\n\n"
           "convention: the axes of the camera that the rotation turns: 'fathom' (x forward, z up), 'ros' (z forward,\n"
           "y down) or 'opengl' (looking along -z, y up; MuJoCo's cameras too).")
      .def_property_readonly(
          "position_m", [](const Pose& p) { return array_of(p.translation_m); }, "[3], m; a copy.")
      .def_property_readonly(
          "quat_wxyz", [](const Pose& p) { return array_wxyz(p.rotation); }, "[4]; a copy.")
      .def_property_readonly(
          "quat_xyzw", [](const Pose& p) { return array_xyzw(p.rotation); }, "[4]; a copy.")
      .def_property_readonly("matrix", &matrix_of, "[4, 4], which carries homogeneous points; a copy.")
      .def(
          "inverse", [](const Pose& p) { return inverse(p); }, "The pose that undoes this one.")
      .def("apply", &transformed, "points"_a, "Points [..., 3] carried by this pose: a new array, float64.")
      .def(
          "interpolate",
          [](const Pose& a, const Pose& b, double u) { return interpolate(a, b, finite_number(u, "u")); }, "other"_a,
          "u"_a,
          "The pose between this one (u = 0) and another (u = 1): linear in position, the shorter arc in rotation.")
      .def(
          "__matmul__", [](const Pose& a, const Pose& b) { return a * b; }, py::is_operator())
      .def(
          "__eq__", [](const Pose& a, const Pose& b) { return a == b; }, py::is_operator())
      .def("__hash__",
           [](const Pose& p) {
             // Of numbers, not of their bits: 0 and -0 are equal.
             const Vec3& t = p.translation_m;
             const Quaternion& q = p.rotation;
             return py::hash(py::make_tuple(t.x, t.y, t.z, q.w, q.x, q.y, q.z));
           })
      .def("__repr__", &pose_text)
      .def(py::pickle(
          [](const Pose& p) {
            const Vec3 t = p.translation_m;
            const Quaternion q = p.rotation;
            return py::make_tuple(t.x, t.y, t.z, q.w, q.x, q.y, q.z);
          },
          [](const py::tuple& t) {
            const auto at = [&](std::size_t i) { return py::cast<double>(t[i]); };
            return Pose{{at(0), at(1), at(2)}, {at(3), at(4), at(5), at(6)}};
          }));
}

Trajectory make_trajectory(const py::object& stamps_s, const py::object& positions_m, const py::object& quat_wxyz,
                           const py::object& quat_xyzw, bool loop) {
  const Doubles stamps = doubles(stamps_s, "stamps_s", {{-1}, "(K,)"});
  const Doubles positions = doubles(positions_m, "positions_m", {{-1, 3}, "(K, 3)"});
  check_lengths(stamps, "stamps_s", positions, "positions_m");
  const std::vector<Pose> poses = poses_of(positions, quat_wxyz, quat_xyzw);
  std::vector<Trajectory::Key> keys(poses.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {stamps.data()[i], poses[i]};
  return Trajectory(std::move(keys), loop);
}

void bind_trajectory(py::module_& m) {
  using namespace py::literals;
  py::class_<Trajectory>(m, "Trajectory",
                         "A pose over time: linear in position and spherical-linear in rotation between keys; held\n"
                         "before the first and after the last one, or repeated when loop is set.")
      .def(py::init(&make_trajectory), "stamps_s"_a, "positions_m"_a, py::kw_only(), "quat_wxyz"_a = py::none(),
           "quat_xyzw"_a = py::none(), "loop"_a = false,
           "stamps_s [K], strictly increasing; positions_m [K, 3]; quaternions [K, 4] or none: no rotation.")
      .def(
          "at", [](const Trajectory& t, double stamp_s) { return t.at(finite_number(stamp_s, "stamp_s")); },
          "stamp_s"_a, "The pose at a time.")
      .def_property_readonly("is_fixed", &Trajectory::is_fixed, "Whether it is a pose that never changes.")
      .def_property_readonly("loops", &Trajectory::loops, "Whether it is repeated after its last key.")
      .def_property_readonly(
          "stamps_s",
          [](const Trajectory& t) {
            std::vector<double> stamps;
            for (const Trajectory::Key& key : t.keys()) stamps.push_back(key.stamp_s);
            return copied<double>(stamps);
          },
          "[K], s; a copy.")
      .def_property_readonly(
          "poses",
          [](const Trajectory& t) {
            py::list poses;
            for (const Trajectory::Key& key : t.keys()) poses.append(key.pose);
            return poses;
          },
          "The poses of the keys.")
      .def("__repr__", [](const Trajectory& t) {
        return t.is_fixed() ? pose_text(t.keys()[0].pose)
                            : "Trajectory of " + std::to_string(t.keys().size()) + " poses, " +
                                  numbers_text({t.keys().front().stamp_s, t.keys().back().stamp_s}) + " s";
      });
  m.def("read_trajectory", &read_trajectory, "file"_a,
        "Reads a file in TUM format: lines 'stamp x y z qx qy qz qw' (s, m), # comments.");
}

}  // namespace

Quaternion convention_axes(std::string_view convention) {
  return kConventionFromFathom.at(position_of(convention, kConventions, "convention"));
}

void bind_geometry(py::module_& m) {
  bind_pose(m);
  bind_trajectory(m);
}

}  // namespace fathom::python

// SPDX-License-Identifier: MIT
// Meshes of capsules, ellipsoids and terrain, and the parts of mesh files.
#include <cstring>
#include <memory>
#include <optional>

#include <fathom/files/meshes.hpp>

#include "arguments.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

std::shared_ptr<Mesh> shared_mesh(Mesh mesh) { return std::make_shared<Mesh>(std::move(mesh)); }

std::shared_ptr<Mesh> height_field(const py::object& heights_m, const py::object& size_m, double base_m) {
  const Floats given = floats(heights_m, "heights_m", {{-1, -1}, "(rows, cols)"});
  const Doubles size = doubles(size_m, "size_m", {{2}, "(2,)"});
  HeightField field;
  field.rows = static_cast<std::uint32_t>(given.shape(0)), field.cols = static_cast<std::uint32_t>(given.shape(1));
  field.heights_m.assign(given.data(), given.data() + given.size());
  field.size_x_m = size.data()[0], field.size_y_m = size.data()[1], field.base_m = base_m;
  return shared_mesh(make_height_field(field));
}

py::array_t<float> heights_of(const HeightField& field) {
  py::array_t<float> made({static_cast<py::ssize_t>(field.rows), static_cast<py::ssize_t>(field.cols)});
  if (made.size() > 0) std::memcpy(made.mutable_data(), field.heights_m.data(), field.heights_m.size() * sizeof(float));
  return made;
}

py::dict mesh_parts(const std::filesystem::path& file, const std::string& split,
                    const std::optional<std::string>& up_axis) {
  static constexpr std::array<std::string_view, 2> kSplits = {"nodes", "materials"};
  const auto by = static_cast<MeshSplit>(position_of(split, kSplits, "split"));
  py::dict parts;
  for (MeshPart& part : read_mesh_parts(file, by, up_axis_of(up_axis))) {
    parts[py::str(part.name)] = shared_mesh(std::move(part.mesh));
  }
  return parts;
}

void bind_height_fields(py::module_& m) {
  m.def("height_field", &height_field, "heights_m"_a, "size_m"_a, "base_m"_a = 0.0,
        "Terrain of heights_m [rows, cols] over a centred rectangle, size_m [2]: columns along x, the first row at the "
        "least y.\n"
        "base_m: how far a closed body reaches below z = 0; 0: a surface without a body.");
  m.def(
      "read_height_image",
      [](const std::filesystem::path& file, double elevation_m, bool stretch) {
        HeightImageOptions options;
        options.elevation_m = elevation_m, options.stretch = stretch;
        return heights_of(read_height_image(file, options));
      },
      "file"_a, "elevation_m"_a, py::kw_only(), "stretch"_a = false,
      "Heights float32 [rows, cols], m, for height_field(), from a grey PNG or PGM of 8 or 16 bits: black is 0 m, "
      "white\n"
      "elevation_m, and the top row of the picture is the last one here. stretch: the lowest pixel is 0 m and the\n"
      "highest elevation_m, as MuJoCo reads pictures.");
  m.def(
      "read_height_array", [](const std::filesystem::path& file) { return heights_of(read_height_array(file)); },
      "file"_a,
      "Heights float32 [rows, cols], m, for height_field(), from an NPY file; the first row has the least y.");
}

}  // namespace

std::optional<UpAxis> up_axis_of(const std::optional<std::string>& word) {
  static constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
  if (!word) return std::nullopt;
  return static_cast<UpAxis>(position_of(*word, kAxes, "up_axis"));
}

void bind_shapes(py::module_& m) {
  m.def(
      "capsule", [](double r, double h, std::uint32_t n) { return shared_mesh(make_capsule(r, h, n)); }, "radius_m"_a,
      "height_m"_a, "segments"_a = kUsualSegments,
      "A centred closed capsule along z, inscribed: a cylinder of height_m between two half spheres.");
  m.def(
      "ellipsoid",
      [](const py::object& radii, std::uint32_t n) { return shared_mesh(make_ellipsoid(vec3(radii, "radii_m"), n)); },
      "radii_m"_a, "segments"_a = kUsualSegments, "A centred ellipsoid, inscribed; radii_m [3]: its half axes.");
  bind_height_fields(m);
  m.def("read_mesh_parts", &mesh_parts, "file"_a, "split"_a, "up_axis"_a = py::none(),
        "The parts of a mesh file as meshes by their names, in the order in which they begin: what read_mesh() joins.\n"
        "split: 'nodes' (of glTF and DAE; objects or groups of OBJ) or 'materials'.");
}

}  // namespace fathom::python

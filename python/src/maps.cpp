// SPDX-License-Identifier: MIT
#include <memory>

#include <fathom/core/error.hpp>

#include "arguments.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

using MapPtr = std::shared_ptr<GridMap>;

MapPtr make_map(const py::object& cells, double resolution_m, const py::object& origin) {
  const Integers given = integers(cells, "cells", {{-1, -1}, "(rows, cols)"}, 0, 2);
  auto map = std::make_shared<GridMap>();
  map->rows = static_cast<std::uint32_t>(given.shape(0));
  map->cols = static_cast<std::uint32_t>(given.shape(1));
  map->resolution_m = resolution_m;
  map->world_from_map = planar_pose_of(origin, "origin");
  for (const std::int64_t cell : span_of(given)) map->cells.push_back(static_cast<Cell>(cell));
  validate(*map);
  return map;
}

}  // namespace

void bind_maps(py::module_& m) {
  py::class_<GridMap, MapPtr>(
      m, "GridMap",
      "An occupancy grid as ROS' map_server has it. Row 0 is at the bottom; cell (r, c) is the\n"
      "square [c, c + 1) x [r, r + 1) in units of the resolution, in the map's frame.")
      .def(py::init(&make_map), "cells"_a, "resolution_m"_a = 0.05, "origin"_a = py::make_tuple(0, 0, 0),
           "cells [rows, cols]: 0 free, 1 occupied, 2 unknown; origin (x_m, y_m, yaw_rad): the pose of the lower left\n"
           "corner in the world.")
      .def_property_readonly(
          "cells",
          [](const MapPtr& map) {
            const py::capsule owner(new MapPtr(map), [](void* p) { delete static_cast<MapPtr*>(p); });
            return readonly_view(py::dtype::of<std::uint8_t>(),
                                 {static_cast<py::ssize_t>(map->rows), static_cast<py::ssize_t>(map->cols)},
                                 map->cells.data(), owner);
          },
          "uint8 [rows, cols]; read-only, no copy.")
      .def_readonly("resolution_m", &GridMap::resolution_m)
      .def_property_readonly(
          "origin", [](const GridMap& map) { return tuple_of(map.world_from_map); }, "(x_m, y_m, yaw_rad)")
      .def(
          "walls", [](const GridMap& map, double h) { return std::make_shared<Mesh>(make_walls(map, h)); },
          "height_m"_a, "The occupied cells as blocks on the x-y plane: a Mesh of a world in which the map is right.")
      .def("__repr__", [](const GridMap& map) {
        return "GridMap of " + std::to_string(map.rows) + " x " + std::to_string(map.cols) + " cells";
      });
  m.def(
      "read_grid_map", [](const std::filesystem::path& file) { return std::make_shared<GridMap>(read_grid_map(file)); },
      "yaml_file"_a, "Reads a map_server YAML file and the image that it names.");
  m.def("grid_map_image", &grid_map_image, "yaml_file"_a, "The image that a map_server YAML file names.");
}

}  // namespace fathom::python

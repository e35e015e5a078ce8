// SPDX-License-Identifier: MIT
// Heatmaps of scans.
#include <memory>
#include <optional>

#include "beam_values.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

py::array_t<double> heat_array(const Heatmap& h) {
  return copied<double>(h.log_likelihood).attr("reshape")(h.grid.rows, h.grid.cols);
}

HeatmapPtr heatmap(const py::dict& parameters, const py::dict& sensor, const World& world, const py::object& rays,
                   const py::object& readings, const GridMap& map, double spacing_m, std::size_t headings,
                   std::size_t ray_step, double alpha, int threads) {
  const RayFan fan = fan_of(rays);
  const std::string wanted = "(" + std::to_string(fan.size()) + ",)";
  const Floats z = floats(readings, "readings", {{static_cast<py::ssize_t>(fan.size())}, wanted.c_str()}, Finite::kNo);
  HeatmapOptions options;
  options.headings = headings;
  options.score = {.ray_step = ray_step, .alpha = alpha, .compute = {.threads = threads}};
  const auto p = beam_parameters_of(parameters);
  const auto s = model_of<BeamSensor>(sensor);
  auto made = std::make_shared<Heatmap>();
  released_watched([&](const auto& check) {
    options.on_progress = [&](double) { check(); };
    *made = make_heatmap(p, s, world, fan, span_of(z), free_positions(map, spacing_m), options);
  });
  return made;
}

void write_picture(const Heatmap& h, const std::filesystem::path& file, const GridMap& map, std::uint32_t pixels,
                   const py::object& truth, const std::string& truth_name, const py::object& hits_world) {
  HeatmapPicture picture;
  picture.pixels = pixels;
  if (!truth.is_none()) picture.truth = planar_pose_of(truth, "truth");
  picture.truth_name = truth_name;
  if (!hits_world.is_none()) {
    const Doubles hits = doubles(hits_world, "hits_world", {{-1, 3}, "(N, 3)"});
    for (py::ssize_t i = 0; i < hits.size(); i += 3) {
      picture.scan_hits_world.push_back({hits.data()[i], hits.data()[i + 1], hits.data()[i + 2]});
    }
  }
  check_heatmap_name(file);
  released([&] { write_heatmap(file, h, map, picture); });
}

}  // namespace

void bind_heatmap(py::module_& m) {
  py::class_<Heatmap, HeatmapPtr>(
      m, "Heatmap", "Where a scan could have been made: its likelihood over positions, at the best heading of each.")
      .def_property_readonly("log_likelihood", &heat_array, "float64 [rows, cols]; NaN where not scored.")
      .def_property_readonly(
          "yaw_rad",
          [](const Heatmap& h) { return copied<float>(h.yaw_rad).attr("reshape")(h.grid.rows, h.grid.cols); },
          "float32 [rows, cols]: the heading that has it, in the world.")
      .def_property_readonly("spacing_m", [](const Heatmap& h) { return h.grid.spacing_m; })
      .def_property_readonly(
          "origin", [](const Heatmap& h) { return tuple_of(h.grid.world_from_grid); },
          "(x_m, y_m, yaw_rad) of [0, 0] in the world.")
      .def_property_readonly(
          "best", [](const Heatmap& h) { return tuple_of(h.best); }, "(x_m, y_m, yaw_rad), of the grid.")
      .def_readonly("best_log_likelihood", &Heatmap::best_log_likelihood)
      .def_property_readonly(
          "refined", [](const Heatmap& h) { return tuple_of(h.refined); },
          "(x_m, y_m, yaw_rad): the best pose between those of the grid.")
      .def_readonly("refined_log_likelihood", &Heatmap::refined_log_likelihood)
      .def_readonly("rays", &Heatmap::rays, "How many carry evidence and were scored.")
      .def("write_png", &write_picture, "file"_a, "map"_a, "pixels"_a = 1600, "truth"_a = py::none(),
           "truth_name"_a = "pose in the log", "hits_world"_a = py::none(),
           "Draws it over the map: truth (x_m, y_m, yaw_rad) as a ring; hits_world [N, 3] as dots.");
  m.def("_heatmap", &heatmap);
  m.def("_heatmap_of_log", [](const py::dict& parameters, const py::dict& sensor, const World& world,
                              const ScanLog& log, const py::object& scan, const GridMap& map, double spacing_m,
                              std::size_t headings, std::optional<std::size_t> ray_step, int threads) {
    HeatmapLogOptions options;
    options.spacing_m = spacing_m, options.headings = headings, options.ray_step = ray_step;
    options.compute.threads = threads;
    const std::uint32_t number = whole32(scan, "scan");
    const BeamModel model = beam_model(parameters, sensor, "free");
    LogHeatmap made;
    released_watched([&](const auto& check) {
      options.on_progress = [&](double) { check(); };
      made = heatmap_of_log(model, world, log, number, map, options);
    });
    return py::make_tuple(std::make_shared<Heatmap>(std::move(made.heatmap)), tuple_of(made.logged),
                          made.logged_log_likelihood);
  });
}

}  // namespace fathom::python

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include <fathom/core/error.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/run.hpp>

#include "beam_values.hpp"
#include "chain.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

const SensorKindInfo& info_of(const SensorModel& model) {
  return *std::find_if(sensor_kinds().begin(), sensor_kinds().end(),
                       [&](const SensorKindInfo& info) { return info.slug == sensor_kind(model); });
}

void set_fields(SensorModel& model, const py::dict& values) {
  const SensorKindInfo& info = info_of(model);
  for (const auto& [key, value] : values) {
    const auto name = py::cast<std::string>(key);
    const auto field =
        std::find_if(info.fields.begin(), info.fields.end(), [&](const FieldInfo& f) { return f.name == name; });
    if (field == info.fields.end()) {
      set_sensor_field(model, name, std::array{0.0});  // throws, with the nearest name
    } else {
      set_sensor_field(model, name, field_numbers(*field, value, info.slug));
    }
  }
}

SensorModel make_model(const std::string& kind, const py::dict& values) {
  SensorModel model = make_sensor_model(kind);
  for (const FieldInfo& field : info_of(model).fields) {
    if (field.required && !values.contains(std::string(field.name).c_str())) {
      throw InputError(kind + ": " + std::string(field.name) + " is required");
    }
  }
  set_fields(model, values);
  static_cast<void>(pattern_shape(model));  // checks what concerns several parameters
  return model;
}

SensorModel changed(SensorModel model, const py::dict& values) {
  set_fields(model, values);
  static_cast<void>(pattern_shape(model));
  return model;
}

py::dict model_values(const SensorModel& model) {
  py::dict values;
  for (const FieldInfo& field : info_of(model).fields) {
    values[py::str(std::string(field.name))] = field_object(field, get_sensor_field(model, field.name));
  }
  return values;
}

template <class T>
py::array_t<T> plane(const RayPattern& pattern, const std::vector<T>& values) {
  py::array_t<T> made({static_cast<py::ssize_t>(pattern.rows), static_cast<py::ssize_t>(pattern.cols)});
  T* out = made.mutable_data();
  for (py::ssize_t i = 0; i < made.size(); ++i)
    out[i] = values.size() == 1 ? values[0] : values.at(static_cast<std::size_t>(i));
  return made;
}

py::array_t<float> triples(const RayPattern& pattern, const std::vector<float>& x, const std::vector<float>& y,
                           const std::vector<float>& z) {
  py::array_t<float> made(
      {static_cast<py::ssize_t>(pattern.rows), static_cast<py::ssize_t>(pattern.cols), py::ssize_t{3}});
  float* out = made.mutable_data();
  for (std::size_t i = 0; i < x.size(); ++i) out[3 * i] = x[i], out[3 * i + 1] = y[i], out[3 * i + 2] = z[i];
  return made;
}

py::dict pattern_dict(const RayPattern& pattern) {
  py::dict d;
  d["directions"] = triples(pattern, pattern.direction_x, pattern.direction_y, pattern.direction_z);
  d["origins_m"] = pattern.origin_x.empty()
                       ? py::object(py::none())
                       : py::object(triples(pattern, pattern.origin_x, pattern.origin_y, pattern.origin_z));
  d["min_range_m"] = plane(pattern, pattern.min_range_m);
  d["max_range_m"] = plane(pattern, pattern.max_range_m);
  d["time_offset_s"] = pattern.time_offset_s.empty() ? py::object(py::none()) : plane(pattern, pattern.time_offset_s);
  d["ring"] = pattern.ring.empty() ? py::object(py::none()) : plane(pattern, pattern.ring);
  return d;
}

void split(const Floats& points, std::vector<float>& x, std::vector<float>& y, std::vector<float>& z) {
  for (py::ssize_t i = 0; i < points.size(); i += 3) {
    x.push_back(points.data()[i]), y.push_back(points.data()[i + 1]), z.push_back(points.data()[i + 2]);
  }
}

std::vector<float> limits(const py::object& value, const char* name, py::ssize_t rays) {
  if (PyFloat_Check(value.ptr()) != 0 || PyLong_Check(value.ptr()) != 0) return {static_cast<float>(real(value, name))};
  const std::string wanted = "a number or (" + std::to_string(rays) + ",)";
  const auto given = span_of(floats(ravelled(value, name), name, {{rays}, wanted.c_str()}));
  return {given.begin(), given.end()};
}

SensorModel ray_table(const py::object& directions, const py::object& origins_m, const py::object& min_range_m,
                      const py::object& max_range_m, const py::object& time_offset_s, const py::object& ring) {
  const py::array given = any_array(directions, "directions");
  const bool is_grid = given.ndim() == 3;
  const Floats d = is_grid ? floats(given, "directions", {{-1, -1, 3}, "(rows, cols, 3) or (N, 3)"})
                           : floats(given, "directions", {{-1, 3}, "(rows, cols, 3) or (N, 3)"});
  RayPattern pattern;
  pattern.rows = is_grid ? static_cast<std::uint32_t>(d.shape(0)) : 1U;
  pattern.cols = static_cast<std::uint32_t>(d.shape(is_grid ? 1 : 0));
  const py::ssize_t rays = d.size() / 3;
  const std::string wanted = "(" + std::to_string(rays) + ", 3), as directions,";
  split(d, pattern.direction_x, pattern.direction_y, pattern.direction_z);
  if (!origins_m.is_none()) {
    py::array flat = any_array(origins_m, "origins_m");
    if (flat.ndim() == 3 && flat.shape(2) == 3) flat = py::cast<py::array>(flat.attr("reshape")(-1, 3));
    split(floats(flat, "origins_m", {{rays, 3}, wanted.c_str()}), pattern.origin_x, pattern.origin_y, pattern.origin_z);
  }
  pattern.min_range_m = limits(min_range_m, "min_range_m", rays);
  pattern.max_range_m = limits(max_range_m, "max_range_m", rays);
  if (!time_offset_s.is_none()) pattern.time_offset_s = limits(time_offset_s, "time_offset_s", rays);
  if (!ring.is_none()) {
    const std::string ring_shape = "(" + std::to_string(rays) + ",)";
    const py::array flat = ravelled(ring, "ring");
    for (const std::int64_t r : span_of(integers(flat, "ring", {{rays}, ring_shape.c_str()}, 0, 0xffff))) {
      pattern.ring.push_back(static_cast<std::uint16_t>(r));
    }
  }
  validate(pattern);
  return pattern;
}

py::dict intrinsics_dict(const SensorModel& model) {
  const std::optional<Intrinsics> k = lens_of(model);
  if (!k) throw InputError(std::string(sensor_kind(model)) + ": not a camera, which alone has intrinsics");
  return py::dict("fx"_a = k->fx, "fy"_a = k->fy, "cx"_a = k->cx, "cy"_a = k->cy);
}

void bind_model(py::module_& m) {
  py::class_<SensorModel>(m, "SensorModel", "A sensor of any kind; fathom.sensors holds a class for each.")
      .def(py::init(&make_model), "kind"_a, "values"_a)
      .def_property_readonly("kind", [](const SensorModel& s) { return sensor_kind(s); })
      .def_property_readonly("values", &model_values)
      .def(
          "get",
          [](const SensorModel& s, const std::string& name) {
            for (const FieldInfo& field : info_of(s).fields) {
              if (field.name == name) return field_object(field, get_sensor_field(s, name));
            }
            get_sensor_field(s, name);  // throws, with the nearest name
            return py::object(py::none());
          },
          "name"_a)
      .def("replaced", &changed, "values"_a)
      .def_property_readonly("shape",
                             [](const SensorModel& s) {
                               const RayPattern::Shape shape = pattern_shape(s);
                               return py::make_tuple(shape.rows, shape.cols);
                             })
      .def(
          "rays",
          [](const SensorModel& s, const py::object& frame) {
            return pattern_dict(make_pattern(s, whole32(frame, "frame")));
          },
          "frame"_a = 0)
      .def("intrinsics", &intrinsics_dict)
      .def("destagger_shifts", [](const SensorModel& s) {
        const auto* lidar = std::get_if<SpinningLidar>(&s);
        if (lidar == nullptr) throw InputError(std::string(sensor_kind(s)) + ": not a spinning lidar");
        return copied<std::int32_t>(lidar->destagger_shifts());
      });
}

}  // namespace

void bind_sensors(py::module_& m) {
  bind_model(m);
  m.def("ray_table", &ray_table, "directions"_a, "origins_m"_a, "min_range_m"_a, "max_range_m"_a, "time_offset_s"_a,
        "ring"_a, "Rays given one by one.");
  m.def(
      "read_ray_table",
      [](const std::filesystem::path& file, float low, float high) {
        return SensorModel(read_ray_table(file, low, high));
      },
      "file"_a, "min_range_m"_a, "max_range_m"_a, "Rays from an NPY or CSV file.");
  m.def(
      "find_preset",
      [](const std::string& name) {
        const SensorPreset& preset = find_preset(name);
        return py::make_tuple(preset.name, py::cast(preset.model), chain_list(preset.noise),
                              fields_dict(preset.detection), filters_dict(preset.filters),
                              aligned_dict(preset.aligned_to));
      },
      "name"_a, "A preset: its full name, its model, its noise, its detection, its filters and its alignment.");
  m.def(
      "camera_from_fov",
      [](std::uint32_t width, std::uint32_t height, double fov) {
        return SensorModel(PinholeCamera::from_fov(width, height, fov));
      },
      "width"_a, "height"_a, "horizontal_fov_rad"_a);
  m.def(
      "even_elevations",
      [](std::uint32_t count, double first, double last) {
        return copied<double>(even_elevations(count, first, last));
      },
      "count"_a, "first_rad"_a, "last_rad"_a, "float64 [count], rad, evenly spaced, both ends included.");
}

}  // namespace fathom::python

// SPDX-License-Identifier: MIT
// The tables of parameters: noise models, kinds of sensor, the beam model. The classes of Python are made from them.
#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/fit/beam.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/noise/noise.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/output.hpp>

#include "chain.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

py::list fields_list(std::span<const FieldInfo> fields) {
  py::list list;
  for (const FieldInfo& field : fields) list.append(field_dict(field));
  return list;
}

py::list noise_list() {
  py::list list;
  for (const NoiseInfo& info : noise_models()) {
    py::dict d;
    d["slug"] = info.slug, d["doc"] = info.doc, d["note"] = info.note;
    d["stage"] = to_string(info.stage);
    d["fields"] = fields_list(info.fields);
    list.append(d);
  }
  return list;
}

py::list kind_list() {
  py::list list;
  for (const SensorKindInfo& info : sensor_kinds()) {
    py::dict d;
    d["slug"] = info.slug, d["doc"] = info.doc;
    d["fields"] = fields_list(info.fields);
    d["rays_from_file"] = info.rays_from_file;
    list.append(d);
  }
  return list;
}

py::list preset_list() {
  py::list list;
  for (const SensorPreset& preset : sensor_presets()) {
    py::dict d;
    d["name"] = preset.name, d["kind"] = sensor_kind(preset.model), d["doc"] = preset.doc, d["source"] = preset.source;
    list.append(d);
  }
  return list;
}

py::list channels_list() {
  py::list list;
  for (const ChannelInfo& info : channel_list()) {
    py::dict d;
    d["name"] = info.name(), d["unit"] = info.unit, d["doc"] = info.doc;
    d["dtype"] = to_string(info.type), d["planes"] = info.planes;
    list.append(d);
  }
  return list;
}

py::list outputs_list() {
  py::list list;
  for (const OutputInfo& info : output_list()) {
    py::dict d;
    d["slug"] = info.slug, d["doc"] = info.doc, d["file"] = info.file;
    d["fields"] = fields_list(info.options);
    list.append(d);
  }
  return list;
}

}  // namespace

Noise noise_of(const std::string& slug, const py::dict& values) {
  const std::vector<NoiseInfo>& models = noise_models();
  const auto model = std::find_if(models.begin(), models.end(), [&](const NoiseInfo& m) { return m.slug == slug; });
  if (model == models.end()) return make_noise(slug, {});  // throws, with the nearest name
  std::vector<FieldValue> given;
  for (const auto& [key, value] : values) {
    const auto name = py::cast<std::string>(key);
    const auto field =
        std::find_if(model->fields.begin(), model->fields.end(), [&](const FieldInfo& f) { return f.name == name; });
    if (field == model->fields.end()) {
      given.push_back({name, 0.0});  // make_noise() names the nearest
    } else {
      given.push_back(field_value(*field, field_numbers(*field, value, slug).at(0)));
    }
  }
  return make_noise(slug, given);
}

py::dict noise_dict(const Noise& noise) {
  py::dict values;
  std::size_t i = 0;
  const std::vector<FieldValue> given = noise.values();
  for (const FieldInfo& field : noise.info().fields) {
    const double number = given[i++].number();
    values[py::str(std::string(field.name))] = field_object(field, std::span(&number, 1));
  }
  return values;
}

Correlation correlation_of(const py::dict& values) {
  Correlation made;
  const std::vector<FieldInfo> fields = describe<Correlation>();
  for (const auto& [key, value] : values) {
    const auto name = py::cast<std::string>(key);
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == name; });
    if (field == fields.end()) static_cast<void>(find_field<Correlation>(name));  // throws, with the nearest name
    set_field(made, name, field_numbers(*field, value, std::string(Correlation::kSlug)));
  }
  validate(made);
  return made;
}

py::dict correlation_dict(const Correlation& correlation) {
  py::dict values;
  if (correlation.is_white()) return values;
  for (const FieldInfo& field : describe<Correlation>()) {
    values[py::str(std::string(field.name))] = field_object(field, get_field(correlation, field.name));
  }
  return values;
}

void bind_tables(py::module_& m) {
  m.def("noise_models", &noise_list, "The registered noise models with their parameters.");
  m.def("sensor_kinds", &kind_list, "The kinds of sensor with their parameters.");
  m.def("sensor_presets", &preset_list, "The named sensors from public data sheets.");
  m.def("channel_list", &channels_list, "The arrays that a frame can hold.");
  m.def("output_list", &outputs_list, "The outputs of scene files.");
  m.def(
      "beam_parameter_fields",
      [] {
        std::vector<FieldInfo> fields = describe<BeamParameters>();
        for (FieldInfo& field : describe<HitTail>()) fields.push_back(std::move(field));
        return fields_list(fields);
      },
      "The six parameters of the beam model, the offset of hits, and the law of hits.");
  m.def(
      "beam_sensor_fields", [] { return fields_list(describe<BeamSensor>()); },
      "Facts of a range finder that no fit learns.");
  m.def(
      "make_noise", [](const std::string& slug, const py::dict& values) { return noise_dict(noise_of(slug, values)); },
      "slug"_a, "values"_a, "All parameters of a model, checked; the values given, else the defaults.");
  m.def(
      "make_correlation", [](const py::dict& values) { return correlation_dict(correlation_of(values)); }, "values"_a,
      "All values of a correlation, checked; empty for white noise.");
  m.def(
      "likely_name",
      [](const std::string& name, const std::vector<std::string>& candidates) {
        const std::vector<std::string_view> views(candidates.begin(), candidates.end());
        return std::string(likely_name(name, views));
      },
      "name"_a, "candidates"_a, "The candidate that a name most likely misspells; '' if all are far.");
  m.attr("REASONS") = py::cast(std::vector<std::string>(kReasonNames.begin(), kReasonNames.end()));
  m.attr("REASON_COLORS") = py::cast(kReasonColors);
  m.attr("LENGTH_CHANNELS") = [] {
    py::list names;
    for (const Channel channel : kLengthChannels) names.append(to_string(channel));
    return py::tuple(names);
  }();
}

}  // namespace fathom::python

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/sensor.hpp>

#include "commands.hpp"
#include "fields.hpp"
#include "option_values.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kSensorsHelp = R"(
Examples:
  fathom sensors
  fathom sensors OS1-64
  fathom sensors spinning_lidar
  fathom sensors --json)";

using fathom::FieldInfo;
using fathom::FieldKind;
using fathom::SensorKindInfo;
using fathom::SensorPreset;
using Json = nlohmann::ordered_json;

/// `fathom sensors [NAME] [--json | --markdown]`
struct SensorsOptions {
  std::string name;  ///< a preset or a kind; empty: all
  bool json = false;
  bool markdown = false;  ///< all kinds, as docs/sensors.md has them
};

std::vector<double> values_of(const SensorPreset& preset, const FieldInfo& field) {
  return fathom::get_sensor_field(preset.model, field.name);
}

const SensorKindInfo& kind_of(const SensorPreset& preset) {
  const auto& kinds = fathom::sensor_kinds();
  return *std::find_if(kinds.begin(), kinds.end(),
                       [&](const auto& kind) { return kind.slug == sensor_kind(preset.model); });
}

/// Calls f(field, its value as numbers) for each parameter.
template <class F>
void for_each_value(const fathom::Noise& noise, F f) {
  const std::vector<fathom::FieldValue> values = noise.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double number = values[i].number();
    f(noise.info().fields[i], std::span<const double>(&number, 1));
  }
}

/// Numbers of 0 are left out: they say that there is no such noise.
std::string noise_text(const fathom::Noise& noise) {
  std::string text(noise.slug());
  for_each_value(noise, [&](const FieldInfo& field, std::span<const double> value) {
    if (field.kind == FieldKind::kNumber && value[0] == 0.0) return;
    text += fmt::format(" {}={}", field.name, short_text(field, value));
  });
  return text;
}

/// " correlation(across_px=4 down_px=0.6)"; nothing for draws that are independent.
std::string correlation_text(const fathom::Correlation& correlation) {
  std::string text;
  for (const FieldInfo& field : fathom::describe<fathom::Correlation>()) {
    const std::vector<double> value = fathom::get_field(correlation, field.name);
    if (field.kind == FieldKind::kNumber ? value[0] == 0.0 : correlation.shape == fathom::Correlation().shape) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name, short_text(field, value));
  }
  return correlation.is_white() ? "" : fmt::format(" correlation({})", text);
}

constexpr std::string_view kDegreesHint = "\nScene files take a parameter x_rad as x_deg too.\n";

/// Of its frames.
fathom::RayPattern::Shape shape_of(const SensorPreset& preset) {
  return fathom::image_shape(fathom::preset_sensor("preset", preset.name));
}

std::string overview() {
  std::vector<std::vector<std::string>> presets = {{"preset", "kind", "rows x columns", "description"}};
  for (const SensorPreset& p : fathom::sensor_presets()) {
    const fathom::RayPattern::Shape shape = shape_of(p);
    presets.push_back({std::string(p.name), std::string(sensor_kind(p.model)),
                       fmt::format("{} x {}", shape.rows, shape.cols), std::string(p.doc)});
  }
  std::vector<std::vector<std::string>> kinds = {{"kind", "description"}};
  for (const SensorKindInfo& kind : fathom::sensor_kinds()) {
    kinds.push_back({std::string(kind.slug), std::string(kind.doc)});
  }
  return fmt::format("{}\n{}\nfathom sensors NAME shows the parameters of a preset or a kind.\n",
                     align_columns(presets), align_columns(kinds));
}

/// Calls f(field, value) for the ranges that are given.
template <class F>
void for_each_reach(const fathom::Detection& detection, F f) {
  for (const FieldInfo& field : fathom::describe<fathom::Detection>()) {
    const std::vector<double> value = fathom::get_field(detection, field.name);
    if (value[0] > 0.0) f(field, value);
  }
}

template <fathom::FieldModel M>
Json step_json(const M& step) {
  Json json = Json::object();
  for (const FieldInfo& field : fathom::describe<M>()) {
    json[std::string(field.name)] = value_json(field, fathom::get_field(step, field.name));
  }
  return json;
}

/// The parameters of the steps after the chain, by their names.
Json steps_json(const SensorPreset& preset) {
  Json json = Json::object();
  const fathom::DepthFilters& filters = preset.filters;
  if (filters.spatial) json["filters.spatial"] = step_json(*filters.spatial);
  if (filters.temporal) json["filters.temporal"] = step_json(*filters.temporal);
  if (filters.hole_filling) json["filters"] = step_json(filters);
  if (preset.aligned_to) json["aligned_to"] = step_json(*preset.aligned_to);
  return json;
}

std::string details(const SensorPreset& preset) {
  std::vector<std::vector<std::string>> rows = {{"  parameter", "unit", "value", "meaning"}};
  for (const FieldInfo& f : kind_of(preset).fields) {
    rows.push_back(
        {fmt::format("  {}", f.name), std::string(f.unit), short_text(f, values_of(preset, f)), std::string(f.doc)});
  }
  std::string text = fmt::format("{}: {}\n  kind {}\n  source: {}\n\n{}", preset.name, preset.doc,
                                 sensor_kind(preset.model), preset.source, align_columns(rows));
  if (!preset.noise.empty()) text += "\n  typical noise\n";
  for (const fathom::ChainEntry& entry : preset.noise) {
    text += fmt::format("  {}{}\n", noise_text(entry.noise), correlation_text(entry.correlation));
  }
  for_each_reach(preset.detection, [&](const FieldInfo& field, const std::vector<double>& value) {
    text += fmt::format("\n  detection\n  {}={}\n", field.name, short_text(field, value));
  });
  const Json steps = steps_json(preset);
  for (const auto& step : steps.items()) {
    text += fmt::format("\n  {}\n ", step.key());
    for (const auto& value : step.value().items()) text += fmt::format(" {}={}", value.key(), value.value().dump());
    text += '\n';
  }
  return text.append(kDegreesHint);
}

std::string details(const SensorKindInfo& kind) {
  return fmt::format("{}: {}\n\n{}{}", kind.slug, kind.doc, fields_help(kind.fields), kDegreesHint);
}

Json to_json(const SensorKindInfo& kind) {
  return {{"kind", kind.slug}, {"doc", kind.doc}, {"fields", fields_json(kind.fields)}};
}

Json to_json(const fathom::Noise& noise) {
  Json json = {{"model", noise.slug()}};
  for_each_value(noise, [&](const FieldInfo& field, std::span<const double> value) {
    json[std::string(field.name)] = value_json(field, value);
  });
  return json;
}

Json to_json(const fathom::ChainEntry& entry) {
  Json json = to_json(entry.noise);
  if (entry.correlation.is_white()) return json;
  for (const FieldInfo& field : fathom::describe<fathom::Correlation>()) {
    json["correlation"][std::string(field.name)] = value_json(field, fathom::get_field(entry.correlation, field.name));
  }
  return json;
}

Json to_json(const SensorPreset& preset) {
  const fathom::RayPattern::Shape shape = shape_of(preset);
  Json values = Json::object();
  for (const FieldInfo& f : kind_of(preset).fields) values[std::string(f.name)] = value_json(f, values_of(preset, f));
  Json noise = Json::array();
  for (const fathom::ChainEntry& entry : preset.noise) noise.push_back(to_json(entry));
  Json detection = Json::object();
  for_each_reach(preset.detection, [&](const FieldInfo& field, const std::vector<double>& value) {
    detection[std::string(field.name)] = value_json(field, value);
  });
  return {{"name", preset.name},    {"kind", sensor_kind(preset.model)},
          {"doc", preset.doc},      {"source", preset.source},
          {"rows", shape.rows},     {"columns", shape.cols},
          {"fields", values},       {"noise", noise},
          {"detection", detection}, {"steps", steps_json(preset)}};
}

/// The preset or kind that is meant; the typed name if it is unknown.
std::string known_name(const std::string& typed) {
  std::vector<std::string_view> names;
  for (const SensorPreset& preset : fathom::sensor_presets()) names.push_back(preset.name);
  for (const SensorKindInfo& kind : fathom::sensor_kinds()) names.push_back(kind.slug);
  if (const auto found = find_typed(typed, names)) return std::string(names[*found]);
  if (const std::string nearest = nearest_text(typed, names); !nearest.empty()) {
    throw fathom::InputError(fmt::format("'{}' is no preset or kind of sensor{}", typed, nearest));
  }
  return typed;
}

/// The kind whose parameters are the first ones of `kind`; null if there is no such kind.
const SensorKindInfo* base_of(const SensorKindInfo& kind) {
  const auto is_same = [](const FieldInfo& a, const FieldInfo& b) {
    return a.name == b.name && a.doc == b.doc && a.default_value == b.default_value && a.low == b.low &&
           a.high == b.high;
  };
  for (const SensorKindInfo& other : fathom::sensor_kinds()) {
    if (other.fields.size() < kind.fields.size() &&
        std::equal(other.fields.begin(), other.fields.end(), kind.fields.begin(), is_same)) {
      return &other;
    }
  }
  return nullptr;
}

/// The section on parameters of docs/sensors.md.
std::string all_as_page() {
  std::string text;
  for (const SensorKindInfo& kind : fathom::sensor_kinds()) {
    const SensorKindInfo* base = base_of(kind);
    const std::size_t shared = base == nullptr ? 0 : base->fields.size();
    const std::string more = base == nullptr ? "" : fmt::format(" It has the parameters of `{}` and:", base->slug);
    text += fmt::format("\n### `{}`\n\n{}{}\n\n{}", kind.slug, kind.doc, more,
                        fields_page(std::span(kind.fields).subspan(shared)));
  }
  return text;
}

std::string all_as_json() {
  Json presets = Json::array();
  for (const SensorPreset& preset : fathom::sensor_presets()) presets.push_back(to_json(preset));
  Json kinds = Json::array();
  for (const SensorKindInfo& kind : fathom::sensor_kinds()) kinds.push_back(to_json(kind));
  return Json{{"presets", presets}, {"kinds", kinds}}.dump(2) + "\n";
}

void list_sensors(const SensorsOptions& options) {
  if (options.markdown) return print(all_as_page());
  if (options.name.empty()) {
    print(options.json ? all_as_json() : overview());
    return;
  }
  const std::string name = known_name(options.name);
  for (const SensorKindInfo& kind : fathom::sensor_kinds()) {
    if (kind.slug == name) {
      print(options.json ? to_json(kind).dump(2) + "\n" : details(kind));
      return;
    }
  }
  const SensorPreset& preset = fathom::find_preset(name);
  print(options.json ? to_json(preset).dump(2) + "\n" : details(preset));
}

}  // namespace

void add_sensors(CLI::App& app) {
  const auto o = std::make_shared<SensorsOptions>();
  CLI::App& c = *app.add_subcommand("sensors", "List the sensor presets and kinds and their parameters");
  CLI::Option* name = c.add_option("SENSOR", o->name, "show this preset or kind only")->type_name("");
  CLI::Option* json = &add_json(c, o->json);
  c.add_flag("--markdown", o->markdown, "the kinds as in docs/sensors.md")->excludes(json)->excludes(name);
  c.footer(kSensorsHelp);
  c.final_callback([o] { list_sensors(*o); });
}

}  // namespace fathom_cli

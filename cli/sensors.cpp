#include "sensors.hpp"

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fathom/error.hpp>
#include <fathom/sensor.hpp>
#include <fathom/sensor_fields.hpp>
#include <nlohmann/json.hpp>

#include "text.hpp"

namespace fathom_cli {
namespace {

using fathom::SensorFieldInfo;
using fathom::SensorFieldType;
using fathom::SensorKindInfo;
using fathom::SensorPreset;
using Json = nlohmann::ordered_json;

std::string_view type_name(SensorFieldType type) {
  switch (type) {
    case SensorFieldType::kCount:
      return "whole number";
    case SensorFieldType::kFlag:
      return "true or false";
    case SensorFieldType::kChoice:
      return "one of several words";
    case SensorFieldType::kList:
      return "list of numbers";
    case SensorFieldType::kPose:
      return "pose";
    case SensorFieldType::kNumber:
      break;
  }
  return "number";
}

std::string limits_text(const SensorFieldInfo& f) {
  if (f.type == SensorFieldType::kChoice) return "";
  return f.type == SensorFieldType::kFlag ? "" : fmt::format("[{:.8g}, {:.8g}]", f.low, f.high);
}

std::string default_text(const SensorFieldInfo& f) {
  if (f.required) return "required";
  if (f.type == SensorFieldType::kFlag) return f.default_value == "0" ? "false" : "true";
  return f.default_value;
}

std::vector<double> values_of(const SensorPreset& preset, const SensorFieldInfo& field) {
  return fathom::get_sensor_field(preset.model, field.name);
}

const SensorKindInfo& kind_of(const SensorPreset& preset) {
  const auto& kinds = fathom::sensor_kinds();
  return *std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.slug == preset.kind; });
}

/// Lists as their length and ends, so that 128 elevations stay one line.
std::string value_text(const SensorPreset& preset, const SensorFieldInfo& field) {
  const std::vector<double> values = values_of(preset, field);
  if (values.empty()) return "none";
  if (field.type == SensorFieldType::kChoice)
    return std::string(field.choices[static_cast<std::size_t>(values.front())]);
  if (field.type == SensorFieldType::kPose)
    return fmt::format("at [{:.6g}, {:.6g}, {:.6g}]", values[0], values[1], values[2]);
  if (field.type == SensorFieldType::kFlag) return values.front() == 0.0 ? "false" : "true";
  if (values.size() == 1) return fmt::format("{:.6g}", values.front());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{} values, {:.6g} to {:.6g}", values.size(), *low, *high);
}

std::string_view choice_word(const fathom::Noise& noise, const fathom::FieldValue& value) {
  const auto& fields = noise.info().fields;
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == value.name; });
  return field->choices[std::get<fathom::Choice>(value.value).index];
}

std::string noise_text(const fathom::Noise& noise) {
  std::string text(noise.slug());
  for (const fathom::FieldValue& v : noise.values()) {
    if (const auto* number = std::get_if<double>(&v.value)) {
      if (*number != 0.0) text += fmt::format(" {}={:.6g}", v.name, *number);
    } else {
      text += fmt::format(" {}={}", v.name, choice_word(noise, v));
    }
  }
  return text;
}

constexpr std::string_view kDegreesHint = "\nScene files take a parameter x_rad as x_deg too.\n";

std::string overview() {
  std::vector<std::vector<std::string>> presets = {{"preset", "kind", "rows x columns", "description"}};
  for (const SensorPreset& p : fathom::sensor_presets()) {
    const fathom::RayPattern pattern = fathom::make_pattern(p.model);
    presets.push_back({std::string(p.name), std::string(p.kind), fmt::format("{} x {}", pattern.rows, pattern.cols),
                       std::string(p.doc)});
  }
  std::vector<std::vector<std::string>> kinds = {{"kind", "description"}};
  for (const SensorKindInfo& kind : fathom::sensor_kinds()) {
    kinds.push_back({std::string(kind.slug), std::string(kind.doc)});
  }
  return fmt::format("{}\n{}\nfathom sensors NAME shows the parameters of a preset or a kind.\n",
                     align_columns(presets), align_columns(kinds));
}

std::string details(const SensorPreset& preset) {
  std::vector<std::vector<std::string>> rows = {{"  parameter", "unit", "value", "meaning"}};
  for (const SensorFieldInfo& f : kind_of(preset).fields) {
    rows.push_back({fmt::format("  {}", f.name), std::string(f.unit), value_text(preset, f), std::string(f.doc)});
  }
  std::string text = fmt::format("{}: {}\n  kind {}\n  source: {}\n\n{}", preset.name, preset.doc, preset.kind,
                                 preset.source, align_columns(rows));
  if (!preset.noise.empty()) text += "\n  typical noise\n";
  for (const fathom::Noise& noise : preset.noise) text += fmt::format("  {}\n", noise_text(noise));
  return text.append(kDegreesHint);
}

std::string details(const SensorKindInfo& kind) {
  std::vector<std::vector<std::string>> rows = {{"  parameter", "unit", "type", "limits", "default", "meaning"}};
  for (const SensorFieldInfo& f : kind.fields) {
    rows.push_back({fmt::format("  {}", f.name), std::string(f.unit), std::string(type_name(f.type)), limits_text(f),
                    default_text(f), std::string(f.doc)});
  }
  return fmt::format("{}: {}\n\n{}{}", kind.slug, kind.doc, align_columns(rows), kDegreesHint);
}

Json to_json(const SensorKindInfo& kind) {
  Json fields = Json::array();
  for (const SensorFieldInfo& f : kind.fields) {
    Json field = {{"name", f.name}, {"unit", f.unit}, {"type", type_name(f.type)}, {"required", f.required}};
    if (f.type == SensorFieldType::kChoice) {
      field["choices"] = f.choices;
    } else if (f.type != SensorFieldType::kFlag) {
      field["min"] = f.low;
      field["max"] = f.high;
    }
    if (!f.required) field["default"] = default_text(f);
    field["doc"] = f.doc;
    fields.push_back(field);
  }
  return {{"kind", kind.slug}, {"doc", kind.doc}, {"fields", fields}};
}

Json to_json(const fathom::Noise& noise) {
  Json json = {{"model", noise.slug()}};
  for (const fathom::FieldValue& v : noise.values()) {
    if (const auto* number = std::get_if<double>(&v.value)) {
      json[v.name] = *number;
    } else {
      json[v.name] = std::string(choice_word(noise, v));
    }
  }
  return json;
}

Json to_json(const SensorPreset& preset) {
  const fathom::RayPattern pattern = fathom::make_pattern(preset.model);
  Json values = Json::object();
  for (const SensorFieldInfo& f : kind_of(preset).fields) {
    const std::vector<double> numbers = values_of(preset, f);
    if (f.type == SensorFieldType::kList || f.type == SensorFieldType::kPose) {
      values[f.name] = numbers;
    } else if (f.type == SensorFieldType::kChoice) {
      values[f.name] = std::string(f.choices[static_cast<std::size_t>(numbers.front())]);
    } else if (f.type == SensorFieldType::kFlag) {
      values[f.name] = numbers.front() != 0.0;
    } else {
      values[f.name] = numbers.front();
    }
  }
  Json noise = Json::array();
  for (const fathom::Noise& n : preset.noise) noise.push_back(to_json(n));
  return {{"name", preset.name},  {"kind", preset.kind},     {"doc", preset.doc}, {"source", preset.source},
          {"rows", pattern.rows}, {"columns", pattern.cols}, {"fields", values},  {"noise", noise}};
}

/// The preset or kind that is meant; what was typed, where there is none.
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

std::string all_as_json() {
  Json presets = Json::array();
  for (const SensorPreset& preset : fathom::sensor_presets()) presets.push_back(to_json(preset));
  Json kinds = Json::array();
  for (const SensorKindInfo& kind : fathom::sensor_kinds()) kinds.push_back(to_json(kind));
  return Json{{"presets", presets}, {"kinds", kinds}}.dump(2) + "\n";
}

}  // namespace

void list_sensors(const SensorsOptions& options) {
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

}  // namespace fathom_cli

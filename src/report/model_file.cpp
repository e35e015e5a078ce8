#include <fathom/beam/model_file.hpp>

#include <array>
#include <string_view>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "io/read_file.hpp"
#include "io/whole_file.hpp"
#include "io/yaml_reader.hpp"
#include "report/model_text.hpp"

namespace fathom {

namespace {

struct SensorField {
  std::string_view name;
  double BeamSensor::*member;
  double low, high;
  bool required;
  std::string_view doc;
};

/// The limits are those of validate(BeamSensor).
constexpr std::array<SensorField, 4> kSensorFields = {{
    {"max_range_m", &BeamSensor::max_range_m, 1e-6, 1e7, true, "Z: every reading from here on is one without a return"},
    {"min_range_m", &BeamSensor::min_range_m, 0, 1e7, false, "readings below carry no evidence"},
    {"step_m", &BeamSensor::step_m, 0, 1e7, false, "readings are multiples of it; 0: they are not rounded"},
    {"expected_floor_m", &BeamSensor::expected_floor_m, 1e-9, 1e7, false,
     "expected ranges below are raised to it: half a cell of the map"},
}};

template <class Enum>
void read_word(YamlReader& map, std::string_view key, Enum& value) {
  if (const auto word = map.find(key)) value = static_cast<Enum>(word->one_of(kChoiceWords<Enum>));
}

void read_parameters(YamlReader& map, BeamParameters& parameters) {
  for (const BeamField& field : kBeamFields) {
    const Limits limits = {field.low, field.high, field.unit};
    if (field.member != &BeamParameters::hit_offset_m) {
      parameters.*field.member = map.at(field.name).number(limits);
    } else if (const auto value = map.find(field.name)) {
      parameters.*field.member = value->number(limits);
    }
  }
}

void read_sensor(YamlReader& map, BeamSensor& sensor) {
  if (const auto old = map.find("sensor_step_m")) old->fail_key("is called step_m now");
  for (const SensorField& field : kSensorFields) {
    const Limits limits = {field.low, field.high, "m"};
    if (field.required) {
      sensor.*field.member = map.at(field.name).number(limits);
    } else if (const auto value = map.find(field.name)) {
      sensor.*field.member = value->number(limits);
    }
  }
  read_word(map, "miss", sensor.miss);
  read_word(map, "nan", sensor.nan);
}

/// Every digit: the shorter text of number_text would not read back as a double that happens to be a float.
std::string exact_text(double value) { return fmt::format("{}", value); }

void add_line(std::string& text, std::string_view key, std::string_view value, std::string_view doc) {
  // A comment begins with a blank, however long the value is.
  text += fmt::format("{:<41} # {}\n", fmt::format("{}: {}", key, value), doc);
}

template <class Enum>
std::string_view word_of(Enum value) {
  return kChoiceWords<Enum>.at(static_cast<std::size_t>(value));
}

}  // namespace

BeamModel read_beam_model_text(std::string_view text, const std::filesystem::path& file) {
  const YamlValue root = parse_yaml(text, file.string());
  refuse_other_kind(root, YamlFileKind::kBeamModel);
  YamlReader map(root);
  BeamModel model;
  read_parameters(map, model.parameters);
  read_sensor(map, model.sensor);
  read_word(map, "unknown", model.unknown);
  map.finish();
  // What concerns several keys has no line of its own.
  try {
    validate(model.parameters);
    validate(model.sensor);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", to_string(root.mark), error.what()));
  }
  return model;
}

std::string beam_model_text(const BeamModel& model) {
  validate(model.parameters);
  validate(model.sensor);
  std::string text = "# Beam model of a range finder. The four weights sum to 1.\n";
  for (const BeamField& field : kBeamFields) {
    const std::string unit = field.unit == "1" ? "" : fmt::format("{}: ", field.unit);
    add_line(text, field.name, exact_text(model.parameters.*field.member), unit + std::string(field.doc));
  }
  text += "\n# The sensor, and how its readings are taken.\n";
  for (const SensorField& field : kSensorFields) {
    add_line(text, field.name, exact_text(model.sensor.*field.member), fmt::format("m: {}", field.doc));
  }
  add_line(text, "miss", word_of(model.sensor.miss),
           "where the map expects nothing, hits are just below Z (book) or at Z (atom)");
  add_line(text, "nan", word_of(model.sensor.nan), "a NaN is no evidence (skip) or without a return (max)");
  add_line(text, "unknown", word_of(model.unknown),
           "unknown cells of a map are free, occupied, or stop a beam without a return");
  return text;
}

BeamModel read_beam_model(const std::filesystem::path& file) {
  return within_memory(file, [&] { return read_beam_model_text(read_yaml_text(file), file); });
}

void write_beam_model(const std::filesystem::path& file, const BeamModel& model) {
  write_whole_file(file, beam_model_text(model));
}

}  // namespace fathom
